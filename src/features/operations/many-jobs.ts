import { NexusError } from '../../contract/errors.ts';
import type { JobStatus, ManyJobs } from '../../contract/jobs.ts';
import type { Page } from '../../contract/wire.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import { cutPage, readCursor } from '../../platform/cursor.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Control, Touched } from '../../platform/jobs/control/control.ts';
import { type JobFilter, listJobIds } from '../../platform/jobs/read/store.ts';

/** In one transaction, so that their locks are held for a moment only. */
const BATCH = 500;
/** In one request; the answer says where to go on. */
const AT_ONCE = 10_000;

const IN_STATE_FOR = {
  cancel: ['queued', 'running', 'retry_wait'],
  requeue: ['failed', 'cancelled'],
} satisfies Record<string, JobStatus[]>;

type Deed = keyof typeof IN_STATE_FOR;

/**
 * Cancels jobs, or queues them again. What a filter finds is walked from the newest to the oldest, so that a job that
 * fails again on the way is not met twice. Whoever does the same at the same time changes what is left.
 */
export async function touchJobs(
  { sql, control }: { sql: Database; control: Control },
  deed: Deed,
  { job_ids, filter, cursor }: ManyJobs,
  rights: Pick<JobFilter, 'wordsOf'>,
  actor: Actor,
): Promise<Touched & { page: Page }> {
  const { ids, page } = job_ids
    ? { ids: job_ids, page: { next_cursor: null, has_more: false } }
    : await findJobs(sql, { ...inStateFor(deed, filter ?? {}), ...rights }, readCursor(cursor));
  const total: Touched = { changed: 0, unchanged: 0, not_found: 0 };
  for (let start = 0; start < ids.length; start += BATCH) {
    const touched = await control[`${deed}Many`](ids.slice(start, start + BATCH), actor);
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

function inStateFor(deed: Deed, filter: JobFilter): JobFilter {
  if (filter.status === undefined) return { ...filter, status: deed === 'cancel' ? 'not_over' : 'failed' };
  if (IN_STATE_FOR[deed].some((status) => status === filter.status)) return filter;
  throw new NexusError(
    'E_INVALID_REQUEST',
    `filter.status: to ${deed}, it takes one of ${IN_STATE_FOR[deed].join(', ')}.`,
  );
}
