import type { MediaKind } from '../../../contract/media.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { EnqueueOptions } from '../../../platform/jobs/submit/enqueue.ts';
import type { Ingest } from './ingest.ts';
import { type RetriedStatus, retryIfFailed } from './lifecycle.ts';

type Enqueues = Pick<Ingest, 'enqueueExtractions' | 'enqueueIndexing'>;
type Options = Pick<EnqueueOptions, 'requestId' | 'createdBy' | 'priority'>;

interface WaitingMedia {
  id: string;
  kind: MediaKind;
  from: RetriedStatus;
}

/** Enqueues the job that each media continues with. Returns the ids of those that were enqueued. */
export async function enqueueFrom(
  tx: Transaction,
  ingest: Enqueues,
  media: WaitingMedia[],
  options: Options,
): Promise<string[]> {
  const pending = media.filter(({ from }) => from === 'pending');
  const indexed = media.filter(({ from }) => from === 'ready_for_reading').map(({ id }) => id);
  for (const id of indexed) await ingest.enqueueIndexing(tx, id, options);
  return [...(await ingest.enqueueExtractions(tx, pending, options)), ...indexed];
}

/** Retries those of the media that have failed. Returns the ids of those that were enqueued. */
export async function retryFailed(
  tx: Transaction,
  ingest: Enqueues,
  media: Omit<WaitingMedia, 'from'>[],
  options: Options,
): Promise<string[]> {
  const retried: WaitingMedia[] = [];
  for (const { id, kind } of media) {
    const from = await retryIfFailed(tx, id);
    if (from) retried.push({ id, kind, from });
  }
  return enqueueFrom(tx, ingest, retried, options);
}
