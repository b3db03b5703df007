import { NexusError } from '../../../contract/errors.ts';
import type { FailureStage, MediaKind, ProcessingStatus } from '../../../contract/media.ts';
import type { Queryable, Transaction } from '../../../platform/database/database.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { emitMediaEvents } from '../events.ts';

/*
 * pending → extracting → ready_for_reading → embedding → ready
 * pending | extracting → failed → (retry) → pending
 * ready_for_reading | embedding → failed (stage embed, still readable) → (retry) → ready_for_reading
 * pending → failed (stage upload: there is no file, so it cannot be retried)
 *
 * Every change of a media's status is here. Each function locks the row, does nothing when the row is not in the expected
 * state (a job may run twice, or late), and leaves committing to its caller. A change emits `media.status_changed`,
 * except for those that have an event of their own: `media.ready` and `media.failed`.
 */

/** Whether a media has text to read, even if indexing it failed. */
export const isReadable = (sql: Queryable) => sql`(
  media.processing_status in ('ready_for_reading', 'embedding', 'ready')
  or (media.processing_status = 'failed' and media.failure_stage = 'embed')
)`;

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

const emitStatus = (tx: Transaction, media_id: string, kind: MediaKind, status: ProcessingStatus) =>
  emitMediaEvents(tx, 'media.status_changed', [{ media_id, kind, processing_status: status }]);

/** Starts the extraction and counts the attempt, or continues after a worker died. False when the job may not. */
export async function workerStartAttempt(tx: Transaction, mediaId: string, jobId: string, log: Logger) {
  const state = await lock(tx, mediaId);
  const isOurs = state?.job_id === jobId;
  if (isOurs && state.processing_status === 'extracting') return true;
  if (!isOurs || state.processing_status !== 'pending') return ignoreStart(mediaId, state, log);
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

function ignoreStart(mediaId: string, state: State | undefined, log: Logger): false {
  const status = state?.processing_status;
  log.info(
    { event: 'worker_start_attempt_noop', media_id: mediaId, status },
    'an attempt was not started: the media does not wait for this job',
  );
  return false;
}

export function markReadyForReading(tx: Transaction, mediaId: string, log: Logger): Promise<boolean> {
  return move(tx, mediaId, { from: ['extracting'], to: 'ready_for_reading' }, log);
}

/** Starts indexing, or continues it after a worker died. */
export async function workerStartIndexing(tx: Transaction, mediaId: string, jobId: string, log: Logger) {
  const state = await lock(tx, mediaId);
  if (state?.job_id !== jobId) return ignoreStart(mediaId, state, log);
  return move(tx, mediaId, { from: ['ready_for_reading', 'embedding'], to: 'embedding' }, log);
}

export function markReady(tx: Transaction, mediaId: string, log: Logger): Promise<boolean> {
  return move(tx, mediaId, { from: ['embedding'], to: 'ready' }, log);
}

async function move(
  tx: Transaction,
  mediaId: string,
  { from, to }: { from: ProcessingStatus[]; to: ProcessingStatus },
  log: Logger,
): Promise<boolean> {
  const state = await lock(tx, mediaId);
  if (!state || !from.includes(state.processing_status)) {
    const status = state?.processing_status;
    log.warn(
      { event: 'unexpected_state', media_id: mediaId, status, to },
      'the status of a media was not changed: it is not the expected one',
    );
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

/** Marks a media as failed and emits `media.failed`. False when it is gone, or readable already: a late failure is ignored. */
export async function markFailed(
  tx: Transaction,
  mediaId: string,
  { stage, code, message }: MediaFailure,
  log: Logger,
): Promise<boolean> {
  const state = await lock(tx, mediaId);
  if (!state) return false;
  const { kind, processing_status: status } = state;
  if (status === 'ready' || (status === 'ready_for_reading' && stage !== 'embed')) {
    log.warn(
      { event: 'late_failure_ignored', media_id: mediaId, error_code: code },
      'a failure was ignored: it came after the media was readable',
    );
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
  const payload = { media_id: mediaId, kind, failure_stage: stage, error_code: code };
  await emitMediaEvents(tx, 'media.failed', [payload]);
  return true;
}

export type RetriedStatus = 'pending' | 'ready_for_reading';

/** Like `retryMedia`, but does nothing for a media that has not failed: several people may save it at once. */
export async function retryIfFailed(tx: Transaction, mediaId: string): Promise<RetriedStatus | undefined> {
  const state = await lock(tx, mediaId);
  if (state?.processing_status !== 'failed' || state.failure_stage === 'upload') return undefined;
  return retryMedia(tx, mediaId);
}

/**
 * Resets a failed media to the start, or to where its search rows are still to be built, and deletes everything that the
 * failed attempt left. Returns the status to continue from.
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
    throw new NexusError('E_INVALID_STATE', 'There is no file to retry with. Upload it again.');
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
        title = case when title_edited_at is null then coalesce(given_title, title) else title end, plain_text = null, author = null, site = null, language = null,
        published = null, description = null, word_count = null, reading_minutes = null, page_count = null,
        cover = null, thumbnail = null, thumbnail_asked_at = null, outline = '[]', book = null,
        updated_at = now()
    where id = ${mediaId}`;
  await emitStatus(tx, mediaId, state.kind, 'pending');
  return 'pending';
}
