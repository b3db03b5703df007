import type { Database, Queryable, Transaction } from '../../platform/database/database.ts';
import { identifier } from '../../platform/database/statement.ts';

/** One thing that is not as it should be: whatever ids it takes to find it. */
export interface Difference {
  default_library_id?: string;
  library_id?: string;
  media_id?: string;
  source_library_id?: string;
  user_id?: string;
}

/** The next libraries in the order of their ids. */
export async function nextLibraries(
  sql: Database,
  isDefault: boolean,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id
    from libraries
    where is_default = ${isDefault} ${after === null ? sql`` : sql`and id > ${after}`}
    order by id
    limit ${limit}`;
  return rows.map(({ id }) => id);
}

type Differences = ReturnType<Queryable>;

/** The libraries, or media, that the differences concern. */
export async function concernedIds(
  sql: Database,
  differences: Differences,
  column: keyof Difference,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select distinct ${identifier(column)} as id from (${differences}) as difference`;
  return rows.map(({ id }) => id);
}

/**
 * Memberships × media that have no edge, where no backfill is about to write it. Members and contents are read in one
 * statement, and change together with their edges, so what is missing here is missing indeed.
 */
export function missingEdges(sql: Queryable, libraryIds: string[]): Differences {
  return sql`
    select users.default_library_id, listed.media_id, listed.library_id as source_library_id
    from memberships
    join users on users.id = memberships.user_id
    join library_media as listed on listed.library_id = memberships.library_id
    where memberships.library_id = any(${libraryIds}::uuid[])
      and not exists (
        select
        from default_library_closure_edges as edge
        where edge.default_library_id = users.default_library_id
          and edge.media_id = listed.media_id
          and edge.source_library_id = listed.library_id
      )
      and not exists (
        select
        from default_library_backfill_jobs as backfill
        where backfill.default_library_id = users.default_library_id
          and backfill.source_library_id = listed.library_id
          and backfill.user_id = memberships.user_id
          and backfill.status in ('pending', 'running')
      )`;
}

export function unjustifiedEdges(sql: Queryable, defaultLibraryIds: string[]): Differences {
  return sql`
    select edge.default_library_id, edge.media_id, edge.source_library_id
    from default_library_closure_edges as edge
    where edge.default_library_id = any(${defaultLibraryIds}::uuid[]) and ${isUnjustified(sql)}`;
}

/** The edge's owner is not in its library, or the library does not hold the media. */
export function isUnjustified(sql: Queryable): Differences {
  return sql`
    not exists (
      select
      from libraries as filled
      join memberships
        on memberships.library_id = edge.source_library_id and memberships.user_id = filled.owner_user_id
      join libraries as source on source.id = edge.source_library_id and not source.is_default
      join library_media as listed on listed.library_id = source.id and listed.media_id = edge.media_id
      where filled.id = edge.default_library_id
    )`;
}

/** What a default library lists without an intrinsic or an edge. */
export function unjustifiedMedia(sql: Queryable, defaultLibraryIds: string[]): Differences {
  return sql`
    select derived.library_id as default_library_id, derived.media_id
    from library_media as derived
    where derived.library_id = any(${defaultLibraryIds}::uuid[])
      and not exists (
        select
        from default_library_intrinsics as intrinsic
        where intrinsic.default_library_id = derived.library_id and intrinsic.media_id = derived.media_id
      )
      and not exists (
        select
        from default_library_closure_edges as edge
        where edge.default_library_id = derived.library_id and edge.media_id = derived.media_id
      )`;
}

/** Intrinsics and edges whose media the default library does not list. */
export function missingMedia(sql: Queryable, defaultLibraryIds: string[]): Differences {
  return sql`
    select reason.default_library_id, reason.media_id
    from (
      select default_library_id, media_id from default_library_intrinsics
      where default_library_id = any(${defaultLibraryIds}::uuid[])
      union
      select default_library_id, media_id from default_library_closure_edges
      where default_library_id = any(${defaultLibraryIds}::uuid[])
    ) as reason
    where not exists (
      select
      from library_media as derived
      where derived.library_id = reason.default_library_id and derived.media_id = reason.media_id
    )`;
}

