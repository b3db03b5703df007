import { NexusError } from '../../contract/errors.ts';
import type { JobStatus } from '../../contract/jobs.ts';
import { type Actor, recordAudit } from '../audit/audit.ts';
import type { Database, Transaction } from '../database/database.ts';
import { transaction } from '../database/transaction.ts';
import type { Endings } from './endings.ts';
import { jobStates, queueState } from './job-state.ts';
import type { JobTypes } from './job-type.ts';
import type { WakeUp } from './wake-up.ts';

export interface Control {
  /** A job that is over stays as it is; a running one is told to stop, wherever it runs. */
  cancel(jobId: string, actor: Actor): Promise<void>;
  /** Queues a failed or cancelled job again, with all its attempts before it. */
  requeue(jobId: string, actor: Actor): Promise<void>;
  /** The same for many, in one transaction. Those that are in no state for it stay as they are. */
  cancelMany(jobIds: string[], actor: Actor): Promise<Touched>;
  requeueMany(jobIds: string[], actor: Actor): Promise<Touched>;
}

/** How many jobs were changed, were in no state for it, or do not exist. */
export interface Touched {
  changed: number;
  unchanged: number;
  not_found: number;
}

export function createControl(
  sql: Database,
  wakeUp: WakeUp,
  endings?: Endings,
  types: JobTypes = new Map(),
): Control {
  return {
    cancel: (jobId, actor) =>
      transaction(sql, async (tx) => {
        const [job] = await lockJobs(tx, [jobId]);
        if (!job) throw unknownJob(jobId);
        await cancelJobs(tx, [job], actor);
      }),

    requeue: (jobId, actor) =>
      transaction(sql, async (tx) => {
        const [job] = await lockJobs(tx, [jobId]);
        if (!job) throw unknownJob(jobId);
        const refused = new Map<string, string>();
        if ((await requeueJobs(tx, [job], actor, refused)) === 1) return;
        const reason = refused.get(jobId);
        if (reason !== undefined) throw new NexusError('E_INVALID_STATE', reason);
        const [found] = await tx<{ status: JobStatus }[]>`
          select status from (${jobStates(tx)}) as job where id = ${jobId}`;
        throw new NexusError(
          'E_INVALID_STATE',
          `The job is ${found?.status}; only a failed or cancelled one can be queued again.`,
        );
      }),

    cancelMany: (jobIds, actor) => touch(jobIds, (tx, jobs) => cancelJobs(tx, jobs, actor)),
    requeueMany: (jobIds, actor) => touch(jobIds, (tx, jobs) => requeueJobs(tx, jobs, actor)),
  };

  function touch(
    jobIds: string[],
    change: (tx: Transaction, jobs: LockedJob[]) => Promise<number>,
  ): Promise<Touched> {
    return transaction(sql, async (tx) => {
      const wanted = [...new Set(jobIds)];
      const jobs = await lockJobs(tx, wanted);
      const changed = jobs.length === 0 ? 0 : await change(tx, jobs);
      return { changed, unchanged: jobs.length - changed, not_found: wanted.length - jobs.length };
    });
  }

  async function cancelJobs(tx: Transaction, jobs: LockedJob[], actor: Actor): Promise<number> {
    const waiting = await lockQueued(tx, jobs.map(idOf));
    if (waiting.size === 0) return 0;
    const cancelled = jobs.filter(({ id }) => waiting.has(id));
    const ids = cancelled.map(idOf);
    const running = ids.filter((id) => waiting.get(id)?.state === 'running');
    await recordCancelledAttempts(tx, running);
    await tx`delete from job_queue where job_id = any(${ids})`;
    await tx`update jobs set cancelled_at = now() where id = any(${ids})`;
    await recordAudit(
      tx,
      ...cancelled.map((job) => deed('job.cancelled', actor, job, waiting.get(job.id)?.state)),
    );
    const told = cancelled.filter(({ job_type }) => endings?.concern(job_type));
    if (told.length > 0) {
      await endings?.tell(
        tx,
        told.map(({ id, ...job }) => ({
          ...job,
          job_id: id,
          attempt_count: waiting.get(id)?.attempt_count ?? 0,
          status: 'cancelled',
          error_code: null,
        })),
      );
    }
    for (const id of running) wakeUp.cancelled(tx, id);
    return cancelled.length;
  }

  /** Collects, by job, why a job was refused that is in a state to be queued again. */
  async function requeueJobs(
    tx: Transaction,
    locked: LockedJob[],
    actor: Actor,
    refused = new Map<string, string>(),
  ): Promise<number> {
    await prepareRequeues(tx, locked, refused);
    const jobs = locked.filter(({ id }) => !refused.has(id));
    // All attempts so far are refunded: the job has max_attempts before it again.
    const requeued = await tx<{ id: string; was: JobStatus }[]>`
      with over as materialized (
        select id, queue, priority, attempt_count, status
        from (${jobStates(tx)}) as job
        where id = any(${jobs.map(idOf)}) and status in ('failed', 'cancelled')
      ),
      queued as (
        insert into job_queue (job_id, queue, priority, due_at, attempt_count, refunded_count)
        select id, queue, priority, now(), attempt_count, attempt_count from over
      ),
      reopened as (
        update jobs set cancelled_at = null from over where jobs.id = over.id and over.status = 'cancelled'
      )
      select id, status as was from over`;
    if (requeued.length === 0) return 0;
    const was = new Map(requeued.map((job) => [job.id, job.was]));
    const changed = jobs.filter(({ id }) => was.has(id));
    await recordAudit(tx, ...changed.map((job) => deed('job.requeued', actor, job, was.get(job.id))));
    wakeUp.work(
      tx,
      changed.map(({ queue }) => queue),
    );
    return changed.length;
  }

  async function prepareRequeues(
    tx: Transaction,
    jobs: LockedJob[],
    refused: Map<string, string>,
  ): Promise<void> {
    const prepared = jobs.filter(({ job_type }) => types.get(job_type)?.prepareRequeue);
    if (prepared.length === 0) return;
    const over = await tx<{ id: string; job_type: string; payload: unknown }[]>`
      select job.id, jobs.job_type, jobs.payload
      from (${jobStates(tx)}) as job
      join jobs on jobs.id = job.id
      where job.id = any(${prepared.map(idOf)}) and job.status in ('failed', 'cancelled')
      order by job.id`;
    for (const { id, job_type, payload } of over) {
      const type = types.get(job_type);
      const parsed = type?.payload.safeParse(payload);
      // A payload that does not fit is told by the attempt that reads it.
      const reason = parsed?.success ? await type?.prepareRequeue?.(tx, parsed.data, id) : undefined;
      if (reason !== undefined) refused.set(id, reason);
    }
  }
}

