import { NexusError } from '../../../contract/errors.ts';
import type { JobStatus } from '../../../contract/jobs.ts';
import { type Actor, recordAudit } from '../../audit/audit.ts';
import type { Database, Transaction } from '../../database/database.ts';
import { transaction } from '../../database/transaction.ts';
import type { LeasedJob } from '../claim/claim.ts';
import { jobStates, queueState } from '../job-state.ts';
import type { JobTypes } from '../job-type.ts';
import { createEndings, type Endings, endedJob } from '../settle/endings.ts';
import type { Outcome } from '../settle/outcome.ts';
import { settle } from '../settle/settle.ts';
import { JOBS_CANCELLED, JOBS_QUEUED } from '../topics.ts';

export interface Control {
  /** Cancels a job; one that runs is told to stop, wherever it runs. A job that is over stays as it is. */
  cancel(jobId: string, actor: Actor): Promise<void>;
  /** Queues a failed or cancelled job again, with all attempts left. */
  requeue(jobId: string, actor: Actor): Promise<void>;
  /** Cancels or requeues many jobs in one transaction. Those that are in no state for it stay as they are. */
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
  types: JobTypes = new Map(),
  endings: Endings = createEndings(types),
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
    const running = [...waiting.values()].filter(({ state }) => state === 'running');
    for (const job of running) await settle(tx, job.worker ?? 'unknown', [cancelledAttempt(job)]);
    await tx`delete from job_queue where job_id = any(${ids})`;
    await tx`update jobs set cancelled_at = now() where id = any(${ids})`;
    await recordAudit(
      tx,
      ...cancelled.map((job) => entry('job.cancelled', actor, job, waiting.get(job.id)?.state)),
    );
    const told = [...waiting.values()].filter(({ job_type }) => endings.concern(job_type));
    if (told.length > 0)
      await endings.tell(
        tx,
        told.map((job) => endedJob(job, { status: 'cancelled' })),
      );
    if (running.length > 0) tx.notifyAfterCommit(JOBS_CANCELLED, running.map(idOf));
    return cancelled.length;
  }

  /** Queues jobs again. Of those that their type refuses, `refused` gets the reason by job id. */
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
    await recordAudit(tx, ...changed.map((job) => entry('job.requeued', actor, job, was.get(job.id))));
    tx.notifyAfterCommit(
      JOBS_QUEUED,
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
}

const idOf = ({ id }: { id: string }) => id;

function unknownJob(jobId: string): NexusError {
  return new NexusError('E_NOT_FOUND', `There is no job ${jobId}.`);
}

function entry(action: string, actor: Actor, job: LockedJob, was: JobStatus | undefined) {
  return { action, actor, details: { job_id: job.id, job_type: job.job_type, was: was ?? null } };
}

/**
 * Locks the jobs' own rows first, in the order of their ids, so that two operators who press a button at once act one
 * after the other and never wait for each other in a circle.
 */
async function lockJobs(tx: Transaction, ids: string[]): Promise<LockedJob[]> {
  return tx<LockedJob[]>`
    select id, job_type, queue
    from jobs
    where id = any(${ids})
    order by id
    for update`;
}

type QueuedJob = LeasedJob & { state: JobStatus; worker: string | null; runtime_ms: number };

/** Locks the jobs that are not over. One that ends at this moment is waited for, and then it is over. */
async function lockQueued(tx: Transaction, ids: string[]): Promise<Map<string, QueuedJob>> {
  const rows = await tx<QueuedJob[]>`
    select
      jobs.id, jobs.job_type, jobs.payload, job_queue.attempt_count::int as attempt, job_queue.refunded_count,
      job_queue.interrupted_count, jobs.max_attempts, jobs.execution_mode, job_queue.lease_token, jobs.created_by,
      jobs.created_by_user_id, jobs.request_id, 0 as waited_ms,
      ${queueState(tx)} as state, workers.name as worker,
      coalesce(round(extract(epoch from now() - job_queue.started_at) * 1000), 0)::int as runtime_ms
    from job_queue
    join jobs on jobs.id = job_queue.job_id
    left join workers on workers.id = job_queue.worker_id
    where job_queue.job_id = any(${ids})
    order by job_queue.job_id
    for update of job_queue`;
  return new Map(rows.map((row) => [row.id, row]));
}

function cancelledAttempt({ runtime_ms, ...job }: QueuedJob): Outcome {
  const errorText = 'The job was cancelled during this attempt.';
  return { kind: 'cancelled', job, runtimeMs: runtime_ms, errorText, errorCode: 'E_CANCELLED' };
}
