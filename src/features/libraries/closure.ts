import type { Queryable, Transaction } from '../../platform/database/database.ts';

/*
 * What a default library holds, and why: the one module that writes library_media, default_library_intrinsics,
 * default_library_closure_edges and trash. Its functions take the caller's transaction and leave its end to the caller.
 *
 * Two locks make it exact under concurrency:
 *
 * - The row of a shared library. Whoever changes what is in it, or takes somebody out of it, holds it (`lockLibrary`),
 *   and so does a backfill for each of its batches. So an addition either sees a new member, or is seen by their
 *   backfill.
 * - A row of library_media in a default library. Whoever adds a reason for it to be there inserts or locks it first;
 *   whoever takes a reason away locks it, and looks only then whether another is left. So a reason that comes and the
 *   last one that goes cannot miss each other.
 *
 * Whoever takes several of the latter takes them in the order of library and media. docs/libraries.md has the order of
 * all locks.
 */

/** The media is in the default library because its owner put it there. */
export async function addToDefaultLibrary(
  tx: Transaction,
  defaultLibraryId: string,
  mediaId: string,
  addedBy: string,
): Promise<{ created: boolean }> {
  const added = await addAllToDefaultLibrary(tx, defaultLibraryId, [mediaId], addedBy);
  return { created: added === 1 };
}

/**
 * The same for many. Returns how many were not saved before. `savedAt` says of each when its owner saved it elsewhere;
 * what is not known, or lies ahead, is now.
 */
export async function addAllToDefaultLibrary(
  tx: Transaction,
  defaultLibraryId: string,
  mediaIds: string[],
  addedBy: string,
  savedAt: (Date | null)[] = [],
): Promise<number> {
  const given = tx`unnest(${mediaIds}::uuid[], ${savedAt}::timestamptz[]) as given (media_id, saved_at)`;
  const since = tx`least(coalesce(given.saved_at, now()), now())`;
  await tx`
    insert into library_media (library_id, media_id, is_derived, added_by_user_id, created_at)
    select ${defaultLibraryId}, media_id, true, ${addedBy}, ${since}
    from ${given}
    order by media_id
    ${orLockIt(tx)}`;
  const inserted = await tx`
    insert into default_library_intrinsics (default_library_id, media_id, created_at, ready_kind, ready_site)
    select ${defaultLibraryId}, given.media_id, ${since}, ready.kind, ready.site
    from ${given}
    ${ifReady(tx)}
    on conflict do nothing`;
  await leaveTrash(tx, defaultLibraryId, mediaIds);
  return inserted.count;
}

/** Takes media out of a person's trash. Returns how many were in it. */
export async function leaveTrash(
  tx: Transaction,
  defaultLibraryId: string,
  mediaIds: string[],
): Promise<number> {
  const left = await tx`
    delete from trash where default_library_id = ${defaultLibraryId} and media_id = any(${mediaIds}::uuid[])`;
  return left.count;
}

/**
 * Puts a media that its caller holds, and has just removed somewhere, into a person's trash: unless they still have it,
 * for another reason.
 */
export async function putIntoTrash(
  tx: Transaction,
  defaultLibraryId: string,
  mediaId: string,
): Promise<void> {
  await tx`
    insert into trash (default_library_id, media_id)
    select ${defaultLibraryId}, ${mediaId}
    where not exists (
      select from library_media where library_id = ${defaultLibraryId} and media_id = ${mediaId}
    )
    on conflict do nothing`;
}

/** Lets the trash of everybody who had thrown one media away hold another in its place, unless they have that one. */
export async function replaceInTrash(tx: Transaction, mediaId: string, byMediaId: string): Promise<void> {
  await tx`
    insert into trash (default_library_id, media_id, trashed_at)
    select trash.default_library_id, ${byMediaId}, trash.trashed_at
    from trash
    where trash.media_id = ${mediaId}
      and not exists (
        select
        from library_media as listed
        where listed.library_id = trash.default_library_id and listed.media_id = ${byMediaId}
      )
    on conflict do nothing`;
}

/** Whether anybody holds the media: a library lists it, or somebody's trash has it. */
export function isHeld(sql: Queryable, mediaId: Fragment | string): Fragment {
  return sql`(
    exists (select from default_library_intrinsics as saved where saved.media_id = ${mediaId})
    or exists (select from library_media as listed where listed.media_id = ${mediaId} and not listed.is_derived)
    or exists (select from trash where trash.media_id = ${mediaId})
  )`;
}

/** What comes through a library stays, and no other library is touched. */
export async function removeFromDefaultLibrary(
  tx: Transaction,
  defaultLibraryId: string,
  mediaId: string,
): Promise<{ removed: boolean }> {
  await tx`
    select
    from library_media
    where library_id = ${defaultLibraryId} and media_id = ${mediaId}
    for update`;
  const intrinsics = await tx`
    with unlisted as (
      delete from library_media
      where library_id = ${defaultLibraryId}
        and media_id = ${mediaId}
        and not exists (
          select
          from default_library_closure_edges as edge
          where edge.default_library_id = ${defaultLibraryId} and edge.media_id = ${mediaId}
        )
    )
    delete from default_library_intrinsics
    where default_library_id = ${defaultLibraryId} and media_id = ${mediaId}`;
  return { removed: intrinsics.count === 1 };
}

