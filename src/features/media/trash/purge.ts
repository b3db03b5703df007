import { z } from 'zod';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { defineJobType, MAINTENANCE_QUEUE } from '../../../platform/jobs/job-type.ts';
import type { Storage } from '../../../platform/storage/storage.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import { leaveTrash } from '../../libraries/closure/closure.ts';
import { forgetMedia } from '../../libraries/closure/forget-media.ts';
import { emitMediaEvents } from '../events.ts';
import { deleteFiles } from '../files/files.ts';
import { evictImages } from '../files/image-store.ts';
import { passChargeOn } from '../files/quota-store.ts';
import { forgetUploadsOf } from '../files/upload-store.ts';
import * as store from './purge-store.ts';

/** The number of media purged in one transaction. Much data may refer to one media. */
export const PURGED_AT_ONCE = 20;
const WALKED_AT_ONCE = 1000;

export type Purge = ReturnType<typeof createPurge>;

/**
 * Deletes media permanently, once nobody has them. They are locked in the order of docs/libraries.md and checked again
 * under the lock: a parallel save, addition, restore or merge is either seen or finds them gone. Their files are
 * deleted after the commit; files that a crash leaves behind are found by the sweep of orphaned files.
 */
export function createPurge({ sql, storage }: { sql: Database; storage: Pick<Storage, 'list' | 'delete'> }) {
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
    for (const id of purged) await deleteFiles(storage, `media/${id}`);
    return purged.length;
  }

  return {
    purge,

    /** Deletes media from the viewer's trash permanently. Media that others have stay theirs. */
    fromTrash({ user_id, default_library_id }: Viewer, mediaIds: string[]): Promise<number> {
      return purge(mediaIds, async (tx, ids) => {
        leaveTrash(tx, default_library_id, ids);
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

    /** Deletes the next media that nobody has had for this many days. Nobody had them, so nobody gets an event. */
    async unheld(days: number): Promise<{ found: number; purged: number }> {
      const found = await store.listUnheldSince(sql, days, PURGED_AT_ONCE);
      const purged = await purge(found, async (_tx, ids) => ({ ids, userIds: [] }));
      return { found: found.length, purged };
    },
  };
}

/** Every hour, deletes expired trash, media that nobody has, and images that no document shows. */
export function periodicPurge({ sql, purge, days }: { sql: Database; purge: Purge; days: number }) {
  async function* steps(): AsyncGenerator<{ purged?: number; images_evicted?: number }> {
    for (;;) {
      const { expired, purged } = await purge.expiredTrash(days);
      if (expired === 0) break;
      yield { purged };
    }
    await store.forgetHeld(sql);
    let last: string | null = null;
    do {
      last = await store.noteUnheld(sql, last, WALKED_AT_ONCE);
      yield {};
    } while (last !== null);
    for (;;) {
      const { found, purged } = await purge.unheld(days);
      // Media that somebody has again must be forgotten, or they would be found again and again.
      if (purged < found) await store.forgetHeld(sql);
      if (found === 0) break;
      yield { purged };
    }
    let key: string | null = '';
    while (key !== null) {
      const images = await evictImages(sql, key, WALKED_AT_ONCE);
      key = images.last;
      yield { images_evicted: images.evicted };
    }
  }

  const type = defineJobType('media_purge', {
    queue: MAINTENANCE_QUEUE,
    payload: z.strictObject({}),
    async handler(_payload, { signal, progress }) {
      const done = { purged: 0, images_evicted: 0 };
      for await (const { purged = 0, images_evicted = 0 } of steps()) {
        signal.throwIfAborted();
        done.purged += purged;
        done.images_evicted += images_evicted;
        if (purged + images_evicted > 0) await progress(done);
      }
      return { result: done };
    },
  });
  return { type, everySeconds: 3600 };
}

/**
 * Deletes media that the caller has locked and that no library lists any more, and emits `media.deleted`. `userIds` are
 * people who receive the event, besides admins.
 */
async function deleteMedia(tx: Transaction, mediaIds: string[], userIds?: string[]): Promise<void> {
  const deleted = await store.deleteMedia(tx, mediaIds);
  const payloads = deleted.map((media) => ({ ...media, ...(userIds && { user_ids: userIds }) }));
  await emitMediaEvents(tx, 'media.deleted', payloads);
}

/** Removes a media that another one replaces from every library, and deletes it. */
export async function deleteReplaced(tx: Transaction, mediaId: string): Promise<void> {
  await store.lockForPurge(tx, [mediaId]);
  await forgetMedia(tx, mediaId);
  await deleteMedia(tx, [mediaId]);
}
