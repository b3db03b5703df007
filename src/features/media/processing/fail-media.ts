import type { Transaction } from '../../../platform/database/database.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { tellMedia } from '../events.ts';
import * as lifecycle from './lifecycle.ts';

/** Marks a media as failed, and emits the event. False when it is in no state to fail. */
export async function failMedia(
  tx: Transaction,
  mediaId: string,
  failure: lifecycle.MediaFailure,
  log: Logger,
): Promise<boolean> {
  const isFailed = await lifecycle.markFailed(tx, mediaId, failure, log);
  if (isFailed) {
    await tellMedia(tx, 'media.failed', mediaId, {
      failure_stage: failure.stage,
      error_code: failure.code,
    });
  }
  return isFailed;
}
