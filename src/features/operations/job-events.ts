import type { Transaction } from '../../platform/database/database.ts';
import type { EndedJob } from '../../platform/jobs/job-type.ts';
import { emitEvents, type NewEvent } from '../../platform/outbox/emit-event.ts';

/** Emits an event for each ended job. The engine guarantees that a job ends once each time it is queued. */
export async function emitJobsEnded(tx: Transaction, jobs: EndedJob[]): Promise<void> {
  await emitEvents(tx, jobs.map(eventOf));
}

function eventOf(job: EndedJob): NewEvent {
  const { job_id, job_type, created_by, created_by_user_id, attempt_count } = job;
  const payload = { job_id, job_type, created_by, created_by_user_id, attempt_count };
  const { request_id, traceparent } = job;
  const cause = { requestId: request_id ?? undefined, traceparent };
  const common = { aggregateType: 'job', aggregateId: job_id, ...cause };
  return job.status === 'failed'
    ? { ...common, eventType: 'job.failed', payload: { ...payload, error_code: job.error_code } }
    : { ...common, eventType: `job.${job.status}`, payload };
}
