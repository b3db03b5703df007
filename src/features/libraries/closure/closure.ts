import type { Queryable, Transaction } from '../../../platform/database/database.ts';
import type { SqlFragment } from '../../../platform/database/statement.ts';
import { emitLibraryEvents } from '../events.ts';
import { deleteLibraryTags } from '../library-tag-store.ts';
import * as derived from './derived-rows.ts';

/*
 * The contents of default libraries, and the reasons for them. Only this module writes library_media,
 * default_library_intrinsics, default_library_closure_edges and trash, with two exceptions: forget-media.ts for media
 * that are deleted or replaced, and closure-repair.ts for the integrity audit. Its functions run in the caller's
 * transaction and never commit. They emit library.media_added and library.media_removed for shared libraries and for
 * what people save or remove themselves, but not for rows that only follow from these changes.
 *
 * Two locks keep the closure exact under concurrency:
 *
 * - The row of a shared library. Whoever changes its contents or removes a member holds it (`lockLibrary`), and so does
 * each batch of a backfill. An addition therefore either sees a new member, or is seen by their backfill.
 *
 * - A row of library_media in a default library. Whoever adds a reason for it inserts or locks the row first; whoever
 * removes a reason locks the row and only then checks whether another reason is left. A new reason and the removal of
 * the last one therefore see each other.
 *
 * Several of the latter are locked in the order of library and media. docs/libraries.md has the order of all locks.
 */

/** A media that somebody saves in their default library. */
export interface Saved {
  media_id: string;
  /** When they saved it in another program. Unknown and future dates become now. */
  saved_at?: Date | null;
  /** The address as they typed it. The first one is kept as long as they have the media. */
  requested_url?: string | null;
}

/** The person who changes a library, and the request they do it with. */
interface ChangedBy {
  userId: string;
  requestId?: string | undefined;
}

/** Saves media, each named once, in a default library for its owner. Returns the ids that were not saved before. */
export async function addToDefaultLibrary(
  tx: Transaction,
  defaultLibraryId: string,
  saved: Saved[],
  by: ChangedBy,
): Promise<string[]> {
  const ids = saved.map(({ media_id }) => media_id);
  const given = tx`
    unnest(
      ${ids}::uuid[],
      ${saved.map(({ saved_at }) => saved_at ?? null)}::timestamptz[],
      ${saved.map(({ requested_url }) => requested_url ?? null)}::text[]
    ) as given (media_id, saved_at, requested_url)`;
  const since = tx`least(coalesce(given.saved_at, now()), now())`;
  // A row that came through a shared library before takes the date of its owner's save.
  tx.send(tx`
    insert into library_media (library_id, media_id, is_derived, created_at)
    select ${defaultLibraryId}, media_id, true, ${since}
    from ${given}
    order by media_id
    on conflict (library_id, media_id) do update
    set created_at = excluded.created_at
    where not ${derived.isRowSaved(tx)}`);
  const rows = await tx<{ media_id: string; is_new: boolean }[]>`
    insert into default_library_intrinsics (
      default_library_id, media_id, created_at, requested_url, ready_kind, ready_site
    )
    select ${defaultLibraryId}, given.media_id, ${since}, given.requested_url, ready.kind, ready.site
    from ${given}
    ${ifReady(tx)}
    on conflict (default_library_id, media_id) do update
    set requested_url = excluded.requested_url
    where default_library_intrinsics.requested_url is null and excluded.requested_url is not null
    returning media_id, xmax = 0 as is_new`;
  const added = rows.filter(({ is_new }) => is_new).map(({ media_id }) => media_id);
  await emitAdded(tx, defaultLibraryId, added, by);
  leaveTrash(tx, defaultLibraryId, ids);
  return added;
}

/** A removed media, and the library it was removed from. */
export interface Trashed extends Saved {
  /** The shared library that it is restored to. Absent if its owner had saved it. */
  library_id?: string | null;
}

/** Deletes media from a person's trash. */
export function leaveTrash(tx: Transaction, defaultLibraryId: string, mediaIds: string[]): void {
  tx.send(tx`
    delete from trash where default_library_id = ${defaultLibraryId} and media_id = any(${mediaIds}::uuid[])`);
}

/**
 * Adds a media that the caller has just removed to a person's trash, unless they still have it otherwise. It may be there
 * from an earlier removal, if it came back through a shared library: now it is kept as long as anything removed now.
 */
export async function putIntoTrash(
  tx: Transaction,
  defaultLibraryId: string,
  { media_id, saved_at = null, requested_url = null, library_id = null }: Trashed,
): Promise<void> {
  await tx`
    insert into trash (default_library_id, media_id, library_id, saved_at, requested_url)
    select ${defaultLibraryId}, ${media_id}, ${library_id}, ${saved_at}, ${requested_url}
    where not exists (
      select from library_media where library_id = ${defaultLibraryId} and media_id = ${media_id}
    )
    on conflict (default_library_id, media_id) do update
    set trashed_at = now(), library_id = excluded.library_id, saved_at = excluded.saved_at,
        requested_url = excluded.requested_url`;
}

