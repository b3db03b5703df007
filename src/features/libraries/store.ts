import type { Library, Provenance } from '../../contract/libraries.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import type { Viewer } from './access/can-read-media.ts';

/** A library as a member sees it, without the counts of its media. */
export type MemberLibrary = Omit<Library, 'media_count' | 'unread_count'>;

const libraryColumns = (sql: Queryable) =>
  sql`libraries.id, libraries.name, libraries.owner_user_id, libraries.is_default, memberships.role,
    libraries.created_at, libraries.updated_at`;

/** Returns a library as a member sees it; undefined for everybody else. */
export async function findLibrary(sql: Queryable, userId: string, libraryId: string) {
  const [library] = await sql<MemberLibrary[]>`
    select ${libraryColumns(sql)}
    from libraries
    join memberships on memberships.library_id = libraries.id and memberships.user_id = ${userId}
    where libraries.id = ${libraryId}`;
  return library;
}

/**
 * Locks a library until the transaction ends, and returns it like `findLibrary`. The role is read in a second
 * statement, because the statement that waits for the lock still sees memberships as they were before it waited.
 */
export async function lockLibrary(tx: Transaction, userId: string, libraryId: string) {
  await tx`
    select
    from libraries
    where id = ${libraryId}
      and exists (select from memberships where library_id = ${libraryId} and user_id = ${userId})
    for no key update`;
  return findLibrary(tx, userId, libraryId);
}

/**
 * Keeps a library from being deleted, and its admins from being demoted or removed, until the transaction ends, and
 * returns it like `findLibrary`. Whoever adds invitations or members to a library takes this lock before all others.
 */
export async function holdLibrary(tx: Transaction, userId: string, libraryId: string) {
  await tx`select pg_advisory_xact_lock_shared(${admissionLock(tx, libraryId)})`;
  return findLibrary(tx, userId, libraryId);
}

/** Waits for parallel invitations and acceptances of the library, and blocks new ones until the transaction ends. */
export async function holdAdmissions(tx: Transaction, libraryId: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(${admissionLock(tx, libraryId)})`;
}

const admissionLock = (tx: Transaction, libraryId: string) => tx`hashtextextended(${libraryId}, 0)`;

/** Locks a library while a backfill reads its contents. */
export async function lockSource(tx: Transaction, libraryId: string): Promise<void> {
  await tx`select from libraries where id = ${libraryId} for no key update`;
}

/** Lists the default library first, then the newest. */
export async function listLibraries(sql: Queryable, userId: string, last: string | null, limit: number) {
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
 * Adds to libraries how many media they list, and how many of these the viewer has not started to read. Started ones are
 * few: they are looked up and subtracted, so that a library is counted by index only. 20,000 media take 4 ms.
 */
export async function withCounts(sql: Queryable, userId: string, libraries: MemberLibrary[]) {
  const rows = await sql<Pick<Library, 'id' | 'media_count' | 'unread_count'>[]>`
    select library.id, listed.count as media_count, listed.count - begun.count as unread_count
    from unnest(${libraries.map(({ id }) => id)}::uuid[]) as library (id)
    cross join lateral (
      select count(*) from library_media where library_id = library.id
    ) as listed
    cross join lateral (
      select count(*)
      from media_readings as reading
      join library_media on library_media.library_id = library.id and library_media.media_id = reading.media_id
      where reading.user_id = ${userId}
    ) as begun`;
  const counts = new Map(rows.map((row) => [row.id, row]));
  return libraries.map((library) => ({
    media_count: 0,
    unread_count: 0,
    ...library,
    ...counts.get(library.id),
  }));
}

export async function insertLibrary(
  tx: Transaction,
  library: { id: string; name: string; owner_user_id: string; is_default: boolean },
): Promise<void> {
  await tx`
    insert into libraries (id, name, owner_user_id, is_default)
    values (${library.id}, ${library.name}, ${library.owner_user_id}, ${library.is_default})`;
  await tx`
    insert into memberships (library_id, user_id, role)
    values (${library.id}, ${library.owner_user_id}, 'admin')`;
}

export async function renameLibrary(tx: Transaction, libraryId: string, name: string): Promise<void> {
  await tx`update libraries set name = ${name}, updated_at = now() where id = ${libraryId}`;
}

/** Locks all that is deleted with a library, in the documented order: parallel changes come before or after. */
export async function lockForDeletion(tx: Transaction, userId: string, libraryId: string) {
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

export async function isListed(sql: Queryable, libraryId: string, mediaId: string): Promise<boolean> {
  const rows = await sql`
    select from library_media where library_id = ${libraryId} and media_id = ${mediaId}`;
  return rows.length === 1;
}

/** Returns the reasons why the viewer can read a media. */
export async function findProvenance(sql: Queryable, viewer: Viewer, mediaId: string): Promise<Provenance> {
  const [saved] = await sql<{ created_at: Date }[]>`
    select created_at
    from default_library_intrinsics
    where default_library_id = ${viewer.default_library_id} and media_id = ${mediaId}`;
  const libraries = await sql<Provenance['libraries']>`
    select
      libraries.id as library_id, libraries.name, listed.created_at as added_at,
      case when users.id is not null then
        json_build_object('id', users.id, 'username', users.username, 'display_name', users.display_name)
      end as added_by
    from memberships
    join libraries on libraries.id = memberships.library_id and not libraries.is_default
    join library_media as listed on listed.library_id = libraries.id and listed.media_id = ${mediaId}
    left join users on users.id = listed.added_by_user_id
    where memberships.user_id = ${viewer.user_id}
    order by listed.created_at, libraries.id`;
  return { media_id: mediaId, saved_at: saved?.created_at ?? null, libraries: [...libraries] };
}

/** Lists the names of those of the libraries that the user is a member of. */
export async function listLibraryNames(sql: Queryable, userId: string, ids: string[]) {
  return sql<{ id: string; name: string }[]>`
    select libraries.id, libraries.name
    from libraries
    join memberships on memberships.library_id = libraries.id and memberships.user_id = ${userId}
    where libraries.id = any(${ids}::uuid[])`;
}

/** Returns those of the media that a library does not list. */
export async function listUnlisted(sql: Queryable, libraryId: string, mediaIds: string[]): Promise<string[]> {
  const rows = await sql<{ media_id: string }[]>`
    select given.media_id
    from unnest(${mediaIds}::uuid[]) as given (media_id)
    where not exists (
      select from library_media as listed where listed.library_id = ${libraryId} and listed.media_id = given.media_id
    )`;
  return rows.map(({ media_id }) => media_id);
}

/** Returns the media that a person added at the given moments and that nobody has removed, added again or tagged since. */
export async function listUnchangedAdditions(
  sql: Queryable,
  userId: string,
  libraryId: string,
  added: { media_id: string; added_at: string }[],
): Promise<string[]> {
  const rows = await sql<{ media_id: string }[]>`
    select listed.media_id
    from unnest(
      ${added.map(({ media_id }) => media_id)}::uuid[],
      ${added.map(({ added_at }) => added_at)}::timestamptz[]
    ) as given (media_id, added_at)
    join library_media as listed
      on listed.library_id = ${libraryId}
      and listed.media_id = given.media_id
      and listed.created_at = given.added_at
      and listed.added_by_user_id = ${userId}
      and not listed.is_derived
    where not exists (
      select
      from library_media_tags as tagged
      where tagged.library_id = ${libraryId} and tagged.media_id = given.media_id
    )
    order by listed.media_id`;
  return rows.map(({ media_id }) => media_id);
}
