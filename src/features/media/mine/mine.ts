import type { EditMine, Mine, TagReason } from '../../../contract/mine.ts';
import type { Actor } from '../../../platform/audit/audit.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { versionOf } from '../../../platform/version-tag.ts';
import { mediaNotFound, requireReadable } from '../../libraries/access/access.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import { lockContents } from '../../libraries/closure/lock-contents.ts';
import { emitArchived, emitFavourited, emitOwn } from './events.ts';
import * as store from './mine-store.ts';
import * as tagStore from './tag-store.ts';
import { ensureTags } from './tags.ts';

export type MineService = ReturnType<typeof createMine>;

/** Reads and edits the private details of media, which each person has for themselves: tags, favourite, archive, own title, note. */
export function createMine({ sql }: { sql: Database }) {
  async function requireMine(viewer: Viewer, mediaId: string): Promise<Mine> {
    return (await store.findMine(sql, viewer, mediaId)) ?? mediaNotFound();
  }

  return {
    get: requireMine,

    /** Lists the viewer's tags of a media, with the reason for each. */
    async explainTags(viewer: Viewer, mediaId: string): Promise<TagReason[]> {
      await requireReadable(sql, viewer, mediaId);
      return tagStore.listTagReasons(sql, viewer, mediaId);
    },

    async edit(viewer: Viewer, mediaId: string, given: EditMine, actor: Actor): Promise<Mine> {
      return transaction(sql, async (tx) => {
        await lockContents(tx, [], [mediaId]);
        if (!(await store.findMine(tx, viewer, mediaId))) mediaNotFound();
        if (!(await store.lockMine(tx, viewer, mediaId))) mediaNotFound();
        const before = (await store.findMine(tx, viewer, mediaId)) ?? mediaNotFound();
        actor.requireVersion?.(mineVersion(before));
        const after = {
          is_favourite: given.is_favourite ?? before.is_favourite,
          is_archived: given.is_archived ?? before.is_archived,
          title: given.title === undefined ? undefined : given.title || null,
          note: given.note === undefined ? before.note : given.note || null,
        };
        await store.writeMine(tx, viewer, mediaId, after);
        if (after.is_archived !== before.is_archived) {
          await emitArchived(tx, viewer, [mediaId], { is: after.is_archived, actor });
        }
        if (after.is_favourite !== before.is_favourite) {
          await emitFavourited(tx, viewer, [mediaId], { is: after.is_favourite, actor });
        }
        if (after.title !== undefined && after.title !== before.title) {
          await emitOwn(tx, viewer, [mediaId], { eventType: 'media.titled', actor });
        }
        if (after.note !== before.note) {
          await emitOwn(tx, viewer, [mediaId], { eventType: 'media.noted', actor });
        }
        if (given.tags) await setTags(tx, viewer, mediaId, { names: given.tags, actor });
        return (await store.findMine(tx, viewer, mediaId)) ?? mediaNotFound();
      });
    },
  };
}

async function setTags(
  tx: Transaction,
  viewer: Viewer,
  mediaId: string,
  { names, actor }: { names: string[]; actor: Actor },
): Promise<void> {
  const tagIds = await ensureTags(tx, viewer, names);
  const hadOthers = await tagStore.removeOtherTags(tx, viewer, mediaId, tagIds);
  const added = await tagStore.addTags(tx, viewer, { mediaIds: [mediaId], tagIds, addedBy: 'person' });
  if (hadOthers || added.length > 0) {
    await emitOwn(tx, viewer, [mediaId], { eventType: 'media.tagged', actor });
  }
}

/** Gives media tags, for callers that have checked that the viewer may read them. Returns the ids of those that it changed. */
export async function tagMany(
  tx: Transaction,
  viewer: Viewer,
  mediaIds: string[],
  {
    names,
    addedBy = 'person',
    ruleId,
    actor,
  }: {
    names: string[];
    addedBy?: tagStore.AddedBy;
    ruleId?: string | null | undefined;
    actor: Pick<Actor, 'requestId'>;
  },
): Promise<string[]> {
  const tagIds = await ensureTags(tx, viewer, names);
  const changed = await tagStore.addTags(tx, viewer, { mediaIds, tagIds, addedBy, ruleId });
  await emitOwn(tx, viewer, changed, { eventType: 'media.tagged', actor });
  return changed;
}

export async function untagMany(
  tx: Transaction,
  viewer: Viewer,
  mediaIds: string[],
  { names, actor }: { names: string[]; actor: Pick<Actor, 'requestId'> },
): Promise<string[]> {
  const changed = await tagStore.removeTags(tx, viewer, { mediaIds, names });
  await emitOwn(tx, viewer, changed, { eventType: 'media.tagged', actor });
  return changed;
}

/** Makes media favourites, or no longer. Returns the ids of those that it changed. */
export async function favouriteMany(
  tx: Transaction,
  viewer: Viewer,
  mediaIds: string[],
  { is, actor }: { is: boolean; actor: Pick<Actor, 'requestId'> },
): Promise<string[]> {
  const changed = await store.markFavourite(tx, viewer, mediaIds, is);
  await emitFavourited(tx, viewer, changed, { is, actor });
  return changed;
}

export async function archiveMany(
  tx: Transaction,
  viewer: Viewer,
  mediaIds: string[],
  { is, actor }: { is: boolean; actor: Pick<Actor, 'requestId'> },
): Promise<string[]> {
  const changed = await store.markArchived(tx, viewer, mediaIds, is);
  await emitArchived(tx, viewer, changed, { is, actor });
  return changed;
}

/** Returns the version of a person's private details of a media, for `If-Match`. */
export function mineVersion({ tags, is_favourite, is_archived, title, note }: Mine): string {
  return versionOf(tags, is_favourite, is_archived, title, note);
}
