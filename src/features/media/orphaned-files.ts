import { z } from 'zod';
import type { Database } from '../../platform/database/database.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../../platform/jobs/job-type.ts';
import { findOrphans, type KnownAmong } from '../../platform/storage/orphans.ts';
import type { Storage } from '../../platform/storage/storage.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Deletes files that nothing refers to: of uploads that were never ended, of media that are gone. Files are written before
 * the rows that name them, so those of the last day are left alone.
 */
export function periodicOrphanSweep({ sql, storage }: { sql: Database; storage: Storage }) {
  const knownAmong: KnownAmong = async (paths) => {
    const known = await sql<{ path: string }[]>`
      select path
      from unnest(${paths}::text[]) as given (path)
      where exists (select from media where file_path = path)
        or exists (select from media_assets where media_assets.path = given.path)
        or exists (select from images where 'images/' || content_sha256 = path)`;
    return known.map(({ path }) => path);
  };

  const type = defineJobType('orphaned_files_sweep', {
    queue: MAINTENANCE_QUEUE,
    payload: z.strictObject({}),
    async handler(_payload, { signal, progress }) {
      let deleted = 0;
      const olderThan = new Date(Date.now() - DAY_MS);
      for await (const { path } of findOrphans(storage, knownAmong, { olderThan })) {
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
