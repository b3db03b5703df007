import type { Transaction } from '../../../platform/database/database.ts';
import { emitLibraryEvents } from '../events.ts';
import { copyLibraryTags, deleteLibraryTags } from '../library-tag-store.ts';
import { addToDefaultLibrary, addToLibrary, type Saved } from './closure.ts';
import { lockDerived } from './derived-rows.ts';

/**
 * Replaces a media by another in the libraries that list it and in the default libraries of those who saved it, with
 * their dates. The loser is then in no library. The caller has locked both, the loser exclusively.
 *
 * Nobody can add, save or remove a media under that lock. What is read after the libraries and the rows of default
 * libraries are locked too is therefore current: a removal that was committed before is not undone.
 */
export async function replaceMedia(tx: Transaction, loserId: string, winnerId: string): Promise<void> {
  await lockRowsOf(tx, loserId, winnerId);
  const listings = await tx<{ library_id: string; added_by: string; added_at: string }[]>`
    select
      listed.library_id,
      coalesce(listed.added_by_user_id, libraries.owner_user_id) as added_by,
      listed.created_at::text as added_at
    from library_media as listed
    join libraries on libraries.id = listed.library_id
    where listed.media_id = ${loserId} and not listed.is_derived
    order by listed.library_id`;
  for (const { library_id, added_by, added_at } of listings) {
    await addToLibrary(tx, library_id, [winnerId], { userId: added_by, addedAt: added_at });
  }
  await copyLibraryTags(tx, loserId, winnerId);
  const savers = await tx<(Saved & { default_library_id: string; user_id: string })[]>`
    select
      saved.default_library_id, users.id as user_id, ${winnerId}::uuid as media_id, saved.created_at as saved_at,
      saved.requested_url
    from default_library_intrinsics as saved
    join users on users.default_library_id = saved.default_library_id
    where saved.media_id = ${loserId}
    order by saved.default_library_id`;
  for (const { default_library_id, user_id, ...saved } of savers) {
    await addToDefaultLibrary(tx, default_library_id, [saved], { userId: user_id });
  }
  await takeOut(tx, loserId);
}

/** Removes a media from every library. The caller has locked it and is about to delete it. */
export async function forgetMedia(tx: Transaction, mediaId: string): Promise<void> {
  await lockRowsOf(tx, mediaId);
  await takeOut(tx, mediaId);
}

/** Locks the libraries that list a media, and then the rows of default libraries that list it or the other media. */
async function lockRowsOf(tx: Transaction, mediaId: string, otherId = mediaId): Promise<void> {
  await tx`
    select count(*)
    from (
      select
      from libraries
      where id in (select library_id from library_media where media_id = ${mediaId} and not is_derived)
      order by id
      for no key update
    ) as locked`;
  await lockDerived(
    tx,
    tx`
      select home.default_library_id, concerned.media_id
      from (
        select default_library_id from default_library_intrinsics where media_id = ${mediaId}
        union
        select users.default_library_id
        from library_media as listed
        join memberships on memberships.library_id = listed.library_id
        join users on users.id = memberships.user_id
        where listed.media_id = ${mediaId} and not listed.is_derived
      ) as home
      cross join unnest(${[...new Set([mediaId, otherId])]}::uuid[]) as concerned (media_id)`,
  );
}

async function takeOut(tx: Transaction, mediaId: string): Promise<void> {
  const places = await tx<{ library_id: string }[]>`
    with listed as (
      delete from library_media
      where media_id = ${mediaId} and not is_derived
      returning library_id
    ),
    saved as (
      delete from default_library_intrinsics
      where media_id = ${mediaId}
      returning default_library_id
    ),
    edge as (
      delete from default_library_closure_edges as edge
      using listed, memberships, users
      where memberships.library_id = listed.library_id
        and users.id = memberships.user_id
        and edge.default_library_id = users.default_library_id
        and edge.media_id = ${mediaId}
        and edge.source_library_id = listed.library_id
      returning edge.default_library_id
    ),
    derived as (
      delete from library_media
      where media_id = ${mediaId}
        and library_id in (select default_library_id from saved union select default_library_id from edge)
    )
    select library_id from listed
    union all
    select default_library_id from saved`;
  await deleteLibraryTags(tx, mediaId);
  const removal = { media_id: mediaId, removed_by_user_id: null };
  const removed = places.map(({ library_id }) => ({ library_id, ...removal }));
  await emitLibraryEvents(tx, 'library.media_removed', removed);
}
