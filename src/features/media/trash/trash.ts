import { z } from 'zod';
import type { ListQuery } from '../../../contract/wire.ts';
import type { Actor } from '../../../platform/audit/audit.ts';
import { cutByCursor, decodeCursor } from '../../../platform/cursor.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { mediaNotFound } from '../../libraries/access/access.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import type { ManyChanged } from '../../libraries/change-contents.ts';
import { leaveTrash, type Trashed } from '../../libraries/closure/closure.ts';
import { holdMedia, lockContents } from '../../libraries/closure/lock-contents.ts';
import { addMedia, type LibraryMediaService } from '../../libraries/library-media.ts';
import { PURGED_AT_ONCE, type Purge } from './purge.ts';
import * as store from './trash-store.ts';

const position = z.object({ trashed_us: z.int(), media_id: z.uuid() });

interface TrashDependencies {
  sql: Database;
  purge: Purge;
  libraryMedia: Pick<LibraryMediaService, 'remove'>;
  days: number;
}

export type Trash = ReturnType<typeof createTrash>;

/** A person's trash: media that they removed and that are not yet deleted permanently. Nobody else sees it. */
export function createTrash({ sql, purge, libraryMedia, days }: TrashDependencies) {
  /** Moves a media from the viewer's default library to their trash. It stays listed if a shared library lists it too. */
  const remove = (viewer: Viewer, mediaId: string, requestId?: string): Promise<void> =>
    libraryMedia.remove(viewer, viewer.default_library_id, mediaId, requestId);

  return {
    async list(viewer: Viewer, { cursor, limit }: ListQuery) {
      const last = decodeCursor(cursor, position);
      return cutByCursor(await store.listTrash(sql, viewer, { days, last, limit: limit + 1 }), limit);
    },

    remove,

    /** Removes a media and deletes it permanently, unless others have it. A crash in between leaves it in the trash. */
    async removePermanently(viewer: Viewer, mediaId: string, requestId?: string): Promise<void> {
      await remove(viewer, mediaId, requestId);
      await purge.fromTrash(viewer, [mediaId]);
    },

    /** Restores a media to the library it was removed from: the viewer's default library, or a shared one. */
    async restore(
      viewer: Viewer,
      mediaId: string,
      actor: Pick<Actor, 'requestId' | 'claim'> = {},
    ): Promise<void> {
      const { default_library_id } = viewer;
      const { requestId } = actor;
      const restored = async (tx: Transaction) => {
        const find = () => store.findTrashed(tx, viewer, mediaId);
        const target = (await find())?.library_id ?? default_library_id;
        await lockContents(tx, [target], [mediaId]);
        await holdMedia(tx, [mediaId]);
        const trashed = await find();
        if (!trashed || (trashed.library_id ?? default_library_id) !== target) mediaNotFound();
        await addMedia(tx, viewer, { libraryId: target, media: [trashed], requestId });
        leaveTrash(tx, default_library_id, [mediaId]);
      };
      await transaction(sql, restored, actor);
    },

    /**
     * Restores many media, in one transaction, also those that the viewer can read again through a library. Media that are
     * not in the trash are counted as not found.
     */
    restoreMany(viewer: Viewer, mediaIds: string[], actor: Pick<Actor, 'requestId' | 'claim'>) {
      const { default_library_id } = viewer;
      const targetOf = ({ library_id }: Trashed) => library_id ?? default_library_id;
      const restored = async (tx: Transaction): Promise<ManyChanged> => {
        const targets = new Set((await store.listTrashed(tx, viewer, mediaIds)).map(targetOf));
        await lockContents(tx, [...targets], mediaIds);
        await holdMedia(tx, mediaIds);
        // Another request may have changed the trash before the lock; what is for another library now is left there.
        const trashed = (await store.listTrashed(tx, viewer, mediaIds)).filter((row) =>
          targets.has(targetOf(row)),
        );
        for (const libraryId of targets) {
          const media = trashed.filter((row) => targetOf(row) === libraryId);
          if (media.length > 0) await addMedia(tx, viewer, { libraryId, media, requestId: actor.requestId });
        }
        const changedIds = trashed.map(({ media_id }) => media_id);
        leaveTrash(tx, default_library_id, changedIds);
        return { changedIds, unchanged: 0, not_found: mediaIds.length - changedIds.length };
      };
      return transaction(sql, restored, actor);
    },

    async delete(viewer: Viewer, mediaId: string): Promise<void> {
      if (!(await store.findTrashed(sql, viewer, mediaId))) mediaNotFound();
      await purge.fromTrash(viewer, [mediaId]);
    },

    async deleteAll(viewer: Viewer): Promise<void> {
      for (;;) {
        const mediaIds = await store.nextInTrash(sql, viewer, PURGED_AT_ONCE);
        if (mediaIds.length === 0) return;
        await purge.fromTrash(viewer, mediaIds);
      }
    },
  };
}
