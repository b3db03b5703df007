import { z } from 'zod';
import type { Provenance } from '../../contract/libraries.ts';
import type { tagsQuery } from '../../contract/mine.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import { cutByCursor, decodeCursor } from '../../platform/cursor.ts';
import type { Database, Queryable, Transaction } from '../../platform/database/database.ts';
import { type Claimant, transaction } from '../../platform/database/transaction.ts';
import { mediaNotFound, refuseDefault, requireMembership, requireReadable } from './access/access.ts';
import { listReadable, type Viewer } from './access/can-read-media.ts';
import { listRemovable, mayContribute, notTheirs, requireContributor } from './access/contributing.ts';
import * as closure from './closure/closure.ts';
import { holdMedia, lockContents } from './closure/lock-contents.ts';
import { emitLibraryEvents } from './events.ts';
import * as tags from './library-tag-store.ts';
import * as store from './store.ts';

const TAG_CURSOR = z.object({ name: z.string().regex(/^[^\0]*$/) });

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
export interface Added {
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

/** Which of the given media were changed, and how many were as they should be already, or are not there for the viewer. */
export interface ManyChanged {
  changedIds: string[];
  unchanged: number;
  not_found: number;
}

export type LibraryMediaService = ReturnType<typeof createLibraryMedia>;

export function createLibraryMedia({ sql }: { sql: Database }) {
  /** Runs `change` when the viewer may change the library's contents and may read the media, which stays until the end. */
  function changeContents<T>(
    viewer: Viewer,
    { libraryId, mediaId }: { libraryId: string; mediaId: string },
    change: (tx: Transaction) => Promise<T>,
    claimant?: Claimant,
  ): Promise<T> {
    const checked = async (tx: Transaction) => {
      await lockContents(tx, [libraryId], [mediaId]);
      requireContributor(await store.findLibrary(tx, viewer.user_id, libraryId));
      await requireReadable(tx, viewer, mediaId);
      if (!(await holdMedia(tx, [mediaId])).has(mediaId)) mediaNotFound();
      return change(tx);
    };
    return transaction(sql, checked, claimant);
  }

  /** Like `changeContents` for many media. Those that the viewer may not read are left out, and counted. */
  function changeMany(
    viewer: Viewer,
    { libraryId, mediaIds }: { libraryId: string; mediaIds: string[] },
    change: (tx: Transaction, mediaIds: string[]) => Promise<string[]>,
    claimant?: Claimant,
  ): Promise<ManyChanged> {
    const checked = async (tx: Transaction) => {
      await lockContents(tx, [libraryId], mediaIds);
      requireContributor(await store.findLibrary(tx, viewer.user_id, libraryId));
      const held = [...(await holdMedia(tx, await listReadable(tx, viewer, mediaIds)))];
      const changedIds = held.length === 0 ? [] : await change(tx, held);
      const unchanged = held.length - changedIds.length;
      return { changedIds, unchanged, not_found: mediaIds.length - held.length };
    };
    return transaction(sql, checked, claimant);
  }

  return {
    async add(viewer: Viewer, libraryId: string, mediaId: string, actor: RequestOf = {}) {
      const addition = { libraryId, media: [{ media_id: mediaId }], requestId: actor.requestId };
      const add = (tx: Transaction) => addMedia(tx, viewer, addition);
      const added = await changeContents(viewer, { libraryId, mediaId }, add, actor);
      return { created: added.length === 1 };
    },

    /**
     * Removes a media from a library. In the default library only the viewer's own save goes; a media that also comes
     * through a shared library stays listed. A media that the viewer no longer has is then in their trash.
     */
    async remove(viewer: Viewer, libraryId: string, mediaId: string, requestId?: string): Promise<void> {
      await changeContents(viewer, { libraryId, mediaId }, async (tx) => {
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
      return changeMany(viewer, { libraryId, mediaIds }, add, actor);
    },

    /** Removes many media from a library, in one transaction, each as `remove` does. What the viewer may not remove stays. */
    removeMany(viewer: Viewer, libraryId: string, mediaIds: string[], actor: RequestOf = {}) {
      const remove = async (tx: Transaction, ids: string[]) => {
        const removal = { libraryId, mediaIds: ids, requestId: actor.requestId };
        return (await removeAll(tx, viewer, removal)).removed;
      };
      return changeMany(viewer, { libraryId, mediaIds }, remove, actor);
    },

    /** Replaces the tags that a shared library gives one of its media. Everybody who may add to the library may. */
    async setTags(
      viewer: Viewer,
      { libraryId, mediaId, names }: { libraryId: string; mediaId: string; names: string[] },
      requestId?: string,
    ): Promise<string[]> {
      return changeContents(viewer, { libraryId, mediaId }, async (tx) => {
        refuseDefault(requireContributor(await store.lockLibrary(tx, viewer.user_id, libraryId)));
        if (!(await store.isListed(tx, libraryId, mediaId))) mediaNotFound();
        const payload = { library_id: libraryId, media_id: mediaId, tagged_by_user_id: viewer.user_id };
        if (await tags.setLibraryTags(tx, libraryId, mediaId, names))
          await emitLibraryEvents(tx, 'library.media_tagged', [payload], requestId);
        return tags.findLibraryTags(tx, libraryId, mediaId);
      });
    },

    async listTags(viewer: Viewer, libraryId: string, { cursor, limit, prefix }: z.output<typeof tagsQuery>) {
      await requireMembership(sql, viewer.user_id, libraryId);
      const last = decodeCursor(cursor, TAG_CURSOR);
      const rows = await tags.listLibraryTags(sql, libraryId, { prefix, last, limit: limit + 1 });
      return cutByCursor(rows, limit);
    },

    async provenance(viewer: Viewer, mediaId: string): Promise<Provenance> {
      return transaction(sql, async (tx) => {
        await requireReadable(tx, viewer, mediaId);
        return store.findProvenance(tx, viewer, mediaId);
      });
    },
  };
}
