import { z } from 'zod';
import type { TrashedMedia } from '../../contract/trash.ts';
import type { Page } from '../../contract/wire.ts';
import { cutPositioned, readPosition } from '../../platform/cursor.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { mayRead, type Viewer } from '../libraries/can-read-media.ts';
import { addToDefaultLibrary, putIntoTrash, removeFromDefaultLibrary } from '../libraries/closure.ts';
import { tellLibrary } from '../libraries/events.ts';
import { mediaNotFound } from './media.ts';
import { PURGED_AT_ONCE, type Purge } from './purge.ts';
import * as store from './trash-store.ts';

const position = z.object({ trashed_us: z.int(), media_id: z.uuid() });

export type Trash = ReturnType<typeof createTrash>;

/** What a person removed from their own library, until it is deleted for good. Nobody else sees it. */
export function createTrash({ sql, purge, days }: { sql: Database; purge: Purge; days: number }) {
  async function unlist(
    tx: Transaction,
    { user_id, default_library_id: library_id }: Viewer,
    mediaId: string,
    requestId?: string,
  ): Promise<boolean> {
    const { removed } = await removeFromDefaultLibrary(tx, library_id, mediaId);
    const told = { library_id, media_id: mediaId, removed_by_user_id: user_id };
    if (removed) await tellLibrary(tx, 'library.media_removed', told, requestId);
    return removed;
  }

  return {
    async list(
      viewer: Viewer,
      query: { cursor?: string | undefined; limit: number },
    ): Promise<{ rows: TrashedMedia[]; page: Page }> {
      const last = readPosition(query.cursor, position);
      return cutPositioned(await store.listTrash(sql, viewer, days, last, query.limit + 1), query.limit);
    },

    /** From the viewer's default library into their trash. What comes through a library stays. */
    async remove(viewer: Viewer, mediaId: string, requestId?: string): Promise<void> {
      await transaction(sql, async (tx) => {
        if (!(await store.holdMedia(tx, mediaId)) || !(await mayRead(tx, viewer, mediaId))) mediaNotFound();
        const isRemoved = await unlist(tx, viewer, mediaId, requestId);
        if (isRemoved) await putIntoTrash(tx, viewer.default_library_id, mediaId);
      });
    },

    /** At once, and not by way of the trash. What others hold, too, stays theirs. */
    async removePermanently(viewer: Viewer, mediaId: string, requestId?: string): Promise<void> {
      await purge.purge([mediaId], async (tx, ids) => {
        if (ids.length === 0 || !(await mayRead(tx, viewer, mediaId))) mediaNotFound();
        await unlist(tx, viewer, mediaId, requestId);
        return { ids, userIds: [viewer.user_id] };
      });
    },

    async restore(viewer: Viewer, mediaId: string, requestId?: string): Promise<void> {
      await transaction(sql, async (tx) => {
        const isThere = (await store.holdMedia(tx, mediaId)) && (await store.isTrashed(tx, viewer, mediaId));
        if (!isThere) mediaNotFound();
        const { default_library_id: library_id, user_id } = viewer;
        await addToDefaultLibrary(tx, library_id, mediaId, user_id);
        const told = { library_id, media_id: mediaId, added_by_user_id: user_id };
        await tellLibrary(tx, 'library.media_added', told, requestId);
      });
    },

    async delete(viewer: Viewer, mediaId: string): Promise<void> {
      if (!(await store.isTrashed(sql, viewer, mediaId))) mediaNotFound();
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
