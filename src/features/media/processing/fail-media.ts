import type { Transaction } from '../../../platform/database/database.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { emitMediaEvents } from '../events.ts';
import { findSource } from '../store.ts';
import * as lifecycle from './lifecycle.ts';

/** Marks a media as failed, and emits the event. False when it is in no state to fail. */
export async function failMedia(
  tx: Transaction,
  mediaId: string,
  failure: lifecycle.MediaFailure,
  log: Logger,
): Promise<boolean> {
  const isFailed = await lifecycle.markFailed(tx, mediaId, failure, log);
  const source = isFailed && (await findSource(tx, mediaId));
  if (source) {
    const { stage: failure_stage, code: error_code } = failure;
    await emitMediaEvents(tx, 'media.failed', [
      { media_id: mediaId, kind: source.kind, failure_stage, error_code },
    ]);
  }
  return isFailed;
}
