import { recordAudit } from '../../audit/audit.ts';
import type { Transaction } from '../../database/database.ts';
import type { DeadWorker } from '../../work/recovery.ts';
import type { LeasedJob } from '../claim/claim.ts';
import { interruptedAttempt } from '../run/run-job.ts';
import type { Endings } from '../settle/endings.ts';
import { settleAndTell } from '../settle/settle.ts';

/**
 * Takes back the jobs of dead workers: their attempts are recorded as interrupted, and the jobs wait for their next ones.
 * Returns how many there were.
 */
export async function takeBackJobs(tx: Transaction, dead: DeadWorker[], endings: Endings): Promise<number> {
  let count = 0;
  for (const worker of dead) {
    const outcomes = (await lockJobsOf(tx, worker)).map(({ runtime_ms, ...job }) =>
      interruptedAttempt(job, {
        runtimeMs: runtime_ms,
        errorText: 'The worker died or lost its connection during this attempt, which does not count.',
        errorCode: 'E_LEASE_EXPIRED',
      }),
    );
    await settleAndTell(tx, worker.name, outcomes, endings);
    await recordAudit(
      tx,
      ...outcomes.map(({ job, kind }) => ({
        action: 'job.lease_expired',
        actor: { name: 'system' },
        details: {
          job_id: job.id,
          job_type: job.job_type,
          attempt: job.attempt,
          worker: worker.name,
          failed: kind === 'failed',
        },
      })),
    );
    count += outcomes.length;
  }
  return count;
}

/** A dead worker is rare, so its jobs are found by reading the queue; an index would cost every claim. */
async function lockJobsOf(
  tx: Transaction,
  { id }: DeadWorker,
): Promise<(LeasedJob & { runtime_ms: number })[]> {
  return tx<(LeasedJob & { runtime_ms: number })[]>`
    select
      jobs.id, jobs.job_type, jobs.payload, job_queue.attempt_count as attempt, job_queue.refunded_count,
      job_queue.interrupted_count, jobs.max_attempts, jobs.execution_mode, job_queue.lease_token, jobs.created_by,
      jobs.created_by_user_id, jobs.request_id, 0 as waited_ms,
      round(extract(epoch from now() - job_queue.started_at) * 1000)::int as runtime_ms
    from job_queue
    join jobs on jobs.id = job_queue.job_id
    where job_queue.worker_id = ${id}
    order by job_queue.job_id
    for update of job_queue`;
}
