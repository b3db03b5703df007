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

type Ended = Extract<Outcome, { kind: 'succeeded' | 'failed' }>;
type Returned = Exclude<Outcome, Ended>;

/**
 * Writes what became of jobs. Those that are over leave the queue, the others go back into it, each fenced by token and
 * attempt; only what passed the fence is recorded as an attempt.
 *
 * Returns the jobs whose outcome was dropped, because they were no longer leased under their token and attempt.
 */
export async function settle(sql: Queryable, workerName: string, outcomes: Outcome[]): Promise<string[]> {
  const ended = outcomes.filter(isEnded);
  const returned = outcomes.filter((outcome) => !isEnded(outcome)) as Returned[];
  const dropped: string[] = [];
  if (ended.length > 0) dropped.push(...(await settleEnded(sql, workerName, ended)));
  if (returned.length > 0) dropped.push(...(await settleReturned(sql, workerName, returned)));
  return dropped;
}

const isEnded = (outcome: Outcome): outcome is Ended =>
  outcome.kind === 'succeeded' || outcome.kind === 'failed';

/** Thousands of them a second: whatever is read, copied or compared here shows. */
async function settleEnded(sql: Queryable, workerName: string, outcomes: Ended[]): Promise<string[]> {
  const { ids, attempts, tokens, tokenPlaces, runtimes } = heldBy(outcomes);
  const column = <T>(read: (outcome: Ended) => T) => outcomes.map(read);
  const rows = await sql<[{ kept: string[] | null }]>`
    with ended as (
      delete from job_queue
      using unnest(
        ${ids}::uuid[],
        ${attempts}::smallint[],
        ${tokenPlaces}::int[],
        ${column((outcome) => ('result' in outcome ? outcome.result : null))}::jsonb[],
        ${column((outcome) => ('errorText' in outcome ? outcome.errorText : null))}::text[],
        ${column((outcome) => ('errorCode' in outcome ? outcome.errorCode : null))}::text[],
        ${runtimes}::int[]
      ) as outcome (job_id, attempt, token_place, result, error_text, error_code, runtime_ms)
      where job_queue.job_id = any(${ids})
        and job_queue.job_id = outcome.job_id
        and job_queue.lease_token = (${tokens}::uuid[])[outcome.token_place]
        and job_queue.attempt_count = outcome.attempt
      returning outcome.*, job_queue.queue, job_queue.due_at, job_queue.started_at
    ),
    recorded as (
      insert into job_attempts (
        job_id, attempt_number, status, result, error_text, error_code, worker, queue, due_at, started_at, runtime_ms
      )
      select
        job_id, attempt, case when error_text is null then 'succeeded' else 'failed' end,
        result, error_text, error_code, ${workerName}, queue, due_at, started_at, runtime_ms
      from ended
    )
    -- Almost never is one dropped, and then nothing is listed.
    select case when count(*) < cardinality(${ids}) then coalesce(array_agg(job_id), '{}') end as kept
    from ended`.named('jobs_settle_ended');
  return droppedOf(ids, rows[0].kept);
}

async function settleReturned(sql: Queryable, workerName: string, outcomes: Returned[]): Promise<string[]> {
  const { ids, attempts, tokens, tokenPlaces, runtimes } = heldBy(outcomes);
  const column = <T>(read: (outcome: Returned) => T) => outcomes.map(read);
  const rows = await sql<[{ kept: string[] | null }]>`
    with returned as (
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
      from
        unnest(
          ${ids}::uuid[],
          ${attempts}::smallint[],
          ${tokenPlaces}::int[],
          ${column(({ kind }) => kind)}::text[],
          ${column((outcome) => ('errorText' in outcome ? outcome.errorText : null))}::text[],
          ${column((outcome) => ('errorCode' in outcome ? outcome.errorCode : null))}::text[],
          ${column((outcome) => ('delayMs' in outcome ? outcome.delayMs : 0))}::float8[],
          ${runtimes}::int[]
        ) as outcome (job_id, attempt, token_place, kind, error_text, error_code, delay_ms, runtime_ms),
        job_queue as before
      where job_queue.job_id = any(${ids})
        and before.job_id = any(${ids})
        and job_queue.job_id = outcome.job_id
        and before.job_id = outcome.job_id
        and job_queue.lease_token = (${tokens}::uuid[])[outcome.token_place]
        and job_queue.attempt_count = outcome.attempt
      returning outcome.*, before.queue, before.due_at, before.started_at
    ),
    recorded as (
      insert into job_attempts (
        job_id, attempt_number, status, error_text, error_code, worker, queue, due_at, started_at, runtime_ms
      )
      select
        job_id, attempt, case kind when 'refund' then 'interrupted' else 'failed' end,
        error_text, error_code, ${workerName}, queue, due_at, started_at, runtime_ms
      from returned
      where kind <> 'release'
    )
    select case when count(*) < cardinality(${ids}) then coalesce(array_agg(job_id), '{}') end as kept
    from returned`.named('jobs_settle_returned');
  return droppedOf(ids, rows[0].kept);
}

/** What the fence is made of. Thousands of jobs are leased under few tokens, so each token travels once. */
function heldBy(outcomes: Outcome[]) {
  const places = new Map<string, number>();
  const tokenPlaces = outcomes.map(({ job }) => {
    const place = places.get(job.lease_token) ?? places.size + 1;
    places.set(job.lease_token, place);
    return place;
  });
  return {
    ids: outcomes.map(({ job }) => job.id),
    attempts: outcomes.map(({ job }) => job.attempt),
    tokens: [...places.keys()],
    tokenPlaces,
    runtimes: outcomes.map((outcome) => ('runtimeMs' in outcome ? outcome.runtimeMs : 0)),
  };
}

/** `kept` is null when all were. */
function droppedOf(ids: string[], kept: string[] | null): string[] {
  if (!kept) return [];
  const passed = new Set(kept);
  return ids.filter((id) => !passed.has(id));
}
