import type { z } from 'zod';
import type {
  Job,
  JobArtifact,
  JobAttempt,
  JobProgress,
  JobStatus,
  JobSummary,
  jobQuery,
  QueueStats,
  Worker,
} from '../../../contract/jobs.ts';
import type { Queryable } from '../../database/database.ts';
import type { SqlFragment } from '../../database/statement.ts';
import { firstIdAt } from '../../ids.ts';
import { jobStates, queueState } from '../job-state.ts';
import { troubledJobs } from './failure-store.ts';

export interface JobFilter extends Omit<z.output<typeof jobQuery>, 'limit' | 'cursor' | 'status'> {
  status?: JobStatus | 'not_over' | undefined;
  /** The user whose errors may be searched by their words; undefined: everybody’s. */
  wordsOf?: string | undefined;
  /** Only these types; undefined shows all. */
  types?: string[] | undefined;
}

/** How much of an error's text a list shows. */
const LISTED_ERROR_TEXT = 300;

/**
 * Lists jobs, newest first. The page's ids are found first, from whichever table knows the status with the least to read, and only
 * they are looked at closely. With a million finished jobs and 100,000 waiting ones, a page by status takes some ten
 * milliseconds; when the status was derived for every job on the way, it took up to five seconds.
 */
export async function listJobs(sql: Queryable, filter: JobFilter, before: string | null, limit: number) {
  return sql<(JobSummary & { id: string })[]>`
    with page as materialized (${matching(sql, filter, before, limit)})
    select
      job.id, job.id as job_id, job.job_type, job.status, job.queue, job.priority, job.execution_mode,
      job.attempt_count, job.max_attempts, left(job.error_text, ${LISTED_ERROR_TEXT}) as error_text, job.error_code,
      job.created_by, job.created_by_user_id, job.created_at, job.updated_at
    from page
    join (${jobStates(sql)}) as job on job.id = page.id
    order by job.id desc`;
}

/** Like `listJobs`, their ids alone. */
export async function listJobIds(sql: Queryable, filter: JobFilter, before: string | null, limit: number) {
  const rows = await sql<{ id: string }[]>`${matching(sql, filter, before, limit)}`;
  return rows.map(({ id }) => id);
}

function matching(sql: Queryable, filter: JobFilter, before: string | null, limit: number) {
  const { created_after, created_before } = filter;
  return sql`
    select jobs.id
    from ${candidates(sql, filter)}
      ${before === null ? sql`` : sql`and jobs.id < ${before}`}
      ${filter.types === undefined ? sql`` : sql`and jobs.job_type = any(${filter.types})`}
      ${filter.job_type === undefined ? sql`` : sql`and jobs.job_type = ${filter.job_type}`}
      ${filter.queue === undefined ? sql`` : sql`and jobs.queue = ${filter.queue}`}
      ${filter.created_by === undefined ? sql`` : sql`and jobs.created_by = ${filter.created_by}`}
      ${created_after ? sql`and jobs.created_at >= ${created_after} and jobs.id >= ${idNear(created_after, -1)}` : sql``}
      ${created_before ? sql`and jobs.created_at < ${created_before} and jobs.id < ${idNear(created_before, 1)}` : sql``}
    order by jobs.id desc
    limit ${limit}`;
}

function candidates(sql: Queryable, filter: JobFilter): SqlFragment {
  const { status, error, error_code, failure_id, wordsOf } = filter;
  const isByWords = error !== undefined || failure_id !== undefined;
  if (!isByWords && error_code === undefined) return withStatus(sql, status);
  return sql`
    ${troubledJobs(sql)}
      ${hasStatus(sql, status)}
      ${error === undefined ? sql`` : sql`and position(lower(${error}) in lower(last_attempt.error_text)) > 0`}
      ${isByWords && wordsOf !== undefined ? sql`and jobs.created_by_user_id = ${wordsOf}` : sql``}
      ${error_code === undefined ? sql`` : sql`and last_attempt.error_code = ${error_code}`}
      ${failure_id === undefined ? sql`` : sql`and last_attempt.failure_id = ${failure_id}`}`;
}

/** A condition on the status of jobs whose last attempt did not succeed. */
function hasStatus(sql: Queryable, status: JobFilter['status']): SqlFragment {
  const isQueued = sql`select from job_queue where job_queue.job_id = jobs.id`;
  const conditions: { [status: string]: SqlFragment } = {
    succeeded: sql`and false`,
    cancelled: sql`and jobs.cancelled_at is not null`,
    failed: sql`and jobs.cancelled_at is null and not exists (${isQueued})`,
    not_over: sql`and exists (${isQueued})`,
  };
  if (status === undefined) return sql``;
  return conditions[status] ?? sql`and exists (${isQueued} and ${queueState(sql)} = ${status})`;
}

