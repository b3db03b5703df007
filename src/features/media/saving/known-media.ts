import type { MediaKind } from '../../../contract/media.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { replaceInTrash } from '../../libraries/closure/closure.ts';
import { forgetMedia, replaceMedia } from '../../libraries/closure/forget-media.ts';
import { lockPlacesOf } from '../../libraries/closure/lock-contents.ts';
import { tellMedia } from '../events.ts';
import { isReadable } from '../processing/readable.ts';

/**
 * Puts one media in the place of another, wherever that is, and deletes the other. Whoever had saved it has the winner
 * from then on, under the address that they typed. Does nothing when one of them is gone.
 */
export async function replaceByKnown(tx: Transaction, loserId: string, winnerId: string): Promise<void> {
  await lockPlacesOf(tx, [loserId, winnerId]);
  // The loser first: whoever is putting it into a library, or taking it out, has ended before this transaction writes.
  const loser = await tx`select from media where id = ${loserId} for update`;
  const winner = await tx`select from media where id = ${winnerId} for key share`;
  if (loser.length === 0 || winner.length === 0) return;
  await replaceMedia(tx, loserId, winnerId);
  await tx`
    insert into media_readings (user_id, media_id, progress, position, finished_at, updated_at)
    select user_id, ${winnerId}, progress, null, finished_at, updated_at
    from media_readings
    where media_id = ${loserId}
    on conflict do nothing`;
  await replaceInTrash(tx, loserId, winnerId);
  await deleteMedia(tx, loserId);
}

/** Takes a media that another one replaces out of every library, and deletes it. */
export async function deleteMedia(tx: Transaction, mediaId: string): Promise<void> {
  await tx`select from media where id = ${mediaId} for update`;
  await tellMedia(tx, 'media.deleted', mediaId, {});
  await forgetMedia(tx, mediaId);
  await tx`delete from media where id = ${mediaId}`;
}

/** The media that has an address already. */
export interface KnownMedia {
  id: string;
  is_readable: boolean;
}

/**
 * Finds the media that has an address already, and locks it together with the one that was found to have it, too: the one
 * that has to go before the other.
 */
export async function lockKnown(
  tx: Transaction,
  { id, kind, canonicalUrl }: { id: string; kind: MediaKind; canonicalUrl: string | null },
): Promise<KnownMedia | undefined> {
  const known = await findKnown(tx, id, kind, canonicalUrl);
  if (!known) return undefined;
  await lockPlacesOf(tx, [id, known.id]);
  const [loser, winner] = known.is_readable ? [id, known.id] : [known.id, id];
  await tx`select from media where id = ${loser} for update`;
  await tx`select from media where id = ${winner} for no key update`;
  return findKnown(tx, id, kind, canonicalUrl);
}

async function findKnown(
  tx: Transaction,
  id: string,
  kind: MediaKind,
  canonicalUrl: string | null,
): Promise<KnownMedia | undefined> {
  if (canonicalUrl === null) return undefined;
  const [known] = await tx<KnownMedia[]>`
    select media.id, ${isReadable(tx)} as is_readable
    from media
    where media.kind = ${kind} and media.canonical_url = ${canonicalUrl} and media.id <> ${id}`;
  return known;
}