interface LockedJob {
  id: string;
  job_type: string;
  queue: string;
  created_by: string | null;
  created_by_user_id: string | null;
  request_id: string | null;
}

const idOf = ({ id }: { id: string }) => id;

function unknownJob(jobId: string): NexusError {
  return new NexusError('E_NOT_FOUND', `There is no job ${jobId}.`);
}

function deed(action: string, actor: Actor, job: LockedJob, was: JobStatus | undefined) {
  return { action, actor, details: { job_id: job.id, job_type: job.job_type, was: was ?? null } };
}

/**
 * Locks the jobs' own rows first, in the order of their ids, so that two operators who press a button at once act one
 * after the other and never wait for each other in a circle.
 */
async function lockJobs(tx: Transaction, ids: string[]): Promise<LockedJob[]> {
  return tx<LockedJob[]>`
    select id, job_type, queue, created_by, created_by_user_id, request_id
    from jobs
    where id = any(${ids})
    order by id
    for update`;
}

/** Those that are not over. A worker that ends one at this moment is waited for, and then it is over. */
async function lockQueued(
  tx: Transaction,
  ids: string[],
): Promise<Map<string, { state: JobStatus; attempt_count: number }>> {
  const rows = await tx<{ job_id: string; state: JobStatus; attempt_count: number }[]>`
    select job_id, ${queueState(tx)} as state, attempt_count::int
    from job_queue
    where job_id = any(${ids})
    order by job_id
    for update`;
  return new Map(rows.map(({ job_id, ...row }) => [job_id, row]));
}

async function recordCancelledAttempts(tx: Transaction, ids: string[]): Promise<void> {
  await tx`
    insert into job_attempts (
      job_id, attempt_number, status, error_text, error_code, worker, queue, due_at, started_at, runtime_ms
    )
    select
      job_id, attempt_count, 'interrupted', 'The job was cancelled during this attempt.', 'E_CANCELLED',
      coalesce(job_workers.name, 'unknown'), job_queue.queue, job_queue.due_at, job_queue.started_at,
      extract(epoch from now() - job_queue.started_at) * 1000
    from job_queue
    left join job_workers on job_workers.id = job_queue.worker_id
    where job_id = any(${ids})`;
}