/** Lists the media in a library that the caller has locked, and in the default library of each of its members. */
export async function addToLibrary(
  tx: Transaction,
  libraryId: string,
  mediaId: string,
  addedBy: string,
): Promise<{ created: boolean }> {
  const listed = await addAllToLibrary(tx, libraryId, [mediaId], addedBy);
  return { created: listed.length === 1 };
}

/** The same for many. Returns those that were not in it before. */
export async function addAllToLibrary(
  tx: Transaction,
  libraryId: string,
  mediaIds: string[],
  addedBy: string,
): Promise<string[]> {
  const rows = await tx<{ media_id: string }[]>`
    insert into library_media (library_id, media_id, is_derived, added_by_user_id, ready_kind, ready_site)
    select ${libraryId}, given.media_id, false, ${addedBy}, ready.kind, ready.site
    from unnest(${mediaIds}::uuid[]) as given (media_id)
    ${ifReady(tx)}
    order by given.media_id
    on conflict do nothing
    returning media_id`;
  if (rows.length === 0) return [];
  const listed = rows.map(({ media_id }) => media_id);
  await tx`
    with missing as materialized (
      select users.default_library_id, listed.media_id
      from memberships
      join users on users.id = memberships.user_id
      cross join unnest(${listed}::uuid[]) as listed (media_id)
      where memberships.library_id = ${libraryId}
      order by users.default_library_id, listed.media_id
    ),
    derived as (
      insert into library_media (library_id, media_id, is_derived, added_by_user_id)
      select default_library_id, media_id, true, ${addedBy}
      from missing
      ${orLockIt(tx)}
    )
    insert into default_library_closure_edges (default_library_id, media_id, source_library_id)
    select default_library_id, media_id, ${libraryId}
    from missing
    on conflict do nothing`;
  return listed;
}

/** Takes the media out of a library that the caller has locked. False when it was not in it. */
export async function removeFromLibrary(
  tx: Transaction,
  libraryId: string,
  mediaId: string,
): Promise<boolean> {
  const removed = await tx`
    delete from library_media
    where library_id = ${libraryId} and media_id = ${mediaId}`;
  if (removed.count === 0) return false;
  const defaultLibraries = membersDefaultLibraries(tx, libraryId);
  await deleteEdges(
    tx,
    libraryId,
    tx`edge.default_library_id in (${defaultLibraries}) and edge.media_id = ${mediaId}`,
  );
  return true;
}

/** Takes from a default library what it has through one library, which the caller has locked. */
export async function removeMemberClosure(
  tx: Transaction,
  defaultLibraryId: string,
  libraryId: string,
): Promise<void> {
  await deleteEdges(tx, libraryId, tx`edge.default_library_id = ${defaultLibraryId}`);
}

/** Takes all media out of a library that the caller has locked and is about to delete. */
export async function emptyLibrary(tx: Transaction, libraryId: string): Promise<void> {
  const defaultLibraries = membersDefaultLibraries(tx, libraryId);
  await deleteEdges(tx, libraryId, tx`edge.default_library_id in (${defaultLibraries})`);
  await tx`delete from library_media where library_id = ${libraryId}`;
}

