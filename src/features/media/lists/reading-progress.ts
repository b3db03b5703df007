import type { ReadingProgress, UpdateReading } from '../../../contract/reading.ts';
import type { Database } from '../../../platform/database/database.ts';
import { mediaNotFound } from '../../libraries/access/access.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import { deleteReadingProgress, writeReadingProgress } from './reading-progress-store.ts';

export type ReadingProgressService = ReturnType<typeof createReadingProgress>;

export function createReadingProgress({ sql }: { sql: Database }) {
  return {
    /** Writes reading progress. When two devices write at once, the later one by the database's clock wins. */
    async update(viewer: Viewer, mediaId: string, change: UpdateReading): Promise<ReadingProgress> {
      return (await writeReadingProgress(sql, viewer, mediaId, change)) ?? mediaNotFound();
    },

    async forget(viewer: Viewer, mediaId: string): Promise<void> {
      if (!(await deleteReadingProgress(sql, viewer, mediaId))) mediaNotFound();
    },
  };
}
