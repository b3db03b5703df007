import { NexusError } from '../../contract/errors.ts';
import type { JobStatus, ManyJobs } from '../../contract/jobs.ts';
import type { Page } from '../../contract/wire.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import { cutPage, readCursor } from '../../platform/cursor.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Control, Touched } from '../../platform/jobs/control.ts';
import { type JobFilter, listJobIds } from '../../platform/jobs/store.ts';

/** Jobs that are changed in one transaction: few, so that locks are held briefly. */
const BATCH = 500;
/** Jobs that are changed by one request. The answer has the cursor to continue from. */
const AT_ONCE = 10_000;

const IN_STATE_FOR = {
  cancel: ['queued', 'running', 'retry_wait'],
  requeue: ['failed', 'cancelled'],
} satisfies Record<string, JobStatus[]>;

type Action = keyof typeof IN_STATE_FOR;

/**
 * Cancels or requeues jobs. The jobs that match a filter are changed from the newest to the oldest, so that a job that
 * fails again in the meantime is not changed twice. Two callers may do the same in parallel; each job is changed once.
 */
export async function touchJobs(
  { sql, control }: { sql: Database; control: Control },
  action: Action,
  { job_ids, filter, cursor, ...rights }: ManyJobs & Pick<JobFilter, 'wordsOf'>,
  actor: Actor,
): Promise<Touched & { page: Page }> {
  const { ids, page } = job_ids
    ? { ids: job_ids, page: { next_cursor: null, has_more: false } }
    : await findJobs(sql, { ...inStateFor(action, filter ?? {}), ...rights }, readCursor(cursor));
  const total: Touched = { changed: 0, unchanged: 0, not_found: 0 };
  for (let start = 0; start < ids.length; start += BATCH) {
    const touched = await control[`${action}Many`](ids.slice(start, start + BATCH), actor);
    total.changed += touched.changed;
    total.unchanged += touched.unchanged;
    total.not_found += touched.not_found;
  }
  return { ...total, page };
}

async function findJobs(sql: Database, filter: JobFilter, before: string | null) {
  const found = await listJobIds(sql, filter, before, AT_ONCE + 1);
  const { rows, page } = cutPage(
    found.map((id) => ({ id })),
    AT_ONCE,
  );
  return { ids: rows.map(({ id }) => id), page };
}

function inStateFor(action: Action, filter: JobFilter): JobFilter {
  if (filter.status === undefined) return { ...filter, status: action === 'cancel' ? 'not_over' : 'failed' };
  if (IN_STATE_FOR[action].some((status) => status === filter.status)) return filter;
  throw new NexusError(
    'E_INVALID_REQUEST',
    `filter.status: to ${action}, it takes one of ${IN_STATE_FOR[action].join(', ')}.`,
  );
}
