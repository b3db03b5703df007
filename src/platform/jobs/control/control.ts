import { NexusError } from '../../../contract/errors.ts';
import type { JobStatus } from '../../../contract/jobs.ts';
import { type Actor, recordAudit } from '../../audit/audit.ts';
import type { Database, Transaction } from '../../database/database.ts';
import { type Claimant, transaction } from '../../database/transaction.ts';
import { lockQueued, type QueuedJob } from '../claim/claim.ts';
import { jobStates } from '../job-state.ts';
import type { JobTypes } from '../job-type.ts';
import { JOBS_CANCELLED } from '../run/job-loop.ts';
import { createEndings, endedJob, type Outcome } from '../settle/endings.ts';
import { settle } from '../settle/settle.ts';
import { JOBS_QUEUED } from '../submit/enqueue.ts';

/** How many jobs were changed, were in no state for it, or do not exist. */
export interface Touched {
  changed: number;
  unchanged: number;
  not_found: number;
}

export type Control = ReturnType<typeof createControl>;

export function createControl(sql: Database, types: JobTypes = new Map(), endings = createEndings(types)) {
  return {
    /** Cancels a job; one that runs is told to stop, wherever it runs. A job that is over stays as it is. */
    async cancel(jobId: string, actor: Actor): Promise<void> {
      await touchOne(jobId, actor, (tx, jobs) => cancelJobs(tx, jobs, actor));
    },

    /** Queues a failed or cancelled job again, with all attempts left. */
    async requeue(jobId: string, actor: Actor): Promise<void> {
      await touchOne(jobId, actor, async (tx, jobs) => {
        const refused = new Map<string, string>();
        const changed = await requeueJobs(tx, jobs, actor, refused);
        if (changed === 0)
          throw new NexusError('E_INVALID_STATE', refused.get(jobId) ?? (await notOver(tx, jobId)));
        return changed;
      });
    },

    /** Cancels or requeues many jobs in one transaction. Those that are in no state for it stay as they are. */
    cancelMany: (jobIds: string[], actor: Actor) =>
      touch(jobIds, actor, (tx, jobs) => cancelJobs(tx, jobs, actor)),
    requeueMany: (jobIds: string[], actor: Actor) =>
      touch(jobIds, actor, (tx, jobs) => requeueJobs(tx, jobs, actor)),
  };

  function touchOne(
    jobId: string,
    claimant: Claimant,
    change: (tx: Transaction, jobs: LockedJob[]) => Promise<number>,
  ): Promise<number> {
    const touchIt = async (tx: Transaction) => {
      const jobs = await lockJobs(tx, [jobId]);
      if (jobs.length === 0) throw new NexusError('E_NOT_FOUND', `The job ${jobId} does not exist.`);
      return change(tx, jobs);
    };
    return transaction(sql, touchIt, claimant);
  }

  function touch(
    jobIds: string[],
    claimant: Claimant,
    change: (tx: Transaction, jobs: LockedJob[]) => Promise<number>,
  ): Promise<Touched> {
    const touchAll = async (tx: Transaction) => {
      const wanted = [...new Set(jobIds)];
      const jobs = await lockJobs(tx, wanted);
      const changed = jobs.length === 0 ? 0 : await change(tx, jobs);
      return { changed, unchanged: jobs.length - changed, not_found: wanted.length - jobs.length };
    };
    return transaction(sql, touchAll, claimant);
  }

  async function cancelJobs(tx: Transaction, jobs: LockedJob[], actor: Actor): Promise<number> {
    const waiting = await lockQueued(tx, tx`job_queue.job_id = any(${jobs.map(idOf)})`);
    if (waiting.length === 0) return 0;
    const ids = waiting.map(idOf);
    const running = waiting.filter(({ state }) => state === 'running');
    for (const job of running) await settle(tx, job.worker ?? 'unknown', [cancelledAttempt(job)]);
    await tx`delete from job_queue where job_id = any(${ids})`;
    await tx`update jobs set cancelled_at = now() where id = any(${ids})`;
    await recordAudit(tx, ...waiting.map((job) => entry('job.cancelled', actor, job, job.state)));
    const ended = waiting.map((job) => endedJob(job, 'cancelled'));
    await endings.notify(tx, ended);
    if (running.length > 0) tx.notifyAfterCommit(JOBS_CANCELLED, running.map(idOf));
    return waiting.length;
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
    const requeued = await tx<(LockedJob & { status: JobStatus })[]>`
      with over as materialized (
        select id, job_type, queue, priority, attempt_count, status
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
      select id, job_type, queue, status from over order by id`;
    if (requeued.length === 0) return 0;
    await recordAudit(tx, ...requeued.map((job) => entry('job.requeued', actor, job, job.status)));
    tx.notifyAfterCommit(
      JOBS_QUEUED,
      requeued.map(({ queue }) => queue),
    );
    return requeued.length;
  }

  async function prepareRequeues(
    tx: Transaction,
    jobs: LockedJob[],
    refused: Map<string, string>,
  ): Promise<void> {
    const prepared = jobs.filter(({ job_type }) => types.get(job_type)?.prepareRequeue);
    if (prepared.length === 0) return;
    const over = await tx<{ id: string; job_type: string; payload: unknown }[]>`
      select id, job_type, payload
      from (${jobStates(tx)}) as job
      where id = any(${prepared.map(idOf)}) and status in ('failed', 'cancelled')
      order by id`;
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

async function notOver(tx: Transaction, jobId: string): Promise<string> {
  const [job] = await tx<{ status: JobStatus }[]>`
    select status from (${jobStates(tx)}) as job where id = ${jobId}`;
  return `The job is ${job?.status}; only a failed or cancelled one can be queued again.`;
}

function entry(
  action: string,
  actor: Actor,
  { id, job_type }: Pick<LockedJob, 'id' | 'job_type'>,
  was: JobStatus,
) {
  return { action, actor, details: { job_id: id, job_type, was } };
}

/** Locks the jobs in the order of their ids, so that two operators never wait for each other in a circle. */
async function lockJobs(tx: Transaction, ids: string[]): Promise<LockedJob[]> {
  return tx<LockedJob[]>`
    select id, job_type, queue
    from jobs
    where id = any(${ids})
    order by id
    for update`;
}

function cancelledAttempt({ runtime_ms, ...job }: QueuedJob): Outcome {
  const errorText = 'The job was cancelled during this attempt.';
  return { kind: 'cancelled', job, runtimeMs: runtime_ms, errorText, errorCode: 'E_CANCELLED' };
}
