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
import { jobStates } from './job-state.ts';

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

const UNFINISHED: JobStatus[] = ['queued', 'running', 'retry_wait'];

/** Newest first. What narrows the search is asked of the tables themselves, so that it can use their indexes. */
export async function listJobs(
  sql: Queryable,
  filter: JobFilter,
  before: string | null,
  limit: number,
): Promise<(JobSummary & { id: string })[]> {
  const { status } = filter;
  return sql<(JobSummary & { id: string })[]>`
    select
      job.id, job.id as job_id, job.job_type, job.status, job.queue, job.priority, job.execution_mode,
      job.attempt_count, job.max_attempts, job.created_by, job.created_at, job.updated_at
    from (${jobStates(sql)}) as job
    where true
      ${before === null ? sql`` : sql`and job.id < ${before}`}
      ${filter.types === undefined ? sql`` : sql`and job.job_type = any(${filter.types})`}
      ${filter.job_type === undefined ? sql`` : sql`and job.job_type = ${filter.job_type}`}
      ${filter.queue === undefined ? sql`` : sql`and job.queue = ${filter.queue}`}
      ${filter.created_by === undefined ? sql`` : sql`and job.created_by = ${filter.created_by}`}
      ${filter.created_after === undefined ? sql`` : sql`and job.created_at >= ${filter.created_after}`}
      ${filter.created_before === undefined ? sql`` : sql`and job.created_at < ${filter.created_before}`}
      ${status === undefined ? sql`` : sql`and job.status = ${status}`}
      ${status !== undefined && UNFINISHED.includes(status) ? sql`and job.id in (select job_id from job_queue)` : sql``}
      ${status === 'failed' ? sql`and job.id in (select job_id from job_attempts where status <> 'succeeded')` : sql``}
    order by job.id desc
    limit ${limit}`;
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
    from job_queue
    group by queue
    order by queue`;
}
