import { z } from 'zod';
import { NexusError } from '../../contract/errors.ts';
import type { LibraryMedia, Provenance } from '../../contract/libraries.ts';
import type { Page } from '../../contract/wire.ts';
import { cutPositioned, readPosition } from '../../platform/cursor.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { requireAdmin, requireMember } from './access.ts';
import { mayRead, type Viewer } from './can-read-media.ts';
import * as closure from './closure.ts';
import { tellLibrary, tellMediaAdded } from './events.ts';
import type { ListQuery } from './libraries.ts';
import * as store from './store.ts';

export type LibraryMediaService = ReturnType<typeof createLibraryMedia>;

const position = z.object({ added_us: z.int(), media_id: z.uuid() });

export function createLibraryMedia({ sql }: { sql: Database }) {
  return {
    async list(
      viewer: Viewer,
      libraryId: string,
      query: ListQuery,
    ): Promise<{ rows: LibraryMedia[]; page: Page }> {
      const library = requireMember(await store.findLibrary(sql, viewer.user_id, libraryId));
      const last = readPosition(query.cursor, position);
      return cutPositioned(
        await store.listLibraryMedia(sql, viewer, library, last, query.limit + 1),
        query.limit,
      );
    },

    async add(
      viewer: Viewer,
      libraryId: string,
      mediaId: string,
      requestId?: string,
    ): Promise<{ created: boolean }> {
      return transaction(sql, async (tx) => {
        const added = await list(tx);
        const told = { library_id: libraryId, media_id: mediaId, added_by_user_id: viewer.user_id };
        if (added.created) await tellLibrary(tx, 'library.media_added', told, requestId);
        return added;
      });

      async function list(tx: Transaction): Promise<{ created: boolean }> {
        requireAdmin(await store.findLibrary(tx, viewer.user_id, libraryId));
        await requireReadable(tx, viewer, mediaId);
        if (!(await store.holdMedia(tx, mediaId))) mediaNotFound();
        if (libraryId === viewer.default_library_id) {
          return closure.addToDefaultLibrary(tx, libraryId, mediaId, viewer.user_id);
        }
        requireAdmin(await store.lockLibrary(tx, viewer.user_id, libraryId));
        return closure.addToLibrary(tx, libraryId, mediaId, viewer.user_id);
      }
    },

    /** For who adds many in a transaction of their own, to media that they hold. */
    async addAll(
      tx: Transaction,
      viewer: Viewer,
      libraryId: string,
      mediaIds: string[],
      requestId?: string,
    ): Promise<void> {
      requireAdmin(await store.findLibrary(tx, viewer.user_id, libraryId));
      if (libraryId === viewer.default_library_id) {
        await closure.addAllToDefaultLibrary(tx, libraryId, mediaIds, viewer.user_id);
        return;
      }
      requireAdmin(await store.lockLibrary(tx, viewer.user_id, libraryId));
      const added = await closure.addAllToLibrary(tx, libraryId, mediaIds, viewer.user_id);
      await tellMediaAdded(tx, libraryId, added, viewer.user_id, requestId);
    },

    /**
     * From the default library, only what the viewer saved goes; what comes through a library stays. What the viewer does
     * not have any more is in their trash.
     */
    async remove(viewer: Viewer, libraryId: string, mediaId: string, requestId?: string): Promise<void> {
      await transaction(sql, async (tx) => {
        const told = { library_id: libraryId, media_id: mediaId, removed_by_user_id: viewer.user_id };
        if (await unlist(tx)) await tellLibrary(tx, 'library.media_removed', told, requestId);
      });

      async function unlist(tx: Transaction): Promise<boolean> {
        requireAdmin(await store.findLibrary(tx, viewer.user_id, libraryId));
        await requireReadable(tx, viewer, mediaId);
        if (!(await store.holdMedia(tx, mediaId))) mediaNotFound();
        const isRemoved = await unlistFrom(tx);
        if (isRemoved) await closure.putIntoTrash(tx, viewer.default_library_id, mediaId);
        return isRemoved;
      }

      async function unlistFrom(tx: Transaction): Promise<boolean> {
        if (libraryId === viewer.default_library_id) {
          return (await closure.removeFromDefaultLibrary(tx, libraryId, mediaId)).removed;
        }
        requireAdmin(await store.lockLibrary(tx, viewer.user_id, libraryId));
        return (await closure.removeFromLibrary(tx, libraryId, mediaId)) || mediaNotFound();
      }
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