/** The jobs in a state, ready for more conditions. Each one relies on a rule in `job-state.ts`. */
function withStatus(sql: Queryable, status: JobFilter['status']): SqlFragment {
  const queued = sql`job_queue join jobs on jobs.id = job_queue.job_id`;
  const jobs: { [status: string]: SqlFragment } = {
    cancelled: sql`jobs where jobs.cancelled_at is not null`,
    succeeded: sql`
      job_attempts
      join jobs on jobs.id = job_attempts.job_id
      where job_attempts.status = 'succeeded'`,
    failed: sql`${troubledJobs(sql)} ${hasStatus(sql, 'failed')}`,
    not_over: sql`${queued} where true`,
  };
  if (status === undefined) return sql`jobs where true`;
  return jobs[status] ?? sql`${queued} where ${queueState(sql)} = ${status}`;
}

/** Returns an id near a time. Ids carry the time of their machine; a day covers its difference to the database's. */
function idNear(time: Date, days: number): string {
  return firstIdAt(new Date(Math.max(0, time.getTime() + days * 24 * 60 * 60 * 1000)));
}

type JobRow = Omit<Job, 'attempts' | 'artifacts'> & { started_at: Date | null };

export async function findJob(sql: Queryable, jobId: string): Promise<Job | undefined> {
  const [row] = await sql<JobRow[]>`
    select job.*, job.id as job_id from (${jobStates(sql)}) as job where job.id = ${jobId}`;
  if (!row) return undefined;
  const attempts = await sql<JobAttempt[]>`
    select attempt_number::int, status, error_text, error_code, worker, runtime_ms, due_at, started_at, finished_at
    from job_attempts
    where job_id = ${jobId}
    order by attempt_number`;
  // It ended between the two statements: what the first one saw is old.
  if (row.status === 'running' && attempts.at(-1)?.attempt_number === row.attempt_count)
    return findJob(sql, jobId);
  const artifacts = await sql<JobArtifact[]>`
    select artifact_type, artifact_ref, artifact_payload, created_at
    from job_artifacts
    where job_id = ${jobId}
    order by id`;
  return { ...row, attempts: [...attempts, ...attemptUnderWay(row)], artifacts: [...artifacts] };
}

/** Returns the fields of a job that change while it runs. */
export async function findProgress(sql: Queryable, jobId: string): Promise<JobProgress | undefined> {
  const [row] = await sql<JobProgress[]>`
    select job.id as job_id, job_type, status, progress, error_text, error_code, created_by, created_by_user_id
    from (${jobStates(sql)}) as job
    where job.id = ${jobId}`;
  return row;
}

/** The attempt that runs now. Until it ends, it is only a row of the queue. */
function attemptUnderWay(row: JobRow): JobAttempt[] {
  if (row.status !== 'running' || row.started_at === null) return [];
  return [
    {
      attempt_number: row.attempt_count,
      status: 'running',
      error_text: null,
      error_code: null,
      worker: row.lease_owner,
      runtime_ms: null,
      due_at: row.next_run_at,
      started_at: row.started_at,
      finished_at: null,
    },
  ];
}

/** Lists workers, without the entries under which jobs run inline, which serve no queue. */
export async function listWorkers(sql: Queryable): Promise<Worker[]> {
  return sql<Worker[]>`
    select id, name, queues, concurrency, running_count, started_at, heartbeat_at, lease_expires_at
    from workers
    where queues <> '{}'
    order by started_at, id`;
}

/** Counts the workers that serve queues and are alive. */
export async function countWorkers(sql: Queryable): Promise<number> {
  const [{ count }] = await sql<[{ count: number }]>`
    select count(*) as count from workers where queues <> '{}' and lease_expires_at > now()`;
  return count;
}

export async function countByQueue(sql: Queryable): Promise<QueueStats[]> {
  return sql<QueueStats[]>`
    select
      queue,
      count(*) filter (where state = 'queued') as queued,
      count(*) filter (where state = 'running') as running,
      count(*) filter (where state = 'retry_wait') as retry_wait,
      coalesce(greatest(0, extract(epoch from now() - min(due_at) filter (where state <> 'running'))), 0)::float8
        as oldest_due_seconds
    from (select queue, due_at, ${queueState(sql)} as state from job_queue) as job_queue
    group by queue
    order by queue`;
}