/** Replaces a media by another in everybody's trash, except for people who have the other one. */
export async function replaceInTrash(tx: Transaction, mediaId: string, byMediaId: string): Promise<void> {
  await tx`
    insert into trash (default_library_id, media_id, trashed_at, library_id, saved_at, requested_url)
    select
      trash.default_library_id, ${byMediaId}, trash.trashed_at, trash.library_id, trash.saved_at, trash.requested_url
    from trash
    where trash.media_id = ${mediaId}
      and not exists (
        select
        from library_media as listed
        where listed.library_id = trash.default_library_id and listed.media_id = ${byMediaId}
      )
    on conflict do nothing`;
}

/** Whether anybody has the media: a library lists it, or somebody's trash contains it. */
export function isHeld(sql: Queryable, mediaId: SqlFragment | string): SqlFragment {
  return sql`(
    exists (select from default_library_intrinsics as saved where saved.media_id = ${mediaId})
    or exists (select from library_media as listed where listed.media_id = ${mediaId} and not listed.is_derived)
    or exists (select from trash where trash.media_id = ${mediaId})
  )`;
}

/**
 * Removes a media that the owner of a default library saved. If it also comes through a shared library it stays listed;
 * no other library changes. Returns the save, or undefined when there was none.
 */
export async function removeFromDefaultLibrary(
  tx: Transaction,
  defaultLibraryId: string,
  mediaId: string,
  requestId?: string,
): Promise<Saved | undefined> {
  await tx`
    select
    from library_media
    where library_id = ${defaultLibraryId} and media_id = ${mediaId}
    for update`;
  const [removed] = await tx<(Saved & { owner_user_id: string })[]>`
    with unlisted as (
      delete from library_media
      where library_id = ${defaultLibraryId}
        and media_id = ${mediaId}
        and not ${derived.hasEdge(tx, defaultLibraryId, mediaId)}
    )
    delete from default_library_intrinsics
    using libraries
    where default_library_id = ${defaultLibraryId} and media_id = ${mediaId} and libraries.id = default_library_id
    returning media_id, default_library_intrinsics.created_at as saved_at, requested_url, libraries.owner_user_id`;
  if (!removed) return undefined;
  await derived.redate(tx, [{ default_library_id: defaultLibraryId, media_id: mediaId }]);
  const { owner_user_id, ...saved } = removed;
  const payload = { library_id: defaultLibraryId, media_id: mediaId, removed_by_user_id: owner_user_id };
  await emitLibraryEvents(tx, 'library.media_removed', [payload], requestId);
  return saved;
}

/**
 * Lists media in a shared library that the caller has locked, and in the default library of each of its members. Returns
 * the ids that were not in the library before. `addedAt` is now unless it is given, as text, because microseconds count.
 */
export async function addToLibrary(
  tx: Transaction,
  libraryId: string,
  mediaIds: string[],
  { addedAt, ...by }: ChangedBy & { addedAt?: string },
): Promise<string[]> {
  const since = addedAt === undefined ? tx`now()` : tx`${addedAt}::timestamptz`;
  const rows = await tx<{ media_id: string }[]>`
    insert into library_media (library_id, media_id, is_derived, added_by_user_id, created_at, ready_kind, ready_site)
    select ${libraryId}, given.media_id, false, ${by.userId}, ${since}, ready.kind, ready.site
    from unnest(${mediaIds}::uuid[]) as given (media_id)
    ${ifReady(tx)}
    order by given.media_id
    on conflict do nothing
    returning media_id`;
  if (rows.length === 0) return [];
  const listed = rows.map(({ media_id }) => media_id);
  const missing = tx`
    select users.default_library_id, listed.media_id, greatest(${since}, memberships.created_at) as came_at
    from memberships
    join users on users.id = memberships.user_id
    cross join unnest(${listed}::uuid[]) as listed (media_id)
    where memberships.library_id = ${libraryId}
    order by users.default_library_id, listed.media_id`;
  await derived.insertEdges(tx, libraryId, missing);
  await emitAdded(tx, libraryId, listed, by);
  return listed;
}

async function emitAdded(
  tx: Transaction,
  library_id: string,
  ids: string[],
  { userId, requestId }: ChangedBy,
) {
  const added = ids.map((media_id) => ({ library_id, media_id, added_by_user_id: userId }));
  await emitLibraryEvents(tx, 'library.media_added', added, requestId);
}

