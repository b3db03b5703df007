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

/** The number of media purged in one transaction. Much data may refer to one media. */
export const PURGED_AT_ONCE = 20;

export interface PurgeDependencies {
  sql: Database;
  storage: Pick<Storage, 'list' | 'delete'>;
}

export type Purge = ReturnType<typeof createPurge>;

/**
 * Deletes media permanently, once nobody has them. They are locked in the order of docs/libraries.md and checked again
 * under the lock: a parallel save, addition, restore or merge is either seen or finds them gone. Their files are
 * deleted after the commit; files that a crash leaves behind are found by the sweep of orphaned files.
 */
export function createPurge({ sql, storage }: PurgeDependencies) {
  /** Deletes the media that nobody has once `letGo` is done. Returns how many were deleted. */
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

    /** Deletes media from the viewer's trash permanently. Media that others have stay theirs. */
    fromTrash({ user_id, default_library_id }: Viewer, mediaIds: string[]): Promise<number> {
      return purge(mediaIds, async (tx, ids) => {
        await leaveTrash(tx, default_library_id, ids);
        return { ids, userIds: [user_id] };
      });
    },

    /** Deletes the next batch of expired trash. Returns how many rows it checked. */
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

    /**
     * Deletes the next media that nobody has had for this many days. Nobody receives an event, because nobody had them.
     */
    async unheld(days: number): Promise<{ found: number; purged: number }> {
      const found = await store.listUnheldSince(sql, days, PURGED_AT_ONCE);
      const purged = await purge(found, async (_tx, ids) => ({ ids, userIds: [] }));
      return { found: found.length, purged };
    },
  };
}
