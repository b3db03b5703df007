import { NexusError } from '../../contract/errors.ts';
import type { Provenance } from '../../contract/libraries.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { requireAdmin } from './access/access.ts';
import { mayRead, type Viewer } from './access/can-read-media.ts';
import * as closure from './closure/closure.ts';
import { lockContents } from './closure/lock-contents.ts';
import * as store from './store.ts';

export type LibraryMediaService = ReturnType<typeof createLibraryMedia>;

export function createLibraryMedia({ sql }: { sql: Database }) {
  return {
    async add(
      viewer: Viewer,
      libraryId: string,
      mediaId: string,
      requestId?: string,
    ): Promise<{ created: boolean }> {
      return transaction(sql, async (tx) => {
        await lockContents(tx, [libraryId], [mediaId]);
        requireAdmin(await store.findLibrary(tx, viewer.user_id, libraryId));
        await requireReadable(tx, viewer, mediaId);
        if (!(await store.holdMedia(tx, mediaId))) mediaNotFound();
        if (libraryId === viewer.default_library_id) {
          return closure.addToDefaultLibrary(tx, libraryId, mediaId, viewer.user_id, requestId);
        }
        requireAdmin(await store.lockLibrary(tx, viewer.user_id, libraryId));
        return closure.addToLibrary(tx, libraryId, mediaId, viewer.user_id, requestId);
      });
    },

    /** Adds many media to a shared library, in the caller's transaction, which holds them and the library's contents. */
    async addAll(
      tx: Transaction,
      viewer: Viewer,
      libraryId: string,
      mediaIds: string[],
      requestId?: string,
    ): Promise<void> {
      requireAdmin(await store.findLibrary(tx, viewer.user_id, libraryId));
      requireAdmin(await store.lockLibrary(tx, viewer.user_id, libraryId));
      await closure.addAllToLibrary(tx, libraryId, mediaIds, viewer.user_id, { requestId });
    },

    /**
     * From the default library, only what the viewer saved goes; what comes through a library stays. What the viewer does
     * not have any more is in their trash.
     */
    async remove(viewer: Viewer, libraryId: string, mediaId: string, requestId?: string): Promise<void> {
      await transaction(sql, async (tx) => {
        await lockContents(tx, [libraryId], [mediaId]);
        requireAdmin(await store.findLibrary(tx, viewer.user_id, libraryId));
        await requireReadable(tx, viewer, mediaId);
        // Held, so that it cannot turn out to be another media while it is removed.
        if (!(await store.holdMedia(tx, mediaId))) mediaNotFound();
        if (libraryId === viewer.default_library_id) {
          const saved = await closure.removeFromDefaultLibrary(tx, libraryId, mediaId, requestId);
          if (saved) await closure.putIntoTrash(tx, libraryId, saved);
          return;
        }
        requireAdmin(await store.lockLibrary(tx, viewer.user_id, libraryId));
        const isRemoved = await closure.removeFromLibrary(tx, libraryId, mediaId, viewer.user_id, requestId);
        if (!isRemoved) mediaNotFound();
        const trashed = { media_id: mediaId, library_id: libraryId };
        await closure.putIntoTrash(tx, viewer.default_library_id, trashed);
      });
    },

    async provenance(viewer: Viewer, mediaId: string): Promise<Provenance> {
      return transaction(sql, async (tx) => {
        await requireReadable(tx, viewer, mediaId);
        return store.findProvenance(tx, viewer, mediaId);
      });
    },
  };
}

async function requireReadable(tx: Transaction, viewer: Viewer, mediaId: string): Promise<void> {
  if (!(await mayRead(tx, viewer, mediaId))) mediaNotFound();
}

function mediaNotFound(): never {
  throw new NexusError('E_MEDIA_NOT_FOUND', 'There is no such media here, or you may not read it.');
}