/** Listings of media that do not exist. */
export function listedWithoutMedia(sql: Queryable, libraryIds: string[]): Differences {
  return sql`
    select library_id, media_id
    from library_media
    where library_id = any(${libraryIds}::uuid[])
      and not exists (select from media where media.id = library_media.media_id)`;
}

/** Libraries whose owner is not among their admins. */
export function ownerNotAdmin(sql: Queryable, libraryIds: string[]): Differences {
  return sql`
    select libraries.id as library_id, libraries.owner_user_id as user_id
    from libraries
    left join memberships
      on memberships.library_id = libraries.id and memberships.user_id = libraries.owner_user_id
    where libraries.id = any(${libraryIds}::uuid[]) and memberships.role is distinct from 'admin'`;
}

/** Default libraries that somebody else is in. */
export function sharedDefault(sql: Queryable, defaultLibraryIds: string[]): Differences {
  return sql`
    select libraries.id as library_id, memberships.user_id
    from libraries
    join memberships on memberships.library_id = libraries.id and memberships.user_id <> libraries.owner_user_id
    where libraries.id = any(${defaultLibraryIds}::uuid[])`;
}

/** Backfills for people who are no longer in the library. */
export function backfillWithoutMembership(sql: Queryable, libraryIds: string[]): Differences {
  return sql`
    select default_library_id, source_library_id, user_id
    from default_library_backfill_jobs as backfill
    where source_library_id = any(${libraryIds}::uuid[])
      and not exists (
        select
        from memberships
        where memberships.library_id = backfill.source_library_id and memberships.user_id = backfill.user_id
      )`;
}

/** An acceptance writes membership and backfill together, so a backfill that is seen alone is alone. */
export async function deleteBackfillsWithoutMembership(tx: Transaction, libraryId: string): Promise<void> {
  await tx`
    delete from default_library_backfill_jobs as backfill
    where source_library_id = ${libraryId}
      and not exists (
        select
        from memberships
        where memberships.library_id = backfill.source_library_id and memberships.user_id = backfill.user_id
      )`;
}

/** The libraries that a default library has edges from, in the order in which they are locked. */
export async function sourcesOf(tx: Transaction, defaultLibraryId: string): Promise<string[]> {
  const rows = await tx<{ source_library_id: string }[]>`
    select distinct source_library_id
    from default_library_closure_edges
    where default_library_id = ${defaultLibraryId}
    order by source_library_id`;
  return rows.map(({ source_library_id }) => source_library_id);
}

/** What lists, or fills, a library that does not exist. Each library is looked up once, however much it lists. */
export function withoutLibrary(sql: Queryable): Differences {
  const librariesIn = (table: string, column: string) => sql`
    select library_id
    from (
      with recursive listed as (
        (select ${identifier(column)} as library_id from ${identifier(table)} order by 1 limit 1)
        union all
        select (
          select ${identifier(column)} from ${identifier(table)}
          where ${identifier(column)} > listed.library_id
          order by 1
          limit 1
        )
        from listed
        where listed.library_id is not null
      )
      select library_id from listed where library_id is not null
    ) as distinct_libraries`;
  return sql`
    select found.library_id
    from (
      ${librariesIn('library_media', 'library_id')}
      union
      ${librariesIn('default_library_intrinsics', 'default_library_id')}
      union
      ${librariesIn('default_library_closure_edges', 'default_library_id')}
    ) as found
    where not exists (select from libraries where libraries.id = found.library_id)`;
}

export async function deleteWithoutLibrary(tx: Transaction, libraryId: string): Promise<void> {
  await tx`delete from library_media where library_id = ${libraryId}`;
  await tx`delete from default_library_intrinsics where default_library_id = ${libraryId}`;
  await tx`delete from default_library_closure_edges where default_library_id = ${libraryId}`;
}
