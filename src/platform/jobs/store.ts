import type {
  Job,
  JobArtifact,
  JobAttempt,
  JobStatus,
  JobSummary,
  QueueStats,
  Worker,
} from '../../contract/jobs.ts';
import type { Queryable } from '../database/database.ts';
import type { Statement } from '../database/statement.ts';
import { firstIdAt } from '../ids.ts';
import { jobStates, queueState } from './job-state.ts';

export interface JobFilter {
  status?: JobStatus | undefined;
  job_type?: string | undefined;
  queue?: string | undefined;
  created_by?: string | undefined;
  created_after?: Date | undefined;
  created_before?: Date | undefined;
  /** Only these types; undefined shows all. */
  types?: string[] | undefined;
}

/**
 * Newest first. The page's ids are found first, from whichever table knows the status with the least to read, and only
 * they are looked at closely. With a million finished jobs and 100,000 waiting ones, a page by status takes some ten
 * milliseconds; when the status was derived for every job on the way, it took up to five seconds.
 */
export async function listJobs(
  sql: Queryable,
  filter: JobFilter,
  before: string | null,
  limit: number,
): Promise<(JobSummary & { id: string })[]> {
  const { created_after, created_before } = filter;
  return sql<(JobSummary & { id: string })[]>`
    with page as materialized (
      select jobs.id
      from ${withStatus(sql, filter.status)}
        ${before === null ? sql`` : sql`and jobs.id < ${before}`}
        ${filter.types === undefined ? sql`` : sql`and jobs.job_type = any(${filter.types})`}
        ${filter.job_type === undefined ? sql`` : sql`and jobs.job_type = ${filter.job_type}`}
        ${filter.queue === undefined ? sql`` : sql`and jobs.queue = ${filter.queue}`}
        ${filter.created_by === undefined ? sql`` : sql`and jobs.created_by = ${filter.created_by}`}
        ${created_after ? sql`and jobs.created_at >= ${created_after} and jobs.id >= ${idNear(created_after, -1)}` : sql``}
        ${created_before ? sql`and jobs.created_at < ${created_before} and jobs.id < ${idNear(created_before, 1)}` : sql``}
      order by jobs.id desc
      limit ${limit}
    )
    select
      job.id, job.id as job_id, job.job_type, job.status, job.queue, job.priority, job.execution_mode,
      job.attempt_count, job.max_attempts, job.created_by, job.created_at, job.updated_at
    from page
    join (${jobStates(sql)}) as job on job.id = page.id
    order by job.id desc`;
}

/** The jobs in a state, ready for more conditions. What each case relies on is said in `job-state.ts`. */
function withStatus(sql: Queryable, status: JobStatus | undefined): Statement<never[]> {
  switch (status) {
    case undefined:
      return sql`jobs where true`;
    case 'cancelled':
      return sql`jobs where jobs.cancelled_at is not null`;
    case 'succeeded':
      return sql`
        job_attempts
        join jobs on jobs.id = job_attempts.job_id
        where job_attempts.status = 'succeeded'`;
    case 'failed':
      return sql`
        job_attempts as last_attempt
        join jobs on jobs.id = last_attempt.job_id
        where last_attempt.status <> 'succeeded'
          and jobs.cancelled_at is null
          and not exists (select from job_queue where job_queue.job_id = jobs.id)
          and not exists (
            select from job_attempts as later
            where later.job_id = jobs.id and later.attempt_number > last_attempt.attempt_number
          )`;
    default:
      return sql`job_queue join jobs on jobs.id = job_queue.job_id where ${queueState(sql)} = ${status}`;
  }
}

/** Ids carry the time of the machine that made them; a day covers any difference to the database's clock. */
function idNear(time: Date, days: number): string {
  return firstIdAt(new Date(Math.max(0, time.getTime() + days * 24 * 60 * 60 * 1000)));
}

type JobRow = Omit<Job, 'attempts' | 'artifacts'> & { started_at: Date | null };

export async function findJob(sql: Queryable, jobId: string): Promise<Job | undefined> {
  const [row] = await sql<
    JobRow[]
  >`select job.*, job.id as job_id from (${jobStates(sql)}) as job where job.id = ${jobId}`;
  if (!row) return undefined;
  const attempts = await sql<JobAttempt[]>`
    select attempt_number::int, status, error_text, error_code, worker, runtime_ms, started_at, finished_at
    from job_attempts
    where job_id = ${jobId}
    order by attempt_number`;
  const artifacts = await sql<JobArtifact[]>`
    select artifact_type, artifact_ref, artifact_payload, created_at
    from job_artifacts
    where job_id = ${jobId}
    order by id`;
  return { ...row, attempts: [...attempts, ...attemptUnderWay(row)], artifacts: [...artifacts] };
}

/** Until it ends, an attempt is the queue's row and nothing else. */
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
      started_at: row.started_at,
      finished_at: null,
    },
  ];
}

/** Without the entries under which jobs run inline, which serve no queue. */
export async function listWorkers(sql: Queryable): Promise<Worker[]> {
  return sql<Worker[]>`
    select id, name, queues, concurrency, running_count, started_at, heartbeat_at, lease_expires_at
    from job_workers
    where queues <> '{}'
    order by started_at, id`;
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
