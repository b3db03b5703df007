import type { Transaction } from '../../../platform/database/database.ts';
import { type RetriedStatus, retryMedia } from './lifecycle.ts';
import { findForRequeue, setJob } from './stranded-store.ts';

/**
 * Puts a media back to work for a job that an operator queues again, as if somebody had retried it. `from` is where the
 * job begins. Returns a sentence when the job would find nothing to do.
 */
export async function requeueMedia(
  tx: Transaction,
  mediaId: string,
  jobId: string,
  from: RetriedStatus,
): Promise<string | undefined> {
  const media = await findForRequeue(tx, mediaId);
  if (!media) return 'The media of this job does not exist any more.';
  const { processing_status, failure_stage, has_live_job } = media;
  if (processing_status !== 'failed') {
    return has_live_job
      ? 'Another job is working on this media.'
      : `The media is ${processing_status}; there is nothing left for this job to do.`;
  }
  if (failure_stage === 'upload')
    return 'The file of this media was never uploaded, so it cannot be processed.';
  if ((failure_stage === 'embed' ? 'ready_for_reading' : 'pending') !== from) {
    return 'The media failed in another step. Retry the media, or requeue the job of that step.';
  }
  await retryMedia(tx, mediaId);
  await setJob(tx, mediaId, jobId);
  return undefined;
}
