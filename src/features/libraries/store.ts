import type { Library, LibraryMedia, Provenance } from '../../contract/libraries.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { canReadMedia, isSavedBy, type Viewer } from './can-read-media.ts';
import { type MediaRow, mediaColumns, onTheWire, readingOf } from './media-row.ts';
import { microseconds, moment } from './moments.ts';

/** What decides about a library. What is in it is counted when it is shown. */
export type MemberLibrary = Omit<Library, 'media_count' | 'unread_count'>;

const libraryColumns = (sql: Queryable) =>
  sql`libraries.id, libraries.name, libraries.owner_user_id, libraries.is_default, memberships.role,
    libraries.created_at, libraries.updated_at`;

/** A library as a member sees it; undefined for everybody else. */
export async function findLibrary(
  sql: Queryable,
  userId: string,
  libraryId: string,
): Promise<MemberLibrary | undefined> {
  const [library] = await sql<MemberLibrary[]>`
    select ${libraryColumns(sql)}
    from libraries
    join memberships on memberships.library_id = libraries.id and memberships.user_id = ${userId}
    where libraries.id = ${libraryId}`;
  return library;
}

/**
 * The same, after waiting for whoever else changes the library, and holding it until the transaction ends. The role is
 * read in a statement of its own: the one that waits still sees memberships as they were before it waited.
 */
export async function lockLibrary(
  tx: Transaction,
  userId: string,
  libraryId: string,
): Promise<MemberLibrary | undefined> {
  await tx`
    select
    from libraries
    where id = ${libraryId}
      and exists (select from memberships where library_id = ${libraryId} and user_id = ${userId})
    for no key update`;
  return findLibrary(tx, userId, libraryId);
}

/**
 * The same, only keeping the library from being deleted, and its admins from being demoted or removed, until the
 * transaction ends. Whoever brings invitations or members into a library takes this first of all locks.
 */
export async function holdLibrary(
  tx: Transaction,
  userId: string,
  libraryId: string,
): Promise<MemberLibrary | undefined> {
  await tx`select pg_advisory_xact_lock_shared(${admissionLock(tx, libraryId)})`;
  return findLibrary(tx, userId, libraryId);
}

