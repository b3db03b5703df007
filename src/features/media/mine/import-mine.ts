import type { ImportedDetails } from '../../../contract/import.ts';
import { MOST_TAGS_OF_MEDIA } from '../../../contract/limits.ts';
import type { Actor } from '../../../platform/audit/audit.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import { emitArchived, emitFavourited, emitOwn } from './events.ts';
import * as store from './import-store.ts';
import { ensureTags } from './tags.ts';

/** The details that another program had of a media that the person has saved. */
interface ImportedMine extends ImportedDetails {
  media_id: string;
}

/**
 * Adds what another program knew to what the person keeps, each media once. Nothing of theirs is removed or replaced, so
 * that importing the same again changes nothing.
 */
export async function importMine(
  tx: Transaction,
  viewer: Viewer,
  given: ImportedMine[],
  actor: Pick<Actor, 'requestId'>,
): Promise<void> {
  const kept = given.filter(hasMine);
  if (kept.length > 0) {
    const added = await store.addMine(tx, viewer, kept);
    const idsOf = (is: (one: store.AddedMine) => boolean) => added.filter(is).map(({ media_id }) => media_id);
    const archived = idsOf(({ is_archived }) => is_archived);
    const favourites = idsOf(({ is_favourite }) => is_favourite);
    const titled = idsOf(({ has_title }) => has_title);
    const noted = idsOf(({ has_note }) => has_note);
    await emitArchived(tx, viewer, archived, { is: true, actor });
    await emitFavourited(tx, viewer, favourites, { is: true, actor });
    await emitOwn(tx, viewer, titled, { eventType: 'media.titled', actor });
    await emitOwn(tx, viewer, noted, { eventType: 'media.noted', actor });
  }
  const readings = given.flatMap(({ media_id, reading }) => (reading ? { ...reading, media_id } : []));
  if (readings.length > 0) await store.addReadings(tx, viewer, readings);
  const tags = given.flatMap(({ media_id, tags = [] }) =>
    tags.slice(0, MOST_TAGS_OF_MEDIA).map((name) => ({ media_id, name })),
  );
  if (tags.length > 0) {
    await ensureTags(tx, viewer, uniqueNames(tags.map(({ name }) => name)));
    const tagged = await store.addTagsByName(tx, viewer, tags);
    await emitOwn(tx, viewer, tagged, { eventType: 'media.tagged', actor });
  }
}

function hasMine({ title, own_title, is_favourite, is_archived, note }: ImportedMine): boolean {
  return is_favourite || is_archived || [title, own_title, note].some((one) => one !== undefined);
}

/** Upper and lower case are the same tag. */
function uniqueNames(names: string[]): string[] {
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()];
}
