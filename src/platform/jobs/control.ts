import { NexusError } from '../../contract/errors.ts';
import type { JobStatus } from '../../contract/jobs.ts';
import { type Actor, recordAudit } from '../audit/audit.ts';
import type { Database, Transaction } from '../database/database.ts';
import { transaction } from '../database/transaction.ts';
import type { Endings } from './endings.ts';
import { jobStates, queueState } from './job-state.ts';
import type { WakeUp } from './wake-up.ts';

export interface Control {
  /** A job that is over stays as it is; a running one is told to stop, wherever it runs. */
  cancel(jobId: string, actor: Actor): Promise<void>;
  /** Queues a failed or cancelled job again, with all its attempts before it. */
  requeue(jobId: string, actor: Actor): Promise<void>;
}

export function createControl(sql: Database, wakeUp: WakeUp, endings?: Endings): Control {
  return {
    cancel: (jobId, actor) =>
      transaction(sql, async (tx) => {
        const job = await findJob(tx, jobId);
        const [waiting] = await tx<{ state: JobStatus; attempt_count: number }[]>`
          select ${queueState(tx)} as state, attempt_count::int from job_queue where job_id = ${jobId} for update`;
        if (!waiting) return;
        if (waiting.state === 'running') await recordCancelledAttempt(tx, jobId);
        await tx`delete from job_queue where job_id = ${jobId}`;
        await tx`update jobs set cancelled_at = now() where id = ${jobId}`;
        await recordAudit(tx, {
          action: 'job.cancelled',
          actor,
          details: { job_id: jobId, job_type: job.job_type, was: waiting.state },
        });
        if (endings?.concern(job.job_type)) {
          const { attempt_count } = waiting;
          await endings.tell(tx, [
            { ...job, job_id: jobId, attempt_count, status: 'cancelled', error_code: null },
          ]);
        }
        if (waiting.state === 'running') wakeUp.cancelled(tx, jobId);
      }),

    requeue: (jobId, actor) =>
      transaction(sql, async (tx) => {
        const job = await findJob(tx, jobId);
        const [ended] = await tx<{ status: string; attempt_count: number }[]>`
          select status, attempt_count from (${jobStates(tx)}) as job where id = ${jobId}`;
        if (ended?.status !== 'failed' && ended?.status !== 'cancelled') {
          throw new NexusError(
            'E_INVALID_STATE',
            `The job is ${ended?.status}; only a failed or cancelled one can be queued again.`,
          );
        }
        // All attempts so far are refunded: the job has max_attempts before it again.
        await tx`
          insert into job_queue (job_id, queue, priority, due_at, attempt_count, refunded_count)
          values (${jobId}, ${job.queue}, ${job.priority}, now(), ${ended.attempt_count}, ${ended.attempt_count})`;
        await tx`update jobs set cancelled_at = null where id = ${jobId}`;
        await recordAudit(tx, {
          action: 'job.requeued',
          actor,
          details: { job_id: jobId, job_type: job.job_type, was: ended.status },
        });
        wakeUp.work(tx, [job.queue]);
      }),
  };
}

interface ControlledJob {
  job_type: string;
  queue: string;
  priority: number;
  created_by: string | null;
  request_id: string | null;
}

/** Locks the job's own row first, so that two operators who press a button at once act one after the other. */
async function findJob(tx: Transaction, jobId: string): Promise<ControlledJob> {
  const [job] = await tx<ControlledJob[]>`
    select job_type, queue, priority, created_by, request_id from jobs where id = ${jobId} for update`;
  if (!job) throw new NexusError('E_NOT_FOUND', `There is no job ${jobId}.`);
  return job;
}

async function recordCancelledAttempt(tx: Transaction, jobId: string): Promise<void> {
  await tx`
    insert into job_attempts (job_id, attempt_number, status, error_text, error_code, worker, started_at, runtime_ms)
    select
      job_id, attempt_count, 'interrupted', 'The job was cancelled during this attempt.', 'E_CANCELLED',
      coalesce(job_workers.name, 'unknown'), job_queue.started_at,
      extract(epoch from now() - job_queue.started_at) * 1000
    from job_queue
    left join job_workers on job_workers.id = job_queue.worker_id
    where job_id = ${jobId}`;
}
