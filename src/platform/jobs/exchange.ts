import type { Database } from '../database/database.ts';

/** A job as a worker holds it. Token and attempt are its fence: whoever holds others can write nothing. */
export interface LeasedJob {
  id: string;
  job_type: string;
  payload: unknown;
  attempt: number;
  refunded_count: number;
  max_attempts: number;
  lease_token: string;
  created_by: string | null;
  request_id: string | null;
}

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

export interface ExchangeRequest {
  worker: { id: string; name: string };
  outcomes: Outcome[];
  queues: string[];
  /** How many jobs to claim. */
  want: number;
  /** The token of this claim. */
  token: string;
}

export interface ExchangeAnswer {
  claimed: LeasedJob[];
  /** The jobs whose outcome was dropped, because they were no longer leased under their token and attempt. */
  dropped: string[];
}

/**
 * Hands in what was done and takes what is next, in one round trip and one commit.
 *
 * The outcomes of jobs that ended remove them from the queue; the others' go back into it. Both are fenced by token and
 * attempt, and only what passed the fence is recorded as an attempt. The claim walks the index of each queue from its
 * highest priority, skipping what other claims hold at this moment.
 */
export async function exchange(sql: Database, request: ExchangeRequest): Promise<ExchangeAnswer> {
  const { outcomes } = request;
  const column = <T>(read: (outcome: Outcome) => T) => outcomes.map(read);
  const rows = await sql<ExchangeRow[]>`
    with outcome as (
      select *
      from unnest(
        ${column(({ job }) => job.id)}::uuid[],
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
      where job_queue.job_id = outcome.job_id
        and job_queue.lease_token = outcome.token
        and job_queue.attempt_count = outcome.attempt
        and outcome.kind in ('succeeded', 'failed')
      returning outcome.*, job_queue.started_at
    ),
    returned as (
      update job_queue
      set state = case when outcome.kind = 'retry' or job_queue.attempt_count > 1 then 'retry_wait' else 'queued' end,
          due_at = case outcome.kind
            when 'retry' then now() + outcome.delay_ms * interval '1 millisecond'
            else job_queue.due_at
          end,
          attempt_count = job_queue.attempt_count - case outcome.kind when 'release' then 1 else 0 end,
          refunded_count = job_queue.refunded_count + case outcome.kind when 'refund' then 1 else 0 end,
          lease_token = null,
          worker_id = null,
          started_at = null,
          updated_at = now()
      from outcome, job_queue as before
      where job_queue.job_id = outcome.job_id
        and before.job_id = outcome.job_id
        and job_queue.lease_token = outcome.token
        and job_queue.attempt_count = outcome.attempt
        and outcome.kind in ('retry', 'refund', 'release')
      returning outcome.*, before.started_at
    ),
    recorded as (
      insert into job_attempts (
        job_id, attempt_number, status, result, error_text, error_code, worker, started_at, runtime_ms
      )
      select
        job_id, attempt, case kind when 'succeeded' then kind when 'refund' then 'interrupted' else 'failed' end,
        result, error_text, error_code, ${request.worker.name}, started_at, runtime_ms
      from (select * from ended union all select * from returned) as ending
      where kind <> 'release'
    ),
    claimed as (
      update job_queue
      set state = 'running',
          attempt_count = attempt_count + 1,
          lease_token = ${request.token},
          worker_id = ${request.worker.id},
          started_at = now(),
          updated_at = now()
      where job_id = any(array(
        select candidate.job_id
        from unnest(${request.queues}::text[]) as queue (name)
        cross join generate_series(9, 0, -1) as priority (value)
        cross join lateral (
          select job_id
          from job_queue
          where queue = queue.name
            and priority = priority.value
            and due_at <= now()
            and lease_token is null
          order by due_at, job_id
          limit ${request.want}
          for update skip locked
        ) as candidate
        limit ${request.want}
      ))
      returning job_id, priority, due_at, attempt_count, refunded_count
    )
    select
      null as dropped, jobs.id, jobs.job_type, jobs.payload, claimed.attempt_count as attempt, claimed.refunded_count,
      jobs.max_attempts, jobs.created_by, jobs.request_id, claimed.priority, claimed.due_at
    from claimed
    join jobs on jobs.id = claimed.job_id
    union all
    select outcome.job_id, null, null, null, null, null, null, null, null, null, null
    from outcome
    where not exists (select from ended where ended.job_id = outcome.job_id)
      and not exists (select from returned where returned.job_id = outcome.job_id)
    order by priority desc, due_at, id`.named('jobs_exchange');
  return {
    claimed: rows
      .filter((row) => row.dropped === null)
      .map((row) => ({ ...row, lease_token: request.token })),
    dropped: rows.flatMap((row) => row.dropped ?? []),
  };
}

interface ExchangeRow extends Omit<LeasedJob, 'lease_token'> {
  dropped: string | null;
}

/** Milliseconds until the next job of these queues is due; null when none is waiting. */
export async function untilNextDue(sql: Database, queues: string[]): Promise<number | null> {
  const [row] = await sql<[{ wait_ms: number | null }]>`
    select extract(epoch from min(soonest.due_at) - now())::float8 * 1000 as wait_ms
    from unnest(${queues}::text[]) as queue (name)
    cross join generate_series(9, 0, -1) as priority (value)
    cross join lateral (
      select due_at
      from job_queue
      where queue = queue.name
        and priority = priority.value
        and due_at > now()
      order by due_at
      limit 1
    ) as soonest`.named('jobs_until_next_due');
  return row.wait_ms;
}