/** Takes a media that is about to be deleted, and that the caller has locked, out of every library. */
export async function forgetMedia(tx: Transaction, mediaId: string): Promise<void> {
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
      select default_library_id, media_id from default_library_intrinsics where media_id = ${mediaId}
      union
      select users.default_library_id, listed.media_id
      from library_media as listed
      join memberships on memberships.library_id = listed.library_id
      join users on users.id = memberships.user_id
      where listed.media_id = ${mediaId} and not listed.is_derived`,
  );
  await tx`
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
    )
    delete from library_media
    where media_id = ${mediaId}
      and library_id in (select default_library_id from saved union select default_library_id from edge)`;
}

/**
 * Materialises the next media of a library, in the order of their ids, in the default library of one of its members.
 * The caller has locked the membership and the library. `lastMediaId` is null when nothing is left.
 */
export async function materialiseBatch(
  tx: Transaction,
  { default_library_id, source_library_id }: { default_library_id: string; source_library_id: string },
  afterMediaId: string | null,
  batchSize: number,
): Promise<{ count: number; lastMediaId: string | null }> {
  const [batch] = await tx<[{ count: number; last_media_id: string | null }]>`
    with item as materialized (
      select media_id, added_by_user_id
      from library_media
      where library_id = ${source_library_id}
        ${afterMediaId === null ? tx`` : tx`and media_id > ${afterMediaId}`}
      order by media_id
      limit ${batchSize}
    ),
    derived as (
      insert into library_media (library_id, media_id, is_derived, added_by_user_id)
      select ${default_library_id}, media_id, true, added_by_user_id
      from item
      ${orLockIt(tx)}
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

/** Writes what a library that the caller has locked lacks in its members' default libraries. */
export async function insertMissingEdges(tx: Transaction, libraryId: string): Promise<void> {
  await tx`
    with missing as materialized (
      select users.default_library_id, item.media_id, item.added_by_user_id
      from memberships
      join users on users.id = memberships.user_id
      join library_media as item on item.library_id = memberships.library_id
      where memberships.library_id = ${libraryId}
        and not exists (
          select
          from default_library_closure_edges as edge
          where edge.default_library_id = users.default_library_id
            and edge.media_id = item.media_id
            and edge.source_library_id = ${libraryId}
        )
      order by users.default_library_id, item.media_id
    ),
    derived as (
      insert into library_media (library_id, media_id, is_derived, added_by_user_id)
      select default_library_id, media_id, true, added_by_user_id
      from missing
      ${orLockIt(tx)}
    )
    insert into default_library_closure_edges (default_library_id, media_id, source_library_id)
    select default_library_id, media_id, ${libraryId}
    from missing
    on conflict do nothing`;
}

/** Lists what a default library has a reason for but does not list, and drops what it lists without one. */
export async function rebuildDefaultLibrary(tx: Transaction, defaultLibraryId: string): Promise<void> {
  await tx`
    insert into library_media (library_id, media_id, is_derived)
    select ${defaultLibraryId}, media_id, true
    from (
      select media_id from default_library_intrinsics where default_library_id = ${defaultLibraryId}
      union
      select media_id from default_library_closure_edges where default_library_id = ${defaultLibraryId}
    ) as reason
    order by media_id
    ${orLockIt(tx)}`;
  await lockDerived(
    tx,
    tx`select library_id as default_library_id, media_id from library_media where library_id = ${defaultLibraryId}`,
  );
  await tx`
    with listed as materialized (select library_id, media_id from library_media where library_id = ${defaultLibraryId})
    delete from library_media as derived
    using listed
    where derived.library_id = listed.library_id
      and derived.media_id = listed.media_id
      and not exists (
        select
        from default_library_intrinsics as intrinsic
        where intrinsic.default_library_id = listed.library_id and intrinsic.media_id = listed.media_id
      )
      and not exists (
        select
        from default_library_closure_edges as edge
        where edge.default_library_id = listed.library_id and edge.media_id = listed.media_id
      )`;
}

type Fragment = ReturnType<Transaction>;

/** There is no index by source: its edges lead to its members. */
function membersDefaultLibraries(tx: Transaction, libraryId: string): Fragment {
  return tx`
    select users.default_library_id
    from memberships
    join users on users.id = memberships.user_id
    where memberships.library_id = ${libraryId}`;
}

/**
 * Deletes the edges of one source that `which` says of `edge`, and what nothing justifies any more in the default
 * libraries they led to. The second statement sees every reason that was committed before the rows were locked. Between
 * the two the edges themselves cannot change, because the caller holds the source.
 */
export async function deleteEdges(tx: Transaction, sourceLibraryId: string, which: Fragment): Promise<void> {
  const doomed = tx`edge.source_library_id = ${sourceLibraryId} and ${which}`;
  await lockDerived(
    tx,
    tx`select edge.default_library_id, edge.media_id from default_library_closure_edges as edge where ${doomed}`,
  );
  await tx`
    with deleted as (
      delete from default_library_closure_edges as edge
      where ${doomed}
      returning edge.default_library_id, edge.media_id
    )
    delete from library_media as derived
    using deleted
    where derived.library_id = deleted.default_library_id
      and derived.media_id = deleted.media_id
      and not exists (
        select
        from default_library_intrinsics as intrinsic
        where intrinsic.default_library_id = deleted.default_library_id and intrinsic.media_id = deleted.media_id
      )
      and not exists (
        select
        from default_library_closure_edges as other
        where other.default_library_id = deleted.default_library_id
          and other.media_id = deleted.media_id
          and other.source_library_id <> ${sourceLibraryId}
      )`;
}

/**
 * Locks the rows of default libraries that the given reasons speak of. They are materialised so that each row is looked
 * up by library and media: of a library that was filled after the last ANALYZE the planner expects a row or two, and
 * would compare everything in it with everything in it.
 */
async function lockDerived(tx: Transaction, reasons: Fragment): Promise<void> {
  await tx`
    with reason as materialized (${reasons})
    select count(*)
    from (
      select
      from reason
      join library_media as derived
        on derived.library_id = reason.default_library_id and derived.media_id = reason.media_id
      order by derived.library_id, derived.media_id
      for update of derived
    ) as locked`;
}

/** What lists are filtered by, of those of the given media that are ready: kind and site then change no more. */
function ifReady(tx: Transaction): Fragment {
  return tx`left join media as ready on ready.id = given.media_id and ready.processing_status = 'ready'`;
}

/**
 * For inserts into default libraries: a row that is there already is locked instead. DO NOTHING would not lock it, and
 * somebody who takes its last reason away at this moment would delete it under the new one.
 */
function orLockIt(tx: Transaction): Fragment {
  return tx`on conflict (library_id, media_id) do update set media_id = excluded.media_id where false`;
}
