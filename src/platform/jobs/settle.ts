import type { Queryable } from '../database/database.ts';
import type { LeasedJob } from './claim.ts';

/** How an attempt ended, and what becomes of the job. */
export type Outcome =
  | { kind: 'succeeded'; job: LeasedJob; runtimeMs: number; result: string | null }
  | { kind: 'failed'; job: LeasedJob; runtimeMs: number; errorText: string; errorCode: string | null }
  | {
      kind: 'retry';
      job: LeasedJob;
      runtimeMs: number;
      errorText: string;
      errorCode: string | null;
      delayMs: number;
    }
  /** Begun and handed back at shutdown: recorded, but not counted against max_attempts. */
  | { kind: 'refund'; job: LeasedJob; runtimeMs: number; errorText: string; errorCode: string }
  /** Never begun: as if it had not been claimed. */
  | { kind: 'release'; job: LeasedJob };

/**
 * Writes what became of jobs, in one round trip and one commit. The outcomes of jobs that ended remove them from the
 * queue; the others' go back into it. Both are fenced by token and attempt, and only what passed the fence is recorded
 * as an attempt.
 *
 * Returns the jobs whose outcome was dropped, because they were no longer leased under their token and attempt.
 */
export async function settle(sql: Queryable, workerName: string, outcomes: Outcome[]): Promise<string[]> {
  const ids = outcomes.map(({ job }) => job.id);
  const column = <T>(read: (outcome: Outcome) => T) => outcomes.map(read);
  const rows = await sql<{ id: string }[]>`
    with outcome as (
      select *
      from unnest(
        ${ids}::uuid[],
        ${column(({ job }) => job.attempt)}::smallint[],
        ${column(({ job }) => job.lease_token)}::uuid[],
        ${column(({ kind }) => kind)}::text[],
        ${column((outcome) => ('result' in outcome ? outcome.result : null))}::jsonb[],
        ${column((outcome) => ('errorText' in outcome ? outcome.errorText : null))}::text[],
        ${column((outcome) => ('errorCode' in outcome ? outcome.errorCode : null))}::text[],
        ${column((outcome) => ('delayMs' in outcome ? outcome.delayMs : 0))}::float8[],
        ${column((outcome) => ('runtimeMs' in outcome ? outcome.runtimeMs : 0))}::int[]
      ) as outcome (job_id, attempt, token, kind, result, error_text, error_code, delay_ms, runtime_ms)
    ),
    ended as (
      delete from job_queue
      using outcome
      where job_queue.job_id = any(${ids})
        and job_queue.job_id = outcome.job_id
        and job_queue.lease_token = outcome.token
        and job_queue.attempt_count = outcome.attempt
        and outcome.kind in ('succeeded', 'failed')
      returning outcome.*, job_queue.queue, job_queue.due_at, job_queue.started_at
    ),
    returned as (
      update job_queue
      set due_at = case outcome.kind
            when 'retry' then now() + outcome.delay_ms * interval '1 millisecond'
            else job_queue.due_at
          end,
          attempt_count = job_queue.attempt_count - case outcome.kind when 'release' then 1 else 0 end,
          refunded_count = job_queue.refunded_count + case outcome.kind when 'refund' then 1 else 0 end,
          lease_token = null,
          worker_id = null,
          started_at = null
      from outcome, job_queue as before
      where job_queue.job_id = any(${ids})
        and before.job_id = any(${ids})
        and job_queue.job_id = outcome.job_id
        and before.job_id = outcome.job_id
        and job_queue.lease_token = outcome.token
        and job_queue.attempt_count = outcome.attempt
        and outcome.kind in ('retry', 'refund', 'release')
      returning outcome.*, before.queue, before.due_at, before.started_at
    ),
    recorded as (
      insert into job_attempts (
        job_id, attempt_number, status, result, error_text, error_code, worker, queue, due_at, started_at, runtime_ms
      )
      select
        job_id, attempt, case kind when 'succeeded' then kind when 'refund' then 'interrupted' else 'failed' end,
        result, error_text, error_code, ${workerName}, queue, due_at, started_at, runtime_ms
      from (select * from ended union all select * from returned) as ending
      where kind <> 'release'
    )
    select outcome.job_id as id
    from outcome
    -- Almost never is one dropped, and then nothing is compared.
    where (select count(*) from ended) + (select count(*) from returned) < cardinality(${ids}::uuid[])
      and not exists (select from ended where ended.job_id = outcome.job_id)
      and not exists (select from returned where returned.job_id = outcome.job_id)`.named('jobs_settle');
  return rows.map(({ id }) => id);
}
