import { FAILURES } from '../../../contract/errors.ts';
import type { FailureStage } from '../../../contract/media.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { EndedJob } from '../../../platform/jobs/job-type.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { failMedia } from './fail-media.ts';
import { lockProcessed, lockStranded } from './stranded-store.ts';

/** The failure of a media whose job ended without an error of its own: it was cancelled, or interrupted too often. */
const STOPPED = {
  code: 'E_PROCESSING_STOPPED',
  message: 'Processing was stopped before it was done. Retry to start again.',
} as const;

/** Whether an error's text is meant for readers. Other errors may tell of Nexus's inside. */
export function isForReaders(code: string | null): code is string {
  return code !== null && (code in FAILURES || code === 'E_SSRF_BLOCKED' || code === 'E_QUOTA_EXCEEDED');
}

/** Ends the processing of a media in the transaction in which its job ends, so that no media is left without a job. */
export async function endProcessing(
  tx: Transaction,
  { job_id, payload: { media_id }, status, error_code, error_text }: EndedJob<{ media_id: string }>,
  log: Logger,
): Promise<void> {
  if (status === 'succeeded') return;
  const media = await lockProcessed(tx, media_id, job_id);
  if (!media) return;
  const isIndexing = isReadable(media.processing_status);
  if (!isForReaders(error_code)) return void (await failStopped(tx, media_id, isIndexing, log));
  const extraction: FailureStage = media.kind === 'video' ? 'transcribe' : 'extract';
  const stage = isIndexing ? 'embed' : extraction;
  await failMedia(tx, media_id, { stage, code: error_code, message: error_text ?? '' }, log);
}

/** Fails a media that nothing works on. False when somebody has given it a job in the meantime. */
export async function failStranded(tx: Transaction, mediaId: string, log: Logger): Promise<boolean> {
  const status = await lockStranded(tx, mediaId);
  return status !== undefined && failStopped(tx, mediaId, isReadable(status), log);
}

function failStopped(tx: Transaction, mediaId: string, isIndexing: boolean, log: Logger): Promise<boolean> {
  return failMedia(tx, mediaId, { stage: isIndexing ? 'embed' : 'other', ...STOPPED }, log);
}

const isReadable = (status: string) => status === 'ready_for_reading' || status === 'embedding';
