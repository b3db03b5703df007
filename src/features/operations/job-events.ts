import type { Transaction } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';
import type { EndedJob } from '../../platform/jobs/ended-job.ts';
import { emitEvents, type NewEvent } from '../../platform/outbox/emit-event.ts';

/** Tells that jobs are over. They end once for each time that they are queued, which the engine sees to. */
export async function tellJobsEnded(tx: Transaction, jobs: EndedJob[]): Promise<void> {
  await emitEvents(tx, jobs.map(eventOf));
}

function eventOf({
  job_id,
  job_type,
  created_by,
  created_by_user_id,
  attempt_count,
  ...job
}: EndedJob): NewEvent {
  const payload = { job_id, job_type, created_by, created_by_user_id, attempt_count };
  const common = {
    aggregateType: 'job',
    aggregateId: job_id,
    idempotencyKey: `job:${job_id}:${newId()}`,
    requestId: job.request_id ?? undefined,
  };
  return job.status === 'failed'
    ? { ...common, eventType: 'job.failed', payload: { ...payload, error_code: job.error_code } }
    : { ...common, eventType: `job.${job.status}`, payload };
}
