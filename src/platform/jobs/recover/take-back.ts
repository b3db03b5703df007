import { recordAudit } from '../../audit/audit.ts';
import type { Transaction } from '../../database/database.ts';
import type { DeadWorker } from '../../work/recovery.ts';
import { lockQueued } from '../claim/claim.ts';
import { interruptedAttempt } from '../run/run-job.ts';
import type { Endings } from '../settle/endings.ts';
import { settleAndNotify } from '../settle/settle.ts';

/** Takes back the jobs of dead workers: their attempts were interrupted. Returns how many there were. */
export async function takeBackJobs(tx: Transaction, dead: DeadWorker[], endings: Endings): Promise<number> {
  let count = 0;
  for (const { id, name } of dead) {
    // A dead worker is rare, so its jobs are found by reading the queue; an index would cost every claim.
    const held = await lockQueued(tx, tx`job_queue.worker_id = ${id}`);
    const outcomes = held.map(({ runtime_ms, ...job }) =>
      interruptedAttempt(job, {
        runtimeMs: runtime_ms,
        errorText: 'The worker died or lost its connection during this attempt, which does not count.',
        errorCode: 'E_LEASE_EXPIRED',
      }),
    );
    await settleAndNotify(tx, name, outcomes, endings);
    const entries = outcomes.map(({ job: { id: job_id, job_type, attempt }, kind }) => ({
      action: 'job.lease_expired',
      actor: { name: 'system' },
      details: { job_id, job_type, attempt, worker: name, failed: kind === 'failed' },
    }));
    await recordAudit(tx, ...entries);
    count += outcomes.length;
  }
  return count;
}
