import type { Queryable } from '../../platform/database/database.ts';
import { identifier } from '../../platform/database/statement.ts';
import type { Range } from '../../platform/integrity/scan.ts';

type Piece = ReturnType<Queryable>;

/** Something that may be wrong with the rows of a table. */
export interface Flaw {
  kind: string;
  table: string;
  /** What tells its rows apart, in whose order it is gone through. */
  key: 'id' | 'job_id';
  /** The condition for a wrong row, which is called `scanned`. */
  has(sql: Queryable): Piece;
  /** Absent where a person has to decide. */
  mend?(sql: Queryable, rows: Piece): Piece;
}

/** Nobody can get at what belonged to a job that is gone, and no sweep takes it along. */
const withoutJob = (kind: string, table: string): Flaw => ({
  kind,
  table,
  key: 'job_id',
  has: (sql) => sql`not exists (select from jobs where jobs.id = scanned.job_id)`,
  mend: (sql, rows) => sql`delete from ${identifier(table)} as scanned where ${rows}`,
});

export const FLAWS: Flaw[] = [
  {
    kind: 'default_library_not_default',
    table: 'users',
    key: 'id',
    has: (sql) => sql`
      exists (select from libraries where libraries.id = scanned.default_library_id and not libraries.is_default)`,
  },
  {
    kind: 'default_library_without_its_owner',
    table: 'libraries',
    key: 'id',
    has: (sql) => sql`
      scanned.is_default
      and not exists (
        select
        from memberships
        where memberships.library_id = scanned.id
          and memberships.user_id = scanned.owner_user_id
          and memberships.role = 'admin'
      )`,
    mend: (sql, rows) => sql`
      insert into memberships (library_id, user_id, role)
      select id, owner_user_id, 'admin' from libraries as scanned where ${rows}
      on conflict (library_id, user_id) do update set role = excluded.role`,
  },
  withoutJob('queued_without_job', 'job_queue'),
  withoutJob('attempt_without_job', 'job_attempts'),
  withoutJob('artifact_without_job', 'job_artifacts'),
  {
    kind: 'job_without_end',
    table: 'jobs',
    key: 'id',
    has: (sql) => sql`
      scanned.cancelled_at is null
      and not exists (select from job_queue where job_queue.job_id = scanned.id)
      and not exists (select from job_attempts where job_attempts.job_id = scanned.id)`,
  },
];

export function findings(sql: Queryable, flaw: Flaw, range: Range): Piece {
  return sql`
    select distinct ${flaw.kind}::text as kind, scanned.${identifier(flaw.key)} as id
    from ${identifier(flaw.table)} as scanned
    where ${range} and ${flaw.has(sql)}`;
}

export async function mend(sql: Queryable, flaw: Flaw, range: Range): Promise<void> {
  await flaw.mend?.(sql, sql`${range} and ${flaw.has(sql)}`);
}
