import { recordAudit } from '../audit/audit.ts';
import type { Database, Transaction } from '../database/database.ts';
import { transaction } from '../database/transaction.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Endings } from './endings.ts';
import type { JobTypes } from './job-type.ts';
import { DEFAULT_RETRY, retryDelay } from './retry-policy.ts';

interface DeadWorker {
  id: string;
  name: string;
}

interface OrphanedJob {
  job_id: string;
  job_type: string;
  attempt_count: number;
  refunded_count: number;
  max_attempts: number;
  worker: string;
  created_by: string | null;
  created_by_user_id: string | null;
  request_id: string | null;
}

/**
 * Finds workers that have not renewed their entry and takes their jobs back: the attempt is recorded as interrupted,
 * and the job waits for its next attempt or, when it has none left, has failed. Any worker may do it; of several at
 * once, each dead worker is handled by one. Returns how many jobs were taken back.
 */
export async function recoverStaleLeases(
  sql: Database,
  types: JobTypes,
  log: Logger,
  endings?: Endings,
): Promise<number> {
  return transaction(sql, async (tx) => {
    const dead = await tx<DeadWorker[]>`
      delete from job_workers
      where id in (select id from job_workers where lease_expires_at < now() for update skip locked)
      returning id, name`;
    if (dead.length === 0) return 0;
    const orphaned = await lockOrphans(tx, dead);
    for (const job of orphaned) await takeBack(tx, job, types, endings);
    log.warn(
      { workers: dead.map(({ name }) => name), jobs: orphaned.length },
      'took back the jobs of dead workers',
    );
    return orphaned.length;
  });
}

/** A dead worker is rare, so its jobs are found by reading the queue; an index would cost every claim. */
async function lockOrphans(tx: Transaction, dead: DeadWorker[]): Promise<OrphanedJob[]> {
  return tx<OrphanedJob[]>`
    select
      job_queue.job_id, jobs.job_type, job_queue.attempt_count, job_queue.refunded_count, jobs.max_attempts,
      jobs.created_by, jobs.created_by_user_id, jobs.request_id, dead.name as worker
    from job_queue
    join unnest(${dead.map(({ id }) => id)}::uuid[], ${dead.map(({ name }) => name)}::text[]) as dead (id, name)
      on dead.id = job_queue.worker_id
    join jobs on jobs.id = job_queue.job_id
    order by job_queue.job_id
    for update of job_queue`;
}

async function takeBack(
  tx: Transaction,
  job: OrphanedJob,
  types: JobTypes,
  endings: Endings | undefined,
): Promise<void> {
  const counted = job.attempt_count - job.refunded_count;
  const isExhausted = counted >= job.max_attempts;
  await tx`
    insert into job_attempts (
      job_id, attempt_number, status, error_text, error_code, worker, queue, due_at, started_at, runtime_ms
    )
    select
      job_id, attempt_count, 'interrupted', ${'The worker died or lost its connection during this attempt.'},
      'E_LEASE_EXPIRED', ${job.worker}, queue, due_at, started_at,
      extract(epoch from now() - started_at) * 1000
    from job_queue
    where job_id = ${job.job_id}`;
  if (isExhausted) {
    await tx`delete from job_queue where job_id = ${job.job_id}`;
    if (endings?.concern(job.job_type)) {
      await endings.tell(tx, [{ ...job, status: 'failed', error_code: 'E_LEASE_EXPIRED' }]);
    }
  } else {
    const delay = retryDelay(types.get(job.job_type)?.retry ?? DEFAULT_RETRY, counted);
    await tx`
      update job_queue
      set due_at = now() + ${delay} * interval '1 second',
          lease_token = null,
          worker_id = null,
          started_at = null
      where job_id = ${job.job_id}`;
  }
  await recordAudit(tx, {
    action: 'job.lease_expired',
    actor: { name: 'system' },
    details: {
      job_id: job.job_id,
      job_type: job.job_type,
      attempt: job.attempt_count,
      worker: job.worker,
      failed: isExhausted,
    },
  });
}