/** Waits for whoever invites into the library or joins it, and keeps others from it until the transaction ends. */
export async function holdAdmissions(tx: Transaction, libraryId: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(${admissionLock(tx, libraryId)})`;
}

const admissionLock = (tx: Transaction, libraryId: string) => tx`hashtextextended(${libraryId}, 0)`;

/** Held by a backfill while it reads the library's content. */
export async function lockSource(tx: Transaction, libraryId: string): Promise<void> {
  await tx`select from libraries where id = ${libraryId} for no key update`;
}

/** The default library first, then the newest. */
export async function listLibraries(
  sql: Queryable,
  userId: string,
  last: string | null,
  limit: number,
): Promise<MemberLibrary[]> {
  return sql<MemberLibrary[]>`
    select ${libraryColumns(sql)}
    from memberships
    join libraries on libraries.id = memberships.library_id
    where memberships.user_id = ${userId}
      ${
        last === null
          ? sql``
          : sql`and (libraries.is_default, libraries.id) <
              (coalesce((select is_default from libraries where id = ${last}), false), ${last})`
      }
    order by libraries.is_default desc, libraries.id desc
    limit ${limit}`;
}

/**
 * What is in libraries, and what of it the viewer has not begun. The few that they have begun are looked up and taken off,
 * so that a library is counted along its index alone: 20,000 media take 4 ms.
 */
export async function countLibraryMedia(
  sql: Queryable,
  userId: string,
  libraryIds: string[],
): Promise<Map<string, Pick<Library, 'media_count' | 'unread_count'>>> {
  const rows = await sql<{ id: string; media_count: number; unread_count: number }[]>`
    select library.id, listed.count as media_count, listed.count - begun.count as unread_count
    from unnest(${libraryIds}::uuid[]) as library (id)
    cross join lateral (
      select count(*) from library_media where library_id = library.id
    ) as listed
    cross join lateral (
      select count(*)
      from media_readings as reading
      join library_media on library_media.library_id = library.id and library_media.media_id = reading.media_id
      where reading.user_id = ${userId}
    ) as begun`;
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

export async function insertLibrary(
  tx: Transaction,
  library: { id: string; name: string; owner_user_id: string },
): Promise<void> {
  await tx`
    insert into libraries (id, name, owner_user_id)
    values (${library.id}, ${library.name}, ${library.owner_user_id})`;
  await tx`
    insert into memberships (library_id, user_id, role)
    values (${library.id}, ${library.owner_user_id}, 'admin')`;
}

export async function renameLibrary(tx: Transaction, libraryId: string, name: string): Promise<void> {
  await tx`update libraries set name = ${name}, updated_at = now() where id = ${libraryId}`;
}

/**
 * Locks what goes with a library, in the order in which others lock it: whoever changes a member or fills a default
 * library comes before or after the deletion, and not in between.
 */
export async function lockForDeletion(
  tx: Transaction,
  userId: string,
  libraryId: string,
): Promise<MemberLibrary | undefined> {
  await holdAdmissions(tx, libraryId);
  await tx`
    select
    from default_library_backfill_jobs
    where source_library_id = ${libraryId}
    order by default_library_id
    for update`;
  await tx`select from memberships where library_id = ${libraryId} order by user_id for update`;
  await tx`select from libraries where id = ${libraryId} for update`;
  return findLibrary(tx, userId, libraryId);
}

/** Deletes a library with its memberships, invitations and backfills. Returns the ids of its members. */
export async function deleteLibrary(tx: Transaction, libraryId: string): Promise<string[]> {
  const members = await tx<{ user_id: string }[]>`
    delete from memberships where library_id = ${libraryId} returning user_id`;
  await tx`delete from libraries where id = ${libraryId}`;
  return members.map(({ user_id }) => user_id);
}

/** Keeps the media from being deleted until the transaction ends. False when there is none. */
export async function holdMedia(tx: Transaction, mediaId: string): Promise<boolean> {
  const [media] = await tx`select from media where id = ${mediaId} for key share`;
  return media !== undefined;
}

export interface LibraryMediaPosition {
  added_us: number;
  media_id: string;
}

/**
 * What was added last comes first. In a default library, only what the viewer may read: asked row by row, behind `offset 0`,
 * because PostgreSQL would collect all that they may read before the first row.
 */
export async function listLibraryMedia(
  sql: Queryable,
  viewer: Viewer,
  library: MemberLibrary,
  last: LibraryMediaPosition | null,
  limit: number,
): Promise<(LibraryMedia & { position: LibraryMediaPosition })[]> {
  const mayRead = library.is_default ? canReadMedia(sql, viewer, sql`listed.media_id`) : sql`true`;
  // What comes to a default library through a library, that library's list tells who added it.
  const addedBy = library.is_default
    ? sql`case when ${isSavedBy(sql, viewer, sql`media.id`)} then ${viewer.user_id}::uuid end`
    : sql`listed.added_by_user_id`;
  const rows = await sql<
    (MediaRow & Pick<LibraryMedia, 'added_at' | 'added_by_user_id'> & { position: LibraryMediaPosition })[]
  >`
    select
      ${mediaColumns(sql, viewer)},
      listed.created_at as added_at, ${addedBy} as added_by_user_id,
      json_build_object('added_us', ${microseconds(sql, sql`listed.created_at`)}, 'media_id', media.id) as position
    from library_media as listed
    join media on media.id = listed.media_id
    join lateral (select ${mayRead} as may_read offset 0) as permission on permission.may_read
    ${readingOf(sql, viewer)}
    where listed.library_id = ${library.id}
      ${last === null ? sql`` : sql`and (listed.created_at, listed.media_id) < (${moment(sql, last.added_us)}, ${last.media_id})`}
    order by listed.created_at desc, listed.media_id desc
    limit ${limit}`;
  return rows.map(onTheWire);
}

/** What speaks for the viewer's reading a media. */
export async function findProvenance(sql: Queryable, viewer: Viewer, mediaId: string): Promise<Provenance> {
  const [saved] = await sql<{ created_at: Date }[]>`
    select created_at
    from default_library_intrinsics
    where default_library_id = ${viewer.default_library_id} and media_id = ${mediaId}`;
  const libraries = await sql<Provenance['libraries']>`
    select
      libraries.id as library_id, libraries.name, listed.created_at as added_at,
      case when users.id is not null then
        json_build_object('user_id', users.id, 'username', users.username, 'display_name', users.display_name)
      end as added_by
    from memberships
    join libraries on libraries.id = memberships.library_id and not libraries.is_default
    join library_media as listed on listed.library_id = libraries.id and listed.media_id = ${mediaId}
    left join users on users.id = listed.added_by_user_id
    where memberships.user_id = ${viewer.user_id}
    order by listed.created_at, libraries.id`;
  return { media_id: mediaId, saved_at: saved?.created_at ?? null, libraries: [...libraries] };
}
