import { z } from 'zod';
import { NexusError } from '../../contract/errors.ts';
import type { LibraryTag, TaggedLibraryMedia } from '../../contract/libraries.ts';
import type { tagsQuery } from '../../contract/mine.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import { cursorText, cutByCursor, decodeCursor } from '../../platform/cursor.ts';
import type { Database, Queryable, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { versionOf } from '../../platform/version-tag.ts';
import { mediaNotFound, refuseDefault, requireAdmin, requireMembership } from './access/access.ts';
import type { Viewer } from './access/can-read-media.ts';
import { requireContributor } from './access/contributing.ts';
import { renameNested } from './access/nested-tags.ts';
import { changeContents, changeManyContents, type ManyChanged } from './change-contents.ts';
import { lockContents } from './closure/lock-contents.ts';
import { emitLibraryEvents } from './events.ts';
import * as store from './library-tag-store.ts';
import { isListed, listUnlisted, lockLibrary } from './store.ts';

const CURSOR = z.object({ name: cursorText });

type RequestOf = Pick<Actor, 'requestId' | 'claim'>;

/** A media in a library. */
interface Listed {
  libraryId: string;
  mediaId: string;
}

interface ManyTags {
  libraryId: string;
  mediaIds: string[];
  names: string[];
}

export type LibraryTags = ReturnType<typeof createLibraryTags>;

/**
 * The tags that a shared library gives its media. Those who may add to the library set them on any media in it. Renaming and
 * deleting a tag changes media of everybody at once, so only admins may.
 */
export function createLibraryTags({ sql }: { sql: Database }) {
  /** Changes the tags of many media of a library that the viewer may add to. Media that it does not list stay unchanged. */
  function changeMany(
    viewer: Viewer,
    { libraryId, mediaIds, names }: ManyTags,
    actor: RequestOf,
    change: typeof store.addLibraryTags,
  ): Promise<ManyChanged> {
    return changeManyContents(sql, viewer, { libraryId, mediaIds, claimant: actor }, async (tx, ids) => {
      await lockForTagging(tx, viewer, libraryId);
      const unlisted = new Set(await listUnlisted(tx, libraryId, ids));
      const listed = ids.filter((id) => !unlisted.has(id));
      const changed = await change(tx, libraryId, { mediaIds: listed, names });
      await emitTagged(tx, viewer, { libraryId, mediaIds: changed, requestId: actor.requestId });
      return changed;
    });
  }

  /**
   * Runs `change` on the tags of all media in a library of which the viewer is an admin, under the locks that all changes of
   * its tags take. A merge of two media takes the lock of the library before it copies tags.
   */
  function changeAll<T>(viewer: Viewer, libraryId: string, change: (tx: Transaction) => Promise<T>) {
    return transaction(sql, async (tx) => {
      await lockContents(tx, [libraryId]);
      refuseDefault(requireAdmin(await lockLibrary(tx, viewer.user_id, libraryId)));
      return change(tx);
    });
  }

  return {
    async list(viewer: Viewer, libraryId: string, { cursor, limit, prefix }: z.output<typeof tagsQuery>) {
      await requireMembership(sql, viewer.user_id, libraryId);
      const last = decodeCursor(cursor, CURSOR);
      const rows = await store.listLibraryTags(sql, libraryId, { prefix, last, limit: limit + 1 });
      return cutByCursor(rows, limit);
    },

    /** Returns the tags of one media. A default library gives none. */
    async get(viewer: Viewer, { libraryId, mediaId }: Listed): Promise<TaggedLibraryMedia> {
      await requireMembership(sql, viewer.user_id, libraryId);
      if (!(await isListed(sql, libraryId, mediaId))) mediaNotFound();
      return taggedMedia(sql, { libraryId, mediaId });
    },

    /** Replaces the tags of one media. */
    async set(
      viewer: Viewer,
      { names, ...listed }: Listed & { names: string[] },
      { requestId, requireVersion }: Pick<Actor, 'requestId' | 'requireVersion'> = {},
    ): Promise<TaggedLibraryMedia> {
      return changeContents(sql, viewer, listed, async (tx) => {
        const { libraryId, mediaId } = listed;
        await lockForTagging(tx, viewer, libraryId);
        if (!(await isListed(tx, libraryId, mediaId))) mediaNotFound();
        requireVersion?.(libraryTagsVersion(await taggedMedia(tx, listed)));
        if (await store.setLibraryTags(tx, libraryId, mediaId, names))
          await emitTagged(tx, viewer, { libraryId, mediaIds: [mediaId], requestId });
        return taggedMedia(tx, listed);
      });
    },

    /** Gives many media tags, in one transaction. Media that would have too many stay unchanged. */
    addMany: (viewer: Viewer, many: ManyTags, actor: RequestOf = {}) =>
      changeMany(viewer, many, actor, store.addLibraryTags),

    /** Takes tags from many media, in one transaction. */
    removeMany: (viewer: Viewer, many: ManyTags, actor: RequestOf = {}) =>
      changeMany(viewer, many, actor, store.removeLibraryTags),

    /** Renames a tag and those below it on all media. One that gets the name of another is merged with it. */
    async rename(
      viewer: Viewer,
      { libraryId, tag, name }: { libraryId: string; tag: string; name: string },
      requestId?: string,
    ): Promise<LibraryTag> {
      return changeAll(viewer, libraryId, async (tx) => {
        const family = await store.listFamily(tx, libraryId, tag);
        const itself = family.find(({ is_itself }) => is_itself) ?? tagNotFound();
        const moves = family
          .map((one) => ({ from: one.name, to: renameNested(one.name, itself.name, name) }))
          .filter(({ from, to }) => from !== to);
        // A new name can be the old one of another: when `a` becomes `a/b`, `a/b` has to become `a/b/b` before.
        if (name.length > itself.name.length) moves.reverse();
        const mediaIds = new Set<string>();
        for (const move of moves)
          for (const id of await store.renameLibraryTag(tx, libraryId, move)) mediaIds.add(id);
        await emitTagged(tx, viewer, { libraryId, mediaIds: [...mediaIds], requestId });
        return (await store.findLibraryTag(tx, libraryId, name)) ?? tagNotFound();
      });
    },

    /** Takes a tag from all media. The tags below it stay. */
    async delete(
      viewer: Viewer,
      { libraryId, tag }: { libraryId: string; tag: string },
      requestId?: string,
    ): Promise<void> {
      await changeAll(viewer, libraryId, async (tx) => {
        const mediaIds = await store.removeLibraryTags(tx, libraryId, { names: [tag] });
        if (mediaIds.length === 0) tagNotFound();
        await emitTagged(tx, viewer, { libraryId, mediaIds, requestId });
      });
    },
  };
}

async function taggedMedia(sql: Queryable, { libraryId, mediaId }: Listed): Promise<TaggedLibraryMedia> {
  const library_tags = await store.findLibraryTags(sql, libraryId, mediaId);
  return { library_id: libraryId, media_id: mediaId, library_tags };
}

/** Names the state of the tags that a library gives a media. */
export function libraryTagsVersion({ library_tags }: TaggedLibraryMedia): string {
  return versionOf(library_tags);
}

/** Locks a shared library, and requires that the viewer may set its tags. */
async function lockForTagging(tx: Transaction, viewer: Viewer, libraryId: string): Promise<void> {
  refuseDefault(requireContributor(await lockLibrary(tx, viewer.user_id, libraryId)));
}

/** Emits one event per media, also when a tag changes on all: whoever follows the tags of media needs no other event. */
function emitTagged(
  tx: Transaction,
  { user_id }: Viewer,
  {
    libraryId,
    mediaIds,
    requestId,
  }: { libraryId: string; mediaIds: string[]; requestId?: string | undefined },
): Promise<void> {
  const tagged = { library_id: libraryId, tagged_by_user_id: user_id };
  const payloads = mediaIds.map((media_id) => ({ ...tagged, media_id }));
  return emitLibraryEvents(tx, 'library.media_tagged', payloads, requestId);
}

function tagNotFound(): never {
  throw new NexusError('E_NOT_FOUND', 'This library has no such tag.');
}
