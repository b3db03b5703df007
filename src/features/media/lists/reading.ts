import type { Reading, UpdateReading } from '../../../contract/reading.ts';
import type { Database } from '../../../platform/database/database.ts';
import { mediaNotFound } from '../../libraries/access/access.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import { deleteReading, writeReading } from './reading-store.ts';

export type Readings = ReturnType<typeof createReadings>;

export function createReadings({ sql }: { sql: Database }) {
  return {
    /** Of two devices that write at once, the later one by the database's clock is kept. */
    async update(viewer: Viewer, mediaId: string, change: UpdateReading): Promise<Reading> {
      return (await writeReading(sql, viewer, mediaId, change)) ?? mediaNotFound();
    },

    async forget(viewer: Viewer, mediaId: string): Promise<void> {
      if (!(await deleteReading(sql, viewer, mediaId))) mediaNotFound();
    },
  };
}
