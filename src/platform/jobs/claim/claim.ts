import type { JobStatus } from '../../../contract/jobs.ts';
import type { Database, Queryable, Transaction } from '../../database/database.ts';
import type { SqlFragment } from '../../database/statement.ts';
import type { NextDue, ClaimRequest as WorkRequest } from '../../work/loop.ts';
import { queueState } from '../job-state.ts';

/** A job as a worker holds it. Only with its token and attempt can anything be written. */
export interface LeasedJob {
  id: string;
  job_type: string;
  payload: unknown;
  attempt: number;
  refunded_count: number;
  interrupted_count: number;
  max_attempts: number;
  execution_mode: 'async' | 'sync' | 'shadow';
  lease_token: string;
  created_by: string | null;
  created_by_user_id: string | null;
  request_id: string | null;
  /** The span that caused the job; while an attempt runs here, the span of the attempt. */
  traceparent: string | null;
  /** The time between being due and being claimed. */
  waited_ms: number;
}

interface ClaimRequest extends Pick<WorkRequest, 'workerId' | 'token' | 'want'> {
  queues: string[];
}

/**
 * Leases jobs that are due: in each queue the highest priority first, and in it the one that has been due for longest.
 * Jobs that other claims are taking are skipped. A worker that was taken for dead gets nothing, because nobody would
 * notice if it died with them.
 *
 * The commit does not wait for the disk. If the server loses power at that moment, the jobs are unclaimed again, and no
 * work under the lost lease can have been written: its completion would have flushed the claim before.
 */
export async function claim(sql: Database, { workerId, queues, want, token }: ClaimRequest) {
  const jobs = await sql<LeasedJob[]>`
    with claimed as (
      update job_queue
      set attempt_count = attempt_count + 1,
          lease_token = ${token},
          worker_id = ${workerId},
          started_at = now()
      where ctid = any(array(
        select candidate.ctid
        from (select from workers where id = ${workerId} for key share) as alive
        cross join unnest(${queues}::text[]) as queue (name)
        cross join generate_series(9, 0, -1) as priority (value)
        cross join lateral (
          select ctid
          from job_queue
          where queue = queue.name
            and priority = priority.value
            and due_at <= now()
            and lease_token is null
          order by due_at, job_id
          limit ${want}
          for update skip locked
        ) as candidate
        limit ${want}
      ))
      returning job_id, priority, due_at, attempt_count, refunded_count, interrupted_count
    )
    select
      jobs.id, jobs.job_type, jobs.payload, claimed.attempt_count as attempt, claimed.refunded_count,
      claimed.interrupted_count, jobs.max_attempts, jobs.execution_mode, null::uuid as lease_token, jobs.created_by,
      jobs.created_by_user_id, jobs.request_id, jobs.traceparent,
      date_part('epoch', now() - claimed.due_at) * 1000 as waited_ms
    from claimed
    join jobs on jobs.id = claimed.job_id
    cross join (select set_config('synchronous_commit', 'off', true)) as durability
    -- Repeats the join, so that neighbours in the index are read in one pass: 50 pages for 1,500 jobs instead of 6,000.
    where jobs.id = any(array(select job_id from claimed))
    order by claimed.priority desc, claimed.due_at, claimed.job_id`;
  // The token is the same for all, so it need not come back with every row. Its column is there, because adding a property
  // copies the object: 1 µs per job.
  for (const job of jobs) job.lease_token = token;
  return jobs;
}

/** Releases all jobs that were leased under this token, as if they had not been claimed. Returns how many there were. */
export async function releaseClaim(sql: Database, token: string): Promise<number> {
  const released = await sql`
    update job_queue
    set attempt_count = attempt_count - 1,
        lease_token = null,
        worker_id = null,
        started_at = null
    where lease_token = ${token}`;
  return released.count;
}

/** The fields of a leased job, from `jobs` and `job_queue`. */
const leasedFields = (sql: Queryable) => sql`
  jobs.id, jobs.job_type, jobs.payload, job_queue.attempt_count::int as attempt, job_queue.refunded_count,
  job_queue.interrupted_count, jobs.max_attempts, jobs.execution_mode, job_queue.lease_token, jobs.created_by,
  jobs.created_by_user_id, jobs.request_id, jobs.traceparent, 0::float8 as waited_ms`;

/** Leases the job that this transaction has just enqueued, before anybody else can see it. */
export async function claimById(tx: Transaction, jobId: string, workerId: string, token: string) {
  const [job] = await tx<LeasedJob[]>`
    with alive as (
      select id from workers where id = ${workerId} for key share
    ),
    claimed as (
      update job_queue
      set attempt_count = attempt_count + 1,
          lease_token = ${token},
          worker_id = alive.id,
          started_at = now()
      from alive
      where job_id = ${jobId}
      returning job_queue.*
    )
    select ${leasedFields(tx)}
    from claimed as job_queue
    join jobs on jobs.id = job_queue.job_id`;
  return job;
}

/** A job that is not over, and the worker that runs it. */
export type QueuedJob = LeasedJob & { state: JobStatus; worker: string | null; runtime_ms: number };

/** Locks jobs that are not over. One that ends at this moment is waited for, and then it is over. */
export async function lockQueued(tx: Transaction, condition: SqlFragment): Promise<QueuedJob[]> {
  return tx<QueuedJob[]>`
    select
      ${leasedFields(tx)}, ${queueState(tx)} as state, workers.name as worker,
      coalesce(round(extract(epoch from now() - job_queue.started_at) * 1000), 0)::int as runtime_ms
    from job_queue
    join jobs on jobs.id = job_queue.job_id
    left join workers on workers.id = job_queue.worker_id
    where ${condition}
    order by job_queue.job_id
    for update of job_queue`;
}

/** Finds the next unclaimed job of these queues that is due later than `since`. */
export async function findNextDue(sql: Database, queues: string[], since: Date | null): Promise<NextDue> {
  const [row] = await sql<[NextDue]>`
    select
      now() as asked_at,
      extract(epoch from min(soonest.due_at) - now())::float8 * 1000 as wait_ms
    from unnest(${queues}::text[]) as queue (name)
    cross join generate_series(9, 0, -1) as priority (value)
    cross join lateral (
      select due_at
      from job_queue
      where queue = queue.name
        and priority = priority.value
        and due_at > coalesce(${since}::timestamptz, '-infinity')
        and lease_token is null
      order by due_at
      limit 1
    ) as soonest`;
  return row;
}
