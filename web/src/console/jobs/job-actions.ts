import { api } from '../../api/client.ts';
import { queryKeys } from '../../api/queries.ts';
import { plural } from '../../ui/numbers.ts';
import { useAction } from '../../ui/use-action.ts';
import type { Filters } from '../filters.tsx';
import type { JobSummary, JobsChanged } from '../types.ts';

export type JobAction = 'cancel' | 'requeue';

/** The jobs to act on: these, or all that match a filter. */
type JobSelection = { job_ids: string[] } | { filter: Filters };

export const JOBS_STALE = [queryKeys.jobs(), queryKeys.throughput()];
const MAX_IDS = 1000;
const DONE: Record<JobAction, string> = { cancel: 'cancelled', requeue: 'retried' };

export const canRequeue = ({ status }: Pick<JobSummary, 'status'>) =>
  status === 'failed' || status === 'cancelled';

/** Acts on all selected jobs, in as many requests as it takes. */
async function runAction(action: JobAction, which: JobSelection) {
  const total = { changed: 0, skipped: 0 };
  const send = async (body: object) => {
    const done = await api.postData<JobsChanged>(`/jobs/${action}`, body);
    total.changed += done.changed;
    total.skipped += done.unchanged + done.not_found;
    return done.next_cursor;
  };
  if ('job_ids' in which) {
    for (let start = 0; start < which.job_ids.length; start += MAX_IDS)
      await send({ job_ids: which.job_ids.slice(start, start + MAX_IDS) });
  } else {
    let cursor = await send(which);
    while (cursor !== null) cursor = await send({ ...which, cursor });
  }
  return total;
}

export function useJobsAction(action: JobAction, onDone?: () => void) {
  return useAction({
    run: (which: JobSelection) => runAction(action, which),
    stale: JOBS_STALE,
    message: ({ changed, skipped }) => {
      const rest = skipped === 0 ? '' : ` ${plural(skipped, 'job')} skipped: deleted, or in another status.`;
      return `${plural(changed, 'job')} ${DONE[action]}.${rest}`;
    },
    ...(onDone && { onDone }),
  });
}
