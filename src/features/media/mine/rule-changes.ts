import type { RuleActions, RuleChange } from '../../../contract/rules.ts';
import type { Actor } from '../../../platform/audit/audit.ts';
import type { Queryable, Transaction } from '../../../platform/database/database.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import { emitArchived, emitFavourited, emitOwn } from './events.ts';
import { archiveMany, favouriteMany, tagMany } from './mine.ts';
import * as store from './rule-changes-store.ts';

/** The changes of a rule to the private details of a media. */
export interface OwnChange {
  tags: string[];
  is_archived: boolean;
  is_favourite: boolean;
}

type OwnActions = Pick<RuleActions, 'tags' | 'archive' | 'favourite'>;

/** Applies a rule's actions to what the viewer keeps about media that they may read. Returns what each of them changed. */
export async function changeByRule(
  tx: Transaction,
  viewer: Viewer,
  mediaIds: string[],
  { actions, ruleId, actor }: { actions: OwnActions; ruleId: string | null; actor: Pick<Actor, 'requestId'> },
): Promise<Map<string, OwnChange>> {
  const { tags: names = [], archive = false, favourite = false } = actions;
  const archived = new Set(archive ? await archiveMany(tx, viewer, mediaIds, { is: true, actor }) : []);
  const favourites = new Set(favourite ? await favouriteMany(tx, viewer, mediaIds, { is: true, actor }) : []);
  if (names.length > 0) await tagMany(tx, viewer, mediaIds, { names, addedBy: 'rule', ruleId, actor });
  const tagged = names.length > 0 ? await store.listTaggedNow(tx, viewer, mediaIds) : [];
  const tags = new Map(tagged.map((media) => [media.media_id, media.tags]));
  return new Map(
    mediaIds.map((id) => [
      id,
      { tags: tags.get(id) ?? [], is_archived: archived.has(id), is_favourite: favourites.has(id) },
    ]),
  );
}

/** Returns what `changeByRule` would change. */
export async function previewRule(
  sql: Queryable,
  viewer: Viewer,
  mediaIds: string[],
  { tags = [], archive = false, favourite = false }: OwnActions,
): Promise<Map<string, OwnChange>> {
  const rows = await store.listMissing(sql, viewer, tags, mediaIds);
  return new Map(
    rows.map(({ media_id, tags, is_archived, is_favourite }) => [
      media_id,
      { tags, is_archived: archive && !is_archived, is_favourite: favourite && !is_favourite },
    ]),
  );
}

/** The result of undoing the changes of one media. */
interface TakenBack {
  isTaken: boolean;
  /** The changes that it left, because somebody has changed them since. */
  kept: RuleChange[];
}

/** A change of a rule, with the moment of its transaction. */
export interface DatedChange extends OwnChange, store.ChangedMedia {}

/**
 * Takes back what a rule changed, as far as nobody has changed it since. It is the person's own, so they need not be able
 * to read the media.
 */
export async function takeBackRuleChanges(
  tx: Transaction,
  viewer: Viewer,
  changes: DatedChange[],
  actor: Pick<Actor, 'requestId'>,
): Promise<Map<string, TakenBack>> {
  const archived = changes.filter(({ is_archived }) => is_archived);
  const favourites = changes.filter(({ is_favourite }) => is_favourite);
  const tagged = changes.filter(({ tags }) => tags.length > 0);
  const unarchived = new Set(await store.unarchiveSince(tx, viewer, archived));
  const unfavourited = new Set(await store.unfavouriteSince(tx, viewer, favourites));
  const untagged = new Map(
    (await store.removeRuleTags(tx, viewer, tagged)).map(({ media_id, count }) => [media_id, count]),
  );
  await emitArchived(tx, viewer, [...unarchived], { is: false, actor });
  await emitFavourited(tx, viewer, [...unfavourited], { is: false, actor });
  await emitOwn(tx, viewer, [...untagged.keys()], { eventType: 'media.tagged', actor });
  return new Map(
    changes.map(({ media_id, tags, is_archived, is_favourite }) => {
      const removed = untagged.get(media_id) ?? 0;
      const isTaken = removed > 0 || unarchived.has(media_id) || unfavourited.has(media_id);
      const kept: RuleChange[] = [];
      if (removed < tags.length) kept.push('tags');
      if (is_archived && !unarchived.has(media_id)) kept.push('archive');
      if (is_favourite && !unfavourited.has(media_id)) kept.push('favourite');
      return [media_id, { isTaken, kept }];
    }),
  );
}
