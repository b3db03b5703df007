import { z } from 'zod';
import type { Principal } from '../../../contract/identity.ts';
import type {
  BackfillHealth,
  BackfillJob,
  BackfillKey,
  BackfillStatus,
  ListedBackfillJob,
} from '../../../contract/libraries.ts';
import { roleAllows } from '../../../contract/roles.ts';
import type { Database, Queryable, Transaction } from '../../../platform/database/database.ts';
import { microseconds, moment } from '../../../platform/database/moments.ts';

/*
 *            claim               complete
 *  pending ─────────▶ running ─────────────▶ completed
 *    ▲ ▲                 │ fail                  │
 *    │ └──── retry ──── failed                   │
 *    └────── requeue ────┴───────────────────────┘
 *
 * Each transition is one statement that names the state it starts from, and the job that the row waits for: a job that was
 * replaced by another one finds nothing to complete or fail. A pending or running row has a job that is not over, because
 * the row ends in the transaction in which its job does.
 */

const isKey = (sql: Queryable, key: BackfillKey) =>
  sql`default_library_id = ${key.default_library_id}
    and source_library_id = ${key.source_library_id}
    and user_id = ${key.user_id}`;

const jobColumns = (sql: Queryable) =>
  sql`backfill.default_library_id, backfill.source_library_id, backfill.user_id, backfill.status,
    backfill.attempts::int, backfill.last_error_code, backfill.updated_at, backfill.finished_at`;

export async function findBackfill(sql: Queryable, key: BackfillKey): Promise<BackfillJob | undefined> {
  const [job] = await sql<BackfillJob[]>`
    select ${jobColumns(sql)} from default_library_backfill_jobs as backfill where ${isKey(sql, key)}`;
  return job;
}

export async function lockBackfill(tx: Transaction, key: BackfillKey): Promise<BackfillJob | undefined> {
  await tx`select from default_library_backfill_jobs where ${isKey(tx, key)} for update`;
  return findBackfill(tx, key);
}

/** Makes the row of a new membership pending, whatever it was before. */
export async function upsertPending(tx: Transaction, key: BackfillKey): Promise<void> {
  await tx`
    insert into default_library_backfill_jobs (default_library_id, source_library_id, user_id)
    values (${key.default_library_id}, ${key.source_library_id}, ${key.user_id})
    on conflict (default_library_id, source_library_id, user_id) do update
    set ${toPending(tx)}, attempts = 0, due_at = now()`;
}

/**
 * pending, failed or completed → pending, with all attempts left. False when it is running, or gone. With `ofJob`, only
 * from failed, and only the row of this job.
 */
export async function resetForRequeue(tx: Transaction, key: BackfillKey, ofJob?: string): Promise<boolean> {
  const reset = await tx`
    update default_library_backfill_jobs
    set ${toPending(tx)}, attempts = 0, due_at = now()
    where ${isKey(tx, key)}
      and status <> 'running'
      ${ofJob === undefined ? tx`` : tx`and status = 'failed' and job_id = ${ofJob}`}`;
  return reset.count === 1;
}

/** failed → pending, to be tried again after the delay. */
export async function resetForRetry(tx: Transaction, key: BackfillKey, delaySeconds: number) {
  const reset = await tx`
    update default_library_backfill_jobs
    set ${toPending(tx)}, due_at = now() + ${delaySeconds} * interval '1 second'
    where ${isKey(tx, key)} and status = 'failed'`;
  return reset.count === 1;
}

const toPending = (tx: Transaction) =>
  tx`status = 'pending', last_error_code = null, finished_at = null, updated_at = now()`;

/**
 * pending → running. Of several jobs one claims the row, and the others find nothing to do. A job that runs again, because
 * its worker stopped or died, goes on with the row that it left running.
 */
export async function claimBackfill(sql: Database, key: BackfillKey, jobId: string): Promise<boolean> {
  const claimed = await sql`
    update default_library_backfill_jobs
    set status = 'running', job_id = ${jobId}, updated_at = now()
    where ${isKey(sql, key)} and (status = 'pending' or (status = 'running' and job_id = ${jobId}))`;
  return claimed.count === 1;
}

/** The first of a run's locks. False when the row is no longer this job's. */
export async function lockRunning(tx: Transaction, key: BackfillKey, jobId: string): Promise<boolean> {
  const [held] = await tx`
    select
    from default_library_backfill_jobs
    where ${isKey(tx, key)} and status = 'running' and job_id = ${jobId}
    for no key update`;
  return held !== undefined;
}

