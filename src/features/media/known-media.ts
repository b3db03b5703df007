import type { MediaKind } from '../../contract/media.ts';
import type { Transaction } from '../../platform/database/database.ts';
import * as closure from '../libraries/closure.ts';
import { tellMedia } from './events.ts';

/**
 * A page that turned out to be one that Nexus knows: the known one takes its place wherever it is, and it goes. Whoever
 * had saved it has the known one from then on, before this one is deleted.
 */
export async function replaceByKnown(tx: Transaction, loserId: string, winnerId: string): Promise<void> {
  const holders = await tx<{ default_library_id: string; user_id: string }[]>`
    select intrinsic.default_library_id, users.id as user_id
    from default_library_intrinsics as intrinsic
    join users on users.default_library_id = intrinsic.default_library_id
    where intrinsic.media_id = ${loserId}
    order by intrinsic.default_library_id`;
  const shared = await tx<{ library_id: string; added_by_user_id: string }[]>`
    select listed.library_id, listed.added_by_user_id
    from library_media as listed
    join libraries on libraries.id = listed.library_id
    where listed.media_id = ${loserId} and not listed.is_derived
    order by listed.library_id
    for no key update of libraries`;
  for (const { library_id, added_by_user_id } of shared) {
    await closure.addToLibrary(tx, library_id, winnerId, added_by_user_id);
  }
  for (const { default_library_id, user_id } of holders) {
    await closure.addToDefaultLibrary(tx, default_library_id, winnerId, user_id);
  }
  await tx`
    insert into media_readings (user_id, media_id, progress, position, finished_at, updated_at)
    select user_id, ${winnerId}, progress, null, finished_at, updated_at
    from media_readings
    where media_id = ${loserId}
    on conflict do nothing`;
  await closure.replaceInTrash(tx, loserId, winnerId);
  await deleteMedia(tx, loserId);
}

/** Takes a media that another one replaces out of every library, and deletes it. */
export async function deleteMedia(tx: Transaction, mediaId: string): Promise<void> {
  await tx`select from media where id = ${mediaId} for update`;
  await tellMedia(tx, 'media.deleted', mediaId, {});
  await closure.forgetMedia(tx, mediaId);
  await tx`delete from media where id = ${mediaId}`;
}

/** The media that has this address already, held so that it stays. */
export async function findKnown(
  tx: Transaction,
  { id, kind, canonicalUrl }: { id: string; kind: MediaKind; canonicalUrl: string | null },
): Promise<string | undefined> {
  if (canonicalUrl === null) return undefined;
  const [known] = await tx<{ id: string }[]>`
    select id
    from media
    where kind = ${kind} and canonical_url = ${canonicalUrl} and id <> ${id}
    for key share`;
  return known?.id;
}
