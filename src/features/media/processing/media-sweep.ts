import { z } from 'zod';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../../../platform/jobs/job-type.ts';
import type { Storage } from '../../../platform/storage/storage.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { setStoredBytes } from '../files/quota-store.ts';
import { deleteFilesOf } from '../files/stored-files.ts';
import * as uploads from '../files/upload-store.ts';
import { failMedia } from './fail-media.ts';
import * as store from './stranded-store.ts';

const SWEPT_AT_ONCE = 1000;
const ANSWERS_KEPT_DAYS = 7;

export interface MediaSweepDependencies {
  sql: Database;
  log: Logger;
  storage: Pick<Storage, 'list' | 'delete'>;
}

export type MediaSweep = ReturnType<typeof createMediaSweep>;

/**
 * Keeps one promise: every media that is neither ready nor failed has a live job or an open upload. What a job left on
 * its way that was cancelled, or given up, has failed and can be retried; so has an upload that nobody finished.
 */
export function createMediaSweep({ sql, log, storage }: MediaSweepDependencies) {
  /** False when somebody has given it a job in the meantime. */
  async function failStranded(mediaId: string): Promise<boolean> {
    return transaction(sql, async (tx) => {
      const status = await store.lockStranded(tx, mediaId);
      if (!status) return false;
      const isReadable = status === 'ready_for_reading' || status === 'embedding';
      return failMedia(tx, mediaId, { stage: isReadable ? 'embed' : 'other', ...STOPPED }, log);
    });
  }

  async function endAbandoned(mediaId: string): Promise<boolean> {
    const isEnded = await transaction(sql, async (tx) => {
      if ((await uploads.lockUpload(tx, mediaId))?.status !== 'open') return false;
      await uploads.closeUpload(tx, mediaId, 'expired', ABANDONED);
      await failUpload(tx, mediaId);
      return true;
    });
    if (isEnded) await deleteFilesOf(storage, mediaId);
    return isEnded;
  }

  async function failUpload(tx: Transaction, mediaId: string): Promise<void> {
    await failMedia(tx, mediaId, { stage: 'upload', ...ABANDONED }, log);
    await setStoredBytes(tx, mediaId, 0);
  }

  async function sweep(signal: AbortSignal): Promise<{ failed: number; uploads_ended: number }> {
    let [failed, uploads_ended] = [0, 0];
    for (const mediaId of await store.listStranded(sql, SWEPT_AT_ONCE)) {
      signal.throwIfAborted();
      if (await failStranded(mediaId)) failed += 1;
    }
    for (const mediaId of await uploads.listAbandoned(sql, SWEPT_AT_ONCE)) {
      signal.throwIfAborted();
      if (await endAbandoned(mediaId)) uploads_ended += 1;
    }
    await uploads.forgetClosedUploads(sql, ANSWERS_KEPT_DAYS);
    return { failed, uploads_ended };
  }

  return {
    sweep,
    failStranded,
    periodic: {
      type: defineJobType('media_sweep', {
        queue: MAINTENANCE_QUEUE,
        payload: z.strictObject({}),
        handler: async (_payload, { signal }) => ({ result: await sweep(signal) }),
      }),
      everySeconds: 30,
    },
  };
}

const STOPPED = {
  code: 'E_PROCESSING_STOPPED',
  message: 'Processing was stopped before it was done. Retry to start again.',
} as const;

const ABANDONED = {
  code: 'E_UPLOAD_ABANDONED',
  message: 'The upload was not finished. Upload the file again.',
} as const;
