import { FAILURES } from '../../../contract/errors.ts';
import type { MediaAttempt } from '../../../contract/media.ts';
import type { Queryable, Transaction } from '../../../platform/database/database.ts';
import type { EndedJob } from '../../../platform/jobs/job-type.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { markFailed, type RetriedStatus, retryMedia } from './lifecycle.ts';
import * as store from './store.ts';

/** The failure of a media whose job ended without an error of its own: it was cancelled, or interrupted too often. */
const STOPPED = {
  code: 'E_PROCESSING_STOPPED',
  message: 'Processing was stopped before it was done. Retry to start again.',
} as const;

/** Ends the processing of a media in the transaction in which its job ends, so that no media is left without a job. */
export async function endProcessing(
  tx: Transaction,
  { job_id, payload: { media_id }, status, error_code, error_text }: EndedJob<{ media_id: string }>,
  log: Logger,
): Promise<void> {
  if (status === 'succeeded') return;
  const media = await store.lockProcessed(tx, media_id, job_id);
  if (!media) return;
  if (!isForReaders(error_code)) return void (await failStopped(tx, media_id, media.processing_status, log));
  const extraction = media.kind === 'video' ? 'transcribe' : 'extract';
  const stage = isIndexing(media.processing_status) ? 'embed' : extraction;
  await markFailed(tx, media_id, { stage, code: error_code, message: error_text ?? '' }, log);
}

/** Marks a media without a job as failed. False when somebody has given it a job in the meantime. */
export async function failStranded(tx: Transaction, mediaId: string, log: Logger): Promise<boolean> {
  const status = await store.lockStranded(tx, mediaId);
  return status !== undefined && failStopped(tx, mediaId, status, log);
}

function failStopped(tx: Transaction, mediaId: string, status: string, log: Logger): Promise<boolean> {
  return markFailed(tx, mediaId, { stage: isIndexing(status) ? 'embed' : 'other', ...STOPPED }, log);
}

const isIndexing = (status: string) => status === 'ready_for_reading' || status === 'embedding';

/** Retries a media whose job is requeued and starts from `from`. Returns why not when there is nothing to do. */
export async function requeueMedia(tx: Transaction, mediaId: string, jobId: string, from: RetriedStatus) {
  const media = await store.lockForRequeue(tx, mediaId);
  if (!media) return 'The media of this job does not exist any more.';
  const { processing_status, failure_stage, has_live_job } = media;
  if (processing_status !== 'failed') {
    return has_live_job
      ? 'Another job is working on this media.'
      : `The media is ${processing_status}; there is nothing left for this job to do.`;
  }
  if (failure_stage === 'upload')
    return 'The file of this media was never uploaded, so it cannot be processed.';
  if ((failure_stage === 'embed' ? 'ready_for_reading' : 'pending') !== from)
    return 'The media failed in another step. Retry the media, or requeue the job of that step.';
  await retryMedia(tx, mediaId);
  await store.setJob(tx, mediaId, jobId);
  return undefined;
}

/** Lists the attempts at a media, each with a summary for people to read. */
export async function listAttempts(sql: Queryable, mediaId: string): Promise<MediaAttempt[]> {
  const rows = await store.listAttempts(sql, mediaId);
  return rows.map(({ error_text, next_at, ...row }, index) => {
    const { step, status, error_code } = row;
    const summary = describeAttempt(step, status, isForReaders(error_code) ? error_text : null);
    const again = next_at && status !== 'running' && status !== 'succeeded';
    return {
      ...row,
      attempt_number: index + 1,
      summary: again ? `${summary} It is tried again by itself.` : summary,
    };
  });
}

function describeAttempt(step: string, status: string, error: string | null): string {
  if (status === 'running') return step === 'index' ? 'Making it findable.' : 'Fetching and reading it.';
  if (status === 'succeeded') return step === 'index' ? 'It can be found by its text.' : 'It could be read.';
  if (status === 'interrupted') return 'Nexus was interrupted in the middle of it.';
  return error || 'It could not be read.';
}

/** Whether an error's text is meant for readers. Other errors may reveal internals. */
function isForReaders(code: string | null): code is string {
  return code !== null && (code in FAILURES || code === 'E_SSRF_BLOCKED' || code === 'E_QUOTA_EXCEEDED');
}
