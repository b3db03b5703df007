import { z } from 'zod';
import type { Database } from '../../../platform/database/database.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../../../platform/jobs/job-type.ts';
import { findOrphans } from '../../../platform/storage/orphans.ts';
import type { Storage, StoredFile } from '../../../platform/storage/storage.ts';
import { listKnownPaths } from '../store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Deletes files that nothing refers to, from abandoned uploads and deleted media. Files are written before the rows
 * that name them, so files of the last day are kept.
 */
export function periodicOrphanSweep({ sql, storage }: { sql: Database; storage: Storage }) {
  const type = defineJobType('orphaned_files_sweep', {
    queue: MAINTENANCE_QUEUE,
    payload: z.strictObject({}),
    async handler(_payload, { signal, progress }) {
      let deleted = 0;
      for await (const { path } of orphanedFiles(sql, storage)) {
        signal.throwIfAborted();
        await storage.delete(path);
        deleted += 1;
        if (deleted % 100 === 0) await progress({ deleted });
      }
      return { result: { deleted } };
    },
  });
  return { type, everySeconds: DAY_MS / 1000 };
}

/** Lists files older than a day that nothing refers to. */
export function orphanedFiles(sql: Database, storage: Storage): AsyncGenerator<StoredFile> {
  const olderThan = new Date(Date.now() - DAY_MS);
  return findOrphans(storage, (paths) => listKnownPaths(sql, paths), { olderThan });
}
