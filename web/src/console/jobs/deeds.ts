import { api } from '../../api/client.ts';
import type { Filters } from '../filters.ts';
import { plural } from '../format.ts';
import type { JobsTouched } from '../types.ts';
import { useDeed } from '../use-deed.ts';

export type Deed = 'cancel' | 'requeue';

/** Which jobs: these, or all that a list with this filter shows. */
export type Which = { job_ids: string[] } | { filter: Filters };

export const JOBS_STALE = [['jobs'], ['throughput']] as const;
const MOST_IDS = 1000;
const DONE: Record<Deed, string> = { cancel: 'cancelled', requeue: 'queued again' };

/** A request takes so many jobs; what is beyond follows in the next. */
async function touch(deed: Deed, which: Which): Promise<JobsTouched> {
  const total = { changed: 0, unchanged: 0, not_found: 0 };
  const add = async (body: object): Promise<JobsTouched> => {
    const touched = await api.post<JobsTouched>(`/api/v1/jobs/${deed}`, body);
    total.changed += touched.changed;
    total.unchanged += touched.unchanged;
    total.not_found += touched.not_found;
    return touched;
  };
  if ('job_ids' in which) {
    for (let start = 0; start < which.job_ids.length; start += MOST_IDS) {
      await add({ job_ids: which.job_ids.slice(start, start + MOST_IDS) });
    }
    return { ...total, page: { next_cursor: null, has_more: false } };
  }
  let { page } = await add({ filter: which.filter });
  while (page.next_cursor !== null) {
    ({ page } = await add({ filter: which.filter, cursor: page.next_cursor }));
  }
  return { ...total, page };
}

export function useJobsDeed(deed: Deed, onDone?: () => void) {
  return useDeed<Which, JobsTouched>({
    run: (which) => touch(deed, which),
    stale: JOBS_STALE,
    said: ({ changed, unchanged, not_found }) => {
      const left = unchanged + not_found;
      const rest = left === 0 ? '' : ` ${plural(left, 'job')} stayed: in no state for it, or gone.`;
      return `${plural(changed, 'job')} ${DONE[deed]}.${rest}`;
    },
    ...(onDone && { onDone }),
  });
}
