import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { isBackupRunning } from '../../../platform/backup/backup-lock.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../../../platform/jobs/job-type.ts';
import { findOrphans } from '../../../platform/storage/orphans.ts';
import type { Platform } from '../../feature.ts';
import { markFailed } from '../processing/lifecycle.ts';
import { listKnownPaths } from '../store.ts';
import { deleteFiles } from './files.ts';
import { setStoredBytes } from './quota-store.ts';
import * as uploads from './upload-store.ts';

const ENDED_AT_ONCE = 1000;
const ANSWERS_KEPT_DAYS = 7;
const EXPIRY_SECONDS = 30;
const BACKUP_POLL_MS = 10_000;
const DAY_SECONDS = 24 * 60 * 60;

const ABANDONED = {
  code: 'E_UPLOAD_ABANDONED',
  message: 'The upload was not finished. Upload the file again.',
} as const;

/** Ends uploads that nobody finished: marks their media as failed, and deletes their files. */
export function periodicUploadExpiry({ sql, log, storage }: Pick<Platform, 'sql' | 'log' | 'storage'>) {
  async function end(mediaId: string): Promise<boolean> {
    const isEnded = await transaction(sql, async (tx) => {
      if ((await uploads.lockUpload(tx, mediaId))?.status !== 'open') return false;
      await uploads.closeUpload(tx, mediaId, 'expired', ABANDONED);
      await markFailed(tx, mediaId, { stage: 'upload', ...ABANDONED }, log);
      await setStoredBytes(tx, mediaId, 0);
      return true;
    });
    if (isEnded) await deleteFiles(storage, `media/${mediaId}`);
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
  return { type, everySeconds: EXPIRY_SECONDS };
}

/**
 * Deletes files that nothing refers to, from abandoned uploads and deleted media. Files are written before the rows
 * that name them, so files of the last day are kept.
 */
export function periodicOrphanSweep({ sql, storage }: Pick<Platform, 'sql' | 'storage'>) {
  const type = defineJobType('orphaned_files_sweep', {
    queue: MAINTENANCE_QUEUE,
    payload: z.strictObject({}),
    async handler(_payload, { signal, progress }) {
      await untilNoBackup(sql, signal);
      let deleted = 0;
      for await (const { path } of orphanedFiles({ sql, storage })) {
        signal.throwIfAborted();
        await storage.delete(path);
        deleted += 1;
        if (deleted % 100 === 0) await progress({ deleted });
      }
      return { result: { deleted } };
    },
  });
  return { type, everySeconds: DAY_SECONDS };
}

/** Files are not deleted while a backup runs. The sweep comes once a day, so it waits for the end of the backup. */
async function untilNoBackup(sql: Platform['sql'], signal: AbortSignal): Promise<void> {
  while (await isBackupRunning(sql)) await pause(BACKUP_POLL_MS, undefined, { signal });
}

/** Lists files older than a day that nothing refers to. */
export function orphanedFiles({ sql, storage }: Pick<Platform, 'sql' | 'storage'>) {
  const olderThan = new Date(Date.now() - DAY_SECONDS * 1000);
  return findOrphans(storage, (paths) => listKnownPaths(sql, paths), { olderThan });
}