/** Removes a media from a shared library that the caller has locked. False when it was not in it. */
export async function removeFromLibrary(
  tx: Transaction,
  libraryId: string,
  mediaId: string,
  { userId, requestId }: ChangedBy,
): Promise<boolean> {
  const removed = await tx`
    delete from library_media
    where library_id = ${libraryId} and media_id = ${mediaId}`;
  if (removed.count === 0) return false;
  await deleteLibraryTags(tx, mediaId, libraryId);
  const ofMembers = tx`edge.default_library_id in (${membersDefaultLibraries(tx, libraryId)})`;
  await deleteEdges(tx, libraryId, tx`${ofMembers} and edge.media_id = ${mediaId}`);
  const payload = { library_id: libraryId, media_id: mediaId, removed_by_user_id: userId };
  await emitLibraryEvents(tx, 'library.media_removed', [payload], requestId);
  return true;
}

/** Removes from a default library what it has through one shared library. The caller has locked that library. */
export async function removeMemberClosure(tx: Transaction, defaultLibraryId: string, libraryId: string) {
  await deleteEdges(tx, libraryId, tx`edge.default_library_id = ${defaultLibraryId}`);
}

/** Removes all media from a library that the caller has locked and is about to delete. */
export async function emptyLibrary(tx: Transaction, libraryId: string): Promise<void> {
  const defaultLibraries = membersDefaultLibraries(tx, libraryId);
  await deleteEdges(tx, libraryId, tx`edge.default_library_id in (${defaultLibraries})`);
  await tx`delete from library_media where library_id = ${libraryId}`;
}

/**
 * Adds the next media of a library, in the order of their ids, to the default library of one of its members. The caller
 * has locked the membership and the library. `lastMediaId` is null when nothing is left.
 */
export async function materialiseBatch(
  tx: Transaction,
  { default_library_id, source_library_id }: { default_library_id: string; source_library_id: string },
  afterMediaId: string | null,
  batchSize: number,
): Promise<{ count: number; lastMediaId: string | null }> {
  const [batch] = await tx<[{ count: number; last_media_id: string | null }]>`
    with item as materialized (
      select listed.media_id, greatest(listed.created_at, joined.created_at) as came_at
      from library_media as listed
      join libraries as home on home.id = ${default_library_id}
      join memberships as joined on joined.library_id = ${source_library_id} and joined.user_id = home.owner_user_id
      where listed.library_id = ${source_library_id}
        ${afterMediaId === null ? tx`` : tx`and listed.media_id > ${afterMediaId}`}
      order by listed.media_id
      limit ${batchSize}
    ),
    derived as (
      insert into library_media (library_id, media_id, is_derived, created_at)
      select ${default_library_id}, media_id, true, came_at
      from item
      ${derived.orLockIt(tx)}
    ),
    edge as (
      insert into default_library_closure_edges (default_library_id, media_id, source_library_id)
      select ${default_library_id}, media_id, ${source_library_id}
      from item
      on conflict do nothing
    )
    select
      (select count(*) from item),
      (select media_id from item order by media_id desc limit 1) as last_media_id`;
  return { count: batch.count, lastMediaId: batch.count < batchSize ? null : batch.last_media_id };
}

/** Selects the default libraries of members. Edges are found through them, because they have no index by source. */
function membersDefaultLibraries(tx: Transaction, libraryId: string): SqlFragment {
  return tx`
    select users.default_library_id
    from memberships
    join users on users.id = memberships.user_id
    where memberships.library_id = ${libraryId}`;
}

/**
 * Deletes the edges of one source that match the predicate `which` on `edge`, and the rows of default libraries that
 * then have no reason left. The second statement sees every reason that was committed before the rows were locked. The
 * edges cannot change in between, because the caller holds the source.
 */
export async function deleteEdges(tx: Transaction, sourceLibraryId: string, which: SqlFragment) {
  const doomed = tx`edge.source_library_id = ${sourceLibraryId} and ${which}`;
  await derived.lockDerived(
    tx,
    tx`select default_library_id, media_id from default_library_closure_edges as edge where ${doomed}`,
  );
  const left = await tx<derived.DerivedRow[]>`
    with deleted as (
      delete from default_library_closure_edges as edge
      where ${doomed}
      returning edge.default_library_id, edge.media_id
    ),
    reason as materialized (
      select
        deleted.default_library_id, deleted.media_id,
        ${derived.isSaved(tx, tx`deleted.default_library_id`, tx`deleted.media_id`)} as is_saved,
        exists (
          select
          from default_library_closure_edges as other
          where other.default_library_id = deleted.default_library_id
            and other.media_id = deleted.media_id
            and other.source_library_id <> ${sourceLibraryId}
        ) as has_edge
      from deleted
    ),
    unlisted as (
      delete from library_media as derived
      using reason
      where derived.library_id = reason.default_library_id
        and derived.media_id = reason.media_id
        and not reason.is_saved
        and not reason.has_edge
    )
    select default_library_id, media_id
    from reason
    where has_edge and not is_saved`;
  await derived.redate(tx, left);
}

/** Joins the kind and site of media that are ready, which lists are filtered by. They do not change any more. */
function ifReady(tx: Transaction): SqlFragment {
  return tx`left join media as ready on ready.id = given.media_id and ready.processing_status = 'ready'`;
}
