import { api } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import type { Filters } from '../filters.ts';
import { plural } from '../format.ts';
import type { JobsTouched } from '../types.ts';
import { useAction } from '../use-action.ts';

export type JobAction = 'cancel' | 'requeue';

/** The jobs to act on: these, or all that match a filter. */
export type JobSelection = { job_ids: string[] } | { filter: Filters };

export const JOBS_STALE = [queryKeys.jobs(), queryKeys.throughput()];
const MAX_IDS = 1000;
const DONE: Record<JobAction, string> = { cancel: 'cancelled', requeue: 'requeued' };

/** Acts on all selected jobs, in as many requests as it takes. */
async function runAction(action: JobAction, which: JobSelection): Promise<JobsTouched> {
  const total = { changed: 0, unchanged: 0, not_found: 0 };
  const add = async (body: object): Promise<JobsTouched> => {
    const touched = await api.post<JobsTouched>(`/api/v1/jobs/${action}`, body);
    total.changed += touched.changed;
    total.unchanged += touched.unchanged;
    total.not_found += touched.not_found;
    return touched;
  };
  if ('job_ids' in which) {
    for (let start = 0; start < which.job_ids.length; start += MAX_IDS) {
      await add({ job_ids: which.job_ids.slice(start, start + MAX_IDS) });
    }
    return { ...total, page: { next_cursor: null, has_more: false } };
  }
  let { page } = await add({ filter: which.filter });
  while (page.next_cursor !== null) {
    ({ page } = await add({ filter: which.filter, cursor: page.next_cursor }));
  }
  return { ...total, page };
}

export function useJobsAction(action: JobAction, onDone?: () => void) {
  return useAction<JobSelection, JobsTouched>({
    run: (which) => runAction(action, which),
    stale: JOBS_STALE,
    message: ({ changed, unchanged, not_found }) => {
      const skipped = unchanged + not_found;
      const rest = skipped === 0 ? '' : ` ${plural(skipped, 'job')} skipped: deleted, or in another status.`;
      return `${plural(changed, 'job')} ${DONE[action]}.${rest}`;
    },
    ...(onDone && { onDone }),
  });
}
