import type { Database, Queryable } from '../../platform/database/database.ts';
import { identifier } from '../../platform/database/statement.ts';

type Piece = ReturnType<Queryable>;

/** Something that may be wrong with the rows of a table. */
export interface Flaw {
  kind: string;
  table: string;
  /** What tells its rows apart, in whose order it is gone through. */
  key: 'id' | 'job_id';
  has(sql: Queryable): Piece;
  /** Absent where a person has to decide. */
  mend?(sql: Queryable, rows: Piece): Piece;
}

/** Nobody can get at what belonged to a job that is gone, and no sweep takes it along. */
const withoutJob = (kind: string, table: string): Flaw => ({
  kind,
  table,
  key: 'job_id',
  has: (sql) => sql`not exists (select from jobs where jobs.id = ${identifier(table)}.job_id)`,
  mend: (sql, rows) => sql`delete from ${identifier(table)} where ${rows}`,
});

export const FLAWS: Flaw[] = [
  {
    kind: 'default_library_not_default',
    table: 'users',
    key: 'id',
    has: (sql) => sql`
      exists (select from libraries where libraries.id = users.default_library_id and not libraries.is_default)`,
  },
  {
    kind: 'default_library_without_its_owner',
    table: 'libraries',
    key: 'id',
    has: (sql) => sql`
      libraries.is_default
      and not exists (
        select
        from memberships
        where memberships.library_id = libraries.id
          and memberships.user_id = libraries.owner_user_id
          and memberships.role = 'admin'
      )`,
    mend: (sql, rows) => sql`
      insert into memberships (library_id, user_id, role)
      select id, owner_user_id, 'admin' from libraries where ${rows}
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
      jobs.cancelled_at is null
      and not exists (select from job_queue where job_queue.job_id = jobs.id)
      and not exists (select from job_attempts where job_attempts.job_id = jobs.id)`,
  },
];

/** Rows that are looked at with one statement, however many there are. */
const ROWS_AT_ONCE = 10_000;

/** Rows of a table: those behind the first key, up to the last. */
export interface Range {
  after: string | null;
  last: string;
}

/** The next rows, or nothing when there are none. */
export async function nextRange(sql: Database, { table, key }: Flaw, after: string | null): Promise<Range[]> {
  const column = identifier(key);
  const rows = await sql<{ last: string }[]>`
    select last
    from (
      select ${column} as last
      from ${identifier(table)}
      ${after === null ? sql`` : sql`where ${column} > ${after}`}
      order by ${column}
      limit ${ROWS_AT_ONCE}
    ) as next
    order by last desc
    limit 1`;
  return rows.map(({ last }) => ({ after, last }));
}

function flawed(sql: Queryable, { key, has }: Flaw, { after, last }: Range): Piece {
  const column = identifier(key);
  return sql`
    ${column} <= ${last} ${after === null ? sql`` : sql`and ${column} > ${after}`} and ${has(sql)}`;
}

export function findings(sql: Queryable, flaw: Flaw, range: Range): Piece {
  return sql`
    select distinct ${flaw.kind}::text as kind, ${identifier(flaw.key)} as id
    from ${identifier(flaw.table)}
    where ${flawed(sql, flaw, range)}`;
}

export async function mend(sql: Queryable, flaw: Flaw, range: Range): Promise<void> {
  await flaw.mend?.(sql, flawed(sql, flaw, range));
}
