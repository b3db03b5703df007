import type { Database, Transaction } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import type { Storage } from '../../../platform/storage/storage.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import { leaveTrash } from '../../libraries/closure/closure.ts';
import { passChargeOn } from '../files/quota-store.ts';
import { deleteFilesOf } from '../files/stored-files.ts';
import { forgetUploadsOf } from '../files/upload-store.ts';
import { deleteMedia } from './delete-media.ts';
import * as store from './purge-store.ts';

/** In one transaction: what hangs on a media can be much. */
export const PURGED_AT_ONCE = 20;

export interface PurgeDependencies {
  sql: Database;
  storage: Pick<Storage, 'list' | 'delete'>;
}

export type Purge = ReturnType<typeof createPurge>;

/**
 * Deletes media for good, once nobody holds them. They are locked first, as in docs/libraries.md, and looked at again
 * under the lock: whoever saves, adds, restores or merges at the same time either is seen or finds them gone. Their files
 * are deleted after the commit; what a crash leaves of them is found by the sweep of orphaned files.
 */
export function createPurge({ sql, storage }: PurgeDependencies) {
  /** Purges those of the media that nobody holds once `letGo` is done. Returns how many were. */
  async function purge(
    mediaIds: string[],
    letGo: (tx: Transaction, lockedIds: string[]) => Promise<{ ids: string[]; userIds: string[] }>,
  ): Promise<number> {
    const purged = await transaction(sql, async (tx) => {
      const locked = await store.lockForPurge(tx, mediaIds);
      const { ids, userIds } = await letGo(tx, locked);
      const unheld = await store.listUnheldAmong(tx, ids);
      for (const id of ids) if (!unheld.includes(id)) await passChargeOn(tx, id);
      await forgetUploadsOf(tx, unheld);
      await deleteMedia(tx, unheld, userIds);
      return unheld;
    });
    for (const id of purged) await deleteFilesOf(storage, id);
    return purged.length;
  }

  return {
    purge,

    /** Deletes for good what is in the viewer's trash. What others hold, too, leaves the trash and stays theirs. */
    fromTrash({ user_id, default_library_id }: Viewer, mediaIds: string[]): Promise<number> {
      return purge(mediaIds, async (tx, ids) => {
        await leaveTrash(tx, default_library_id, ids);
        return { ids, userIds: [user_id] };
      });
    },

    /** Empties the trash of what has been in it for so long, a batch at a time. Returns how many rows it looked at. */
    async expiredTrash(days: number): Promise<{ expired: number; purged: number }> {
      const rows = await store.listExpiredTrash(sql, days, PURGED_AT_ONCE);
      let purged = 0;
      for (const row of rows) {
        purged += await purge([row.media_id], async (tx, ids) => {
          const isExpired = await store.deleteExpiredTrash(tx, row, days);
          return { ids: isExpired ? ids : [], userIds: [row.user_id] };
        });
      }
      return { expired: rows.length, purged };
    },

    /** The next media that nobody has held for so long. Nobody is told: nobody had them. */
    async unheld(days: number): Promise<{ found: number; purged: number }> {
      const found = await store.listUnheldSince(sql, days, PURGED_AT_ONCE);
      const purged = await purge(found, async (_tx, ids) => ({ ids, userIds: [] }));
      return { found: found.length, purged };
    },
  };
}
