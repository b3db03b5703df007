import { NexusError } from '../../../contract/errors.ts';
import type { FailureStage, MediaKind, ProcessingStatus } from '../../../contract/media.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { emitMediaEvents } from '../events.ts';

/*
 * pending → extracting → ready_for_reading → embedding → ready
 * pending | extracting → failed → (retry) → pending
 * ready_for_reading | embedding → failed (stage embed, still readable) → (retry) → ready_for_reading
 * pending → failed (stage upload: there is no file, so it cannot be retried)
 *
 * Every change of a media's status is here. Each function locks the row, does nothing when the row is not in the expected
 * state (a job may run twice, or late), and leaves committing to its caller. A change is told by `media.status_changed`,
 * except for those that have an event of their own: `media.ready` and `media.failed`.
 */

export interface MediaFailure {
  stage: FailureStage;
  code: string;
  message: string;
}

interface State {
  kind: MediaKind;
  processing_status: ProcessingStatus;
  failure_stage: FailureStage | null;
  job_id: string | null;
}

async function lock(tx: Transaction, mediaId: string): Promise<State | undefined> {
  const [state] = await tx<State[]>`
    select kind, processing_status, failure_stage, job_id from media where id = ${mediaId} for no key update`;
  return state;
}

async function emitStatus(
  tx: Transaction,
  media_id: string,
  kind: MediaKind,
  processing_status: ProcessingStatus,
): Promise<void> {
  await emitMediaEvents(tx, 'media.status_changed', [{ media_id, kind, processing_status }]);
}

/**
 * Whether the job may go on. From pending, the attempt is counted and the media is being extracted; a job whose worker
 * died finds what it left, and goes on as well.
 */
export async function workerStartAttempt(
  tx: Transaction,
  mediaId: string,
  jobId: string,
  log: Logger,
): Promise<boolean> {
  const state = await lock(tx, mediaId);
  const isOurs = state?.job_id === jobId;
  if (isOurs && state.processing_status === 'extracting') return true;
  if (isOurs && state.processing_status === 'pending') {
    await tx`
      update media
      set processing_status = 'extracting',
          processing_attempts = processing_attempts + 1,
          processing_started_at = now(),
          updated_at = now()
      where id = ${mediaId}`;
    await emitStatus(tx, mediaId, state.kind, 'extracting');
    return true;
  }
  log.info({ media_id: mediaId, status: state?.processing_status }, 'worker_start_attempt_noop');
  return false;
}

/** Only from extracting. */
export async function markReadyForReading(tx: Transaction, mediaId: string, log: Logger): Promise<boolean> {
  return move(tx, mediaId, ['extracting'], 'ready_for_reading', log);
}

/** Only from ready_for_reading, or from embedding, where a worker that died has left it. */
export async function workerStartIndexing(
  tx: Transaction,
  mediaId: string,
  jobId: string,
  log: Logger,
): Promise<boolean> {
  const state = await lock(tx, mediaId);
  if (state?.job_id !== jobId) {
    log.info({ media_id: mediaId, status: state?.processing_status }, 'worker_start_attempt_noop');
    return false;
  }
  return move(tx, mediaId, ['ready_for_reading', 'embedding'], 'embedding', log);
}

export async function markReady(tx: Transaction, mediaId: string, log: Logger): Promise<boolean> {
  return move(tx, mediaId, ['embedding'], 'ready', log);
}

async function move(
  tx: Transaction,
  mediaId: string,
  from: ProcessingStatus[],
  to: ProcessingStatus,
  log: Logger,
): Promise<boolean> {
  const state = await lock(tx, mediaId);
  if (!state || !from.includes(state.processing_status)) {
    log.warn({ media_id: mediaId, status: state?.processing_status, to }, 'unexpected_state');
    return false;
  }
  await tx`
    update media
    set processing_status = ${to},
        processing_completed_at = ${to === 'ready_for_reading' ? tx`now()` : tx`processing_completed_at`},
        updated_at = now()
    where id = ${mediaId}`;
  // Becoming readable is `media.ready`, emitted with the text.
  if (to !== 'ready_for_reading' && to !== state.processing_status)
    await emitStatus(tx, mediaId, state.kind, to);
  return true;
}

/** A failure that comes when the media is readable already takes nothing away. */
export async function markFailed(
  tx: Transaction,
  mediaId: string,
  { stage, code, message }: MediaFailure,
  log: Logger,
): Promise<boolean> {
  const state = await lock(tx, mediaId);
  if (!state) return false;
  if (
    state.processing_status === 'ready' ||
    (state.processing_status === 'ready_for_reading' && stage !== 'embed')
  ) {
    log.warn({ media_id: mediaId, error_code: code }, 'late_failure_ignored');
    return false;
  }
  await tx`
    update media
    set processing_status = 'failed',
        failure_stage = ${stage},
        last_error_code = ${code},
        last_error_message = ${message},
        failed_at = now(),
        updated_at = now()
    where id = ${mediaId}`;
  return true;
}

export type RetriedStatus = 'pending' | 'ready_for_reading';

/** As `retryMedia`, for who does not insist: of several who save a failed media at once, one finds it failed. */
export async function retryIfFailed(tx: Transaction, mediaId: string): Promise<RetriedStatus | undefined> {
  const state = await lock(tx, mediaId);
  if (state?.processing_status !== 'failed' || state.failure_stage === 'upload') return undefined;
  return retryMedia(tx, mediaId);
}

/**
 * Back to the beginning, or to where the search index is still to be built. Nothing of the failed attempt is left.
 * Returns the status to go on from.
 */
export async function retryMedia(tx: Transaction, mediaId: string): Promise<RetriedStatus> {
  const state = await lock(tx, mediaId);
  if (state?.processing_status !== 'failed') {
    throw new NexusError(
      'E_INVALID_STATE',
      `Only what failed can be retried; this is ${state?.processing_status}.`,
    );
  }
  if (state.failure_stage === 'upload') {
    throw new NexusError('E_INVALID_STATE', 'There is no file to try again with. Upload it again.');
  }
  await tx`delete from media_search where media_id = ${mediaId}`;
  if (state.failure_stage === 'embed') {
    await tx`
      update media
      set processing_status = 'ready_for_reading',
          failure_stage = null, last_error_code = null, last_error_message = null, failed_at = null,
          updated_at = now()
      where id = ${mediaId}`;
    await emitStatus(tx, mediaId, state.kind, 'ready_for_reading');
    return 'ready_for_reading';
  }
  await tx`delete from media_fragments where media_id = ${mediaId}`;
  await tx`delete from media_assets where media_id = ${mediaId}`;
  await tx`delete from media_images where media_id = ${mediaId}`;
  await tx`
    update media
    set processing_status = 'pending',
        stored_bytes = coalesce(file_size, 0),
        failure_stage = null, last_error_code = null, last_error_message = null, failed_at = null,
        processing_started_at = null, processing_completed_at = null,
        title = coalesce(given_title, title), plain_text = null, author = null, site = null, language = null, published = null, description = null,
        word_count = null, reading_minutes = null, page_count = null, cover = null, outline = '[]',
        updated_at = now()
    where id = ${mediaId}`;
  await emitStatus(tx, mediaId, state.kind, 'pending');
  return 'pending';
}