/** running → completed. */
export async function markCompleted(tx: Transaction, key: BackfillKey, jobId: string): Promise<boolean> {
  const completed = await tx`
    update default_library_backfill_jobs
    set status = 'completed', finished_at = now(), updated_at = now()
    where ${isKey(tx, key)} and status = 'running' and job_id = ${jobId}`;
  return completed.count === 1;
}

/**
 * pending or running → failed, when its job has ended without completing it. Returns how many attempts have failed now;
 * undefined when the row is no longer this job's.
 */
export async function markFailed(
  tx: Transaction,
  key: BackfillKey,
  jobId: string,
  { error_code, isCounted }: { error_code: string; isCounted: boolean },
): Promise<number | undefined> {
  const [failed] = await tx<{ attempts: number }[]>`
    update default_library_backfill_jobs
    set status = 'failed', attempts = attempts + ${Number(isCounted)}::smallint, last_error_code = ${error_code},
        finished_at = now(), updated_at = now()
    where ${isKey(tx, key)} and status in ('pending', 'running') and job_id = ${jobId}
    returning attempts::int`;
  return failed?.attempts;
}

export async function deleteBackfill(tx: Transaction, key: BackfillKey): Promise<void> {
  await tx`delete from default_library_backfill_jobs where ${isKey(tx, key)}`;
}

/** Names the job that the row waits for. */
export async function setJob(tx: Transaction, key: BackfillKey, jobId: string): Promise<void> {
  await tx`update default_library_backfill_jobs set job_id = ${jobId} where ${isKey(tx, key)}`;
}

/** Whether the default library is the person's own, and the source is one that can be shared. */
export async function isValidTuple(sql: Queryable, key: BackfillKey): Promise<boolean> {
  const [row] = await sql<[{ is_valid: boolean }]>`
    select
      exists (
        select
        from libraries
        where id = ${key.default_library_id} and owner_user_id = ${key.user_id} and is_default
      )
      and exists (select from libraries where id = ${key.source_library_id} and not is_default) as is_valid`;
  return row.is_valid;
}

/** Held while a batch is written: whoever takes the membership away waits for it, or is seen by it. */
export async function lockMembership(tx: Transaction, key: BackfillKey): Promise<boolean> {
  const [membership] = await tx`
    select
    from memberships
    where library_id = ${key.source_library_id} and user_id = ${key.user_id}
    for share`;
  return membership !== undefined;
}

/** A pending row ages from the moment it is due. */
export async function measureBacklog(sql: Database): Promise<Omit<BackfillHealth, 'degraded'>> {
  const [backlog] = await sql<[Omit<BackfillHealth, 'degraded'>]>`
    select
      count(*) as pending_count,
      coalesce(
        percentile_disc(0.95) within group (order by greatest(0, extract(epoch from now() - due_at))),
        0
      )::float8 as pending_age_p95_seconds
    from default_library_backfill_jobs
    where status = 'pending'`;
  return backlog;
}

export const backfillCursor = z.object({
  created_us: z.int(),
  default_library_id: z.uuid(),
  source_library_id: z.uuid(),
});
type BackfillCursor = z.output<typeof backfillCursor>;

interface BackfillQuery {
  status: BackfillStatus | undefined;
  last: BackfillCursor | null;
  limit: number;
}

/** Lists backfills, newest first. The name of a source is shown to its members and to admins. */
export async function listBackfills(
  sql: Database,
  { user_id, role }: Pick<Principal, 'user_id' | 'role'>,
  { status, last, limit }: BackfillQuery,
) {
  const maySeeName = sql`
    (${roleAllows(role, 'admin')}::boolean
      or exists (
        select from memberships where memberships.library_id = libraries.id and memberships.user_id = ${user_id}
      ))`;
  return sql<(ListedBackfillJob & { cursor: BackfillCursor })[]>`
    select
      ${jobColumns(sql)}, users.username, case when ${maySeeName} then libraries.name end as source_library_name,
      backfill.due_at, backfill.job_id, backfill.created_at,
      json_build_object(
        'created_us', ${microseconds(sql, sql`backfill.created_at`)},
        'default_library_id', backfill.default_library_id,
        'source_library_id', backfill.source_library_id
      ) as cursor
    from default_library_backfill_jobs as backfill
    join users on users.id = backfill.user_id
    join libraries on libraries.id = backfill.source_library_id
    where true
      ${status === undefined ? sql`` : sql`and backfill.status = ${status}`}
      ${
        last === null
          ? sql``
          : sql`and (backfill.created_at, backfill.default_library_id, backfill.source_library_id) <
              (${moment(sql, last.created_us)}, ${last.default_library_id}, ${last.source_library_id})`
      }
    order by backfill.created_at desc, backfill.default_library_id desc, backfill.source_library_id desc
    limit ${limit}`;
}
