import { invalidField } from '../../contract/invalid-request.ts';
import type { JobSelection, JobStatus, JobsChanged } from '../../contract/jobs.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import { cutPage, readCursor } from '../../platform/cursor.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Control, Touched } from '../../platform/jobs/control/control.ts';
import { type JobFilter, listJobIds } from '../../platform/jobs/read/store.ts';

/** Jobs per transaction: small, so that locks are held only briefly. */
const JOBS_PER_TRANSACTION = 500;
/** Jobs per request. The response has a cursor for the rest. */
const JOBS_PER_REQUEST = 10_000;

/** The statuses in which an action is allowed. */
const ALLOWED_STATUSES = {
  cancel: ['queued', 'running', 'retry_wait'],
  requeue: ['failed', 'cancelled'],
} satisfies Record<string, JobStatus[]>;

export type Action = keyof typeof ALLOWED_STATUSES;

interface BulkChange {
  action: Action;
  selection: JobSelection;
  /** Restricts which jobs a filter finds. */
  rights: Pick<JobFilter, 'wordsOf'>;
  actor: Actor;
}

/**
 * Cancels or requeues many jobs. A filter is walked from the newest job to the oldest, so that a job that fails again
 * meanwhile is not processed twice. Parallel requests for the same jobs change each job once.
 */
export async function changeJobs(
  { sql, control }: { sql: Database; control: Control },
  { action, selection: { job_ids, filter, cursor }, rights, actor }: BulkChange,
): Promise<JobsChanged> {
  const { ids, next_cursor } = job_ids
    ? { ids: job_ids, next_cursor: null }
    : await findJobs(sql, { ...withAllowedStatus(action, filter ?? {}), ...rights }, readCursor(cursor));
  const total: Touched = { changed: 0, unchanged: 0, not_found: 0 };
  // The last transaction claims the request, also when there is nothing to change: after a failure before it, a repeat does
  // the rest.
  for (let start = 0; start === 0 || start < ids.length; start += JOBS_PER_TRANSACTION) {
    const isLast = start + JOBS_PER_TRANSACTION >= ids.length;
    const by = isLast ? actor : { ...actor, claim: undefined };
    const batch = await control[`${action}Many`](ids.slice(start, start + JOBS_PER_TRANSACTION), by);
    total.changed += batch.changed;
    total.unchanged += batch.unchanged;
    total.not_found += batch.not_found;
  }
  return { ...total, next_cursor };
}

async function findJobs(sql: Database, filter: JobFilter, before: string | null) {
  const found = await listJobIds(sql, filter, before, JOBS_PER_REQUEST + 1);
  const listed = found.map((id) => ({ id }));
  const { data, page } = cutPage(listed, JOBS_PER_REQUEST);
  return { ids: data.map(({ id }) => id), next_cursor: page.next_cursor };
}

function withAllowedStatus(action: Action, filter: JobFilter): JobFilter {
  if (filter.status === undefined) return { ...filter, status: action === 'cancel' ? 'not_over' : 'failed' };
  if (ALLOWED_STATUSES[action].some((status) => status === filter.status)) return filter;
  const allowed = ALLOWED_STATUSES[action].join(', ');
  throw invalidField('filter.status', `must be one of ${allowed} to ${action} jobs`, 'not_allowed');
}
