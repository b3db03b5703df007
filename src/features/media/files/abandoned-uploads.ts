import { z } from 'zod';
import type { Database } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../../../platform/jobs/job-type.ts';
import type { Periodic } from '../../../platform/jobs/periodic/periodic.ts';
import type { Storage } from '../../../platform/storage/storage.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { failMedia } from '../processing/fail-media.ts';
import { setStoredBytes } from './quota-store.ts';
import { deleteFilesOf } from './stored-files.ts';
import * as uploads from './upload-store.ts';

const ENDED_AT_ONCE = 1000;
const ANSWERS_KEPT_DAYS = 7;
const EVERY_SECONDS = 30;

export interface AbandonedUploadsDependencies {
  sql: Database;
  log: Logger;
  storage: Pick<Storage, 'list' | 'delete'>;
}

/** Ends uploads that nobody finished: their media have failed, and what was stored of them is deleted. */
export function periodicUploadExpiry({ sql, log, storage }: AbandonedUploadsDependencies): Periodic {
  async function end(mediaId: string): Promise<boolean> {
    const isEnded = await transaction(sql, async (tx) => {
      if ((await uploads.lockUpload(tx, mediaId))?.status !== 'open') return false;
      await uploads.closeUpload(tx, mediaId, 'expired', ABANDONED);
      await failMedia(tx, mediaId, { stage: 'upload', ...ABANDONED }, log);
      await setStoredBytes(tx, mediaId, 0);
      return true;
    });
    if (isEnded) await deleteFilesOf(storage, mediaId);
    return isEnded;
  }

  const type = defineJobType('upload_expiry', {
    queue: MAINTENANCE_QUEUE,
    payload: z.strictObject({}),
    async handler(_payload, { signal }) {
      let uploads_ended = 0;
      for (const mediaId of await uploads.listAbandoned(sql, ENDED_AT_ONCE)) {
        signal.throwIfAborted();
        if (await end(mediaId)) uploads_ended += 1;
      }
      await uploads.forgetClosedUploads(sql, ANSWERS_KEPT_DAYS);
      return { result: { uploads_ended } };
    },
  });
  return { type, everySeconds: EVERY_SECONDS };
}

const ABANDONED = {
  code: 'E_UPLOAD_ABANDONED',
  message: 'The upload was not finished. Upload the file again.',
} as const;
