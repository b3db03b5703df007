import type { Provenance } from '../../contract/libraries.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import type { Database, Queryable, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { mediaNotFound, requireReadable } from './access/access.ts';
import type { Viewer } from './access/can-read-media.ts';
import { listRemovable, mayContribute, notTheirs, requireContributor } from './access/contributing.ts';
import { changeContents, changeManyContents } from './change-contents.ts';
import * as closure from './closure/closure.ts';
import * as store from './store.ts';

type RequestOf = Pick<Actor, 'requestId' | 'claim'>;

interface Addition {
  libraryId: string;
  media: closure.Saved[];
  requestId?: string | undefined;
}

/**
 * Adds media to a library, default or shared. Every way into a library goes through here. The caller has locked the
 * library's contents (`lockContents`) and holds the media. Returns the ids that were not there before.
 */
export async function addMedia(tx: Transaction, viewer: Viewer, { libraryId, media, requestId }: Addition) {
  const by = { userId: viewer.user_id, requestId };
  if (libraryId === viewer.default_library_id) return closure.addToDefaultLibrary(tx, libraryId, media, by);
  requireContributor(await store.lockLibrary(tx, viewer.user_id, libraryId));
  const ids = media.map(({ media_id }) => media_id);
  return closure.addToLibrary(tx, libraryId, ids, by);
}

interface Removal {
  libraryId: string;
  mediaIds: string[];
  requestId?: string | undefined;
}

/** Removes media from a library, each with its own event. Returns what was removed, and what the viewer may not remove. */
async function removeAll(tx: Transaction, viewer: Viewer, { libraryId, mediaIds, requestId }: Removal) {
  if (libraryId === viewer.default_library_id)
    return { removed: await removeSaved(tx, libraryId, mediaIds, requestId), refused: [] };
  const library = requireContributor(await store.lockLibrary(tx, viewer.user_id, libraryId));
  const removable = await listRemovable(tx, library, viewer.user_id, mediaIds);
  const by = { userId: viewer.user_id, requestId };
  const removed: string[] = [];
  for (const media_id of removable) {
    if (!(await closure.removeFromLibrary(tx, libraryId, media_id, by))) continue;
    await closure.putIntoTrash(tx, viewer.default_library_id, { media_id, library_id: libraryId });
    removed.push(media_id);
  }
  return { removed, refused: mediaIds.filter((id) => !removable.has(id)) };
}

async function removeSaved(tx: Transaction, libraryId: string, mediaIds: string[], requestId?: string) {
  const removed: string[] = [];
  for (const mediaId of mediaIds) {
    const saved = await closure.removeFromDefaultLibrary(tx, libraryId, mediaId, requestId);
    if (!saved) continue;
    await closure.putIntoTrash(tx, libraryId, saved);
    removed.push(mediaId);
  }
  return removed;
}

/** A media that a person added to a library, and exactly when. */
interface Added {
  media_id: string;
  added_at: string;
}

/**
 * Removes media that the viewer added to a shared library, unless they were removed and added again or given library tags
 * since. The caller has locked the library's contents (`lockContents`). Returns the ids of the removed media; none if the
 * viewer may not remove from the library any more.
 */
export async function takeBackMedia(
  tx: Transaction,
  viewer: Viewer,
  { libraryId, added, requestId }: { libraryId: string; added: Added[]; requestId?: string | undefined },
): Promise<string[]> {
  if (!mayContribute(await store.lockLibrary(tx, viewer.user_id, libraryId))) return [];
  const mediaIds = await store.listUnchangedAdditions(tx, viewer.user_id, libraryId, added);
  return (await removeAll(tx, viewer, { libraryId, mediaIds, requestId })).removed;
}

/** Returns those of the media that a library does not list, or undefined when the viewer may not add to it. */
export async function listMissing(
  sql: Queryable,
  viewer: Viewer,
  libraryId: string,
  mediaIds: string[],
): Promise<string[] | undefined> {
  if (!mayContribute(await store.findLibrary(sql, viewer.user_id, libraryId))) return undefined;
  return store.listUnlisted(sql, libraryId, mediaIds);
}

export type LibraryMediaService = ReturnType<typeof createLibraryMedia>;

export function createLibraryMedia({ sql }: { sql: Database }) {
  return {
    async add(viewer: Viewer, libraryId: string, mediaId: string, actor: RequestOf = {}) {
      const addition = { libraryId, media: [{ media_id: mediaId }], requestId: actor.requestId };
      const add = (tx: Transaction) => addMedia(tx, viewer, addition);
      const added = await changeContents(sql, viewer, { libraryId, mediaId, claimant: actor }, add);
      return { created: added.length === 1 };
    },

    /**
     * Removes a media from a library. In the default library only the viewer's own save goes; a media that also comes
     * through a shared library stays listed. A media that the viewer no longer has is then in their trash.
     */
    async remove(viewer: Viewer, libraryId: string, mediaId: string, requestId?: string): Promise<void> {
      await changeContents(sql, viewer, { libraryId, mediaId }, async (tx) => {
        const removal = { libraryId, mediaIds: [mediaId], requestId };
        const { removed, refused } = await removeAll(tx, viewer, removal);
        if (refused.length > 0) notTheirs();
        if (removed.length === 0 && libraryId !== viewer.default_library_id) mediaNotFound();
      });
    },

    /** Adds many media to a library, in one transaction. */
    addMany(viewer: Viewer, libraryId: string, mediaIds: string[], actor: RequestOf = {}) {
      const add = async (tx: Transaction, ids: string[]) => {
        const media = ids.map((media_id) => ({ media_id }));
        return addMedia(tx, viewer, { libraryId, media, requestId: actor.requestId });
      };
      return changeManyContents(sql, viewer, { libraryId, mediaIds, claimant: actor }, add);
    },

    /** Removes many media from a library, in one transaction, each as `remove` does. What the viewer may not remove stays. */
    removeMany(viewer: Viewer, libraryId: string, mediaIds: string[], actor: RequestOf = {}) {
      const remove = async (tx: Transaction, ids: string[]) => {
        const removal = { libraryId, mediaIds: ids, requestId: actor.requestId };
        return (await removeAll(tx, viewer, removal)).removed;
      };
      return changeManyContents(sql, viewer, { libraryId, mediaIds, claimant: actor }, remove);
    },

    async provenance(viewer: Viewer, mediaId: string): Promise<Provenance> {
      return transaction(sql, async (tx) => {
        await requireReadable(tx, viewer, mediaId);
        return store.findProvenance(tx, viewer, mediaId);
      });
    },
  };
}
