import { z } from 'zod';
import { NexusError } from '../../../contract/errors.ts';
import { MOST_TAGS, type Tag, type tagsQuery } from '../../../contract/mine.ts';
import type { ListQuery } from '../../../contract/wire.ts';
import type { Actor } from '../../../platform/audit/audit.ts';
import { cursorText, cutByCursor, decodeCursor } from '../../../platform/cursor.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { newId } from '../../../platform/ids.ts';
import { versionOf } from '../../../platform/version-tag.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import { renameNested } from '../../libraries/access/nested-tags.ts';
import { emitOwn } from './events.ts';
import * as store from './tag-store.ts';

const CURSOR = z.object({ name: cursorText });

type RequestOf = Pick<Actor, 'requestId' | 'requireVersion'>;

export type Tags = ReturnType<typeof createTags>;

/** The tags that a person has made for themselves. */
export function createTags({ sql }: { sql: Database }) {
  async function requireTag(viewer: Viewer, id: string): Promise<Tag> {
    return (await store.findTag(sql, viewer, id)) ?? tagNotFound();
  }

  return {
    get: requireTag,

    /** Lists tags by name. */
    async list(viewer: Viewer, { cursor, limit, prefix }: z.output<typeof tagsQuery>) {
      const last = decodeCursor(cursor, CURSOR);
      const rows = await store.listTags(sql, viewer, { prefix, last, limit: limit + 1 });
      return cutByCursor(rows, limit);
    },

    /** Lists the levels of the tree of tags by name, also those that are no tags themselves. */
    async tree(viewer: Viewer, { cursor, limit }: ListQuery) {
      const last = decodeCursor(cursor, CURSOR);
      const rows = await store.listLevels(sql, viewer, { last, limit: limit + 1 });
      return cutByCursor(rows, limit);
    },

    /** Renames a tag and those below it. One that gets the name of another is merged with it. */
    async rename(viewer: Viewer, id: string, name: string, actor: RequestOf = {}): Promise<Tag> {
      const renamed = await transaction(sql, async (tx) => {
        await store.lockTags(tx, viewer.user_id);
        const tag = (await store.findTag(tx, viewer, id)) ?? tagNotFound();
        actor.requireVersion?.(tagVersion(tag));
        const family = await store.listFamily(tx, viewer.user_id, tag);
        const names = family.map((one) => ({ id: one.id, name: renameNested(one.name, tag.name, name) }));
        if (name !== tag.name) await emitTagged(tx, viewer, family, actor);
        await store.setNamesAside(tx, family);
        let survivor = id;
        for (const one of names) {
          const merged = await store.renameOrMerge(tx, viewer.user_id, one);
          if (one.id === id) survivor = merged;
        }
        return survivor;
      });
      return requireTag(viewer, renamed);
    },

    /** Deletes a tag. The media stay, and so do the tags below it. */
    async delete(viewer: Viewer, id: string, actor: RequestOf = {}): Promise<void> {
      await transaction(sql, async (tx) => {
        await store.lockTags(tx, viewer.user_id);
        const tag = (await store.lockTag(tx, viewer.user_id, id)) ?? tagNotFound();
        await emitTagged(tx, viewer, [tag], actor);
        await store.deleteTag(tx, id);
      });
    },
  };
}

/** Names the state of a tag that its owner changes. */
export function tagVersion({ name }: Pick<Tag, 'name'>): string {
  return versionOf(name);
}

/** Finds or creates tags by name, as far as the person may have more. */
export async function ensureTags(
  tx: Transaction,
  viewer: Viewer,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return [];
  const tags = await store.ensureTags(tx, viewer.user_id, names, names.map(newId));
  if ((await store.countTags(tx, viewer.user_id)) > MOST_TAGS) {
    throw new NexusError(
      'E_INVALID_STATE',
      `You have ${MOST_TAGS} tags. Delete or merge some of them first.`,
    );
  }
  return tags.map(({ id }) => id);
}

/**
 * Emits one event for each media that has one of the tags, which the caller has locked. Feeds of saved searches show a media
 * by its own event, so one event for the tag would not do.
 */
async function emitTagged(tx: Transaction, viewer: Viewer, tags: store.TagRow[], actor: RequestOf) {
  await emitOwn(tx, viewer, await store.listTagged(tx, tags), { eventType: 'media.tagged', actor });
}

function tagNotFound(): never {
  throw new NexusError('E_NOT_FOUND', 'You have no such tag.');
}
