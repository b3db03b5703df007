import type { Database, Queryable, Transaction } from '../../../platform/database/database.ts';
import { identifier, type SqlFragment } from '../../../platform/database/statement.ts';
import { hasEdge, isSaved } from './derived-rows.ts';

/** An id that identifies an inconsistency. */
export type DifferenceId = 'default_library_id' | 'media_id' | 'source_library_id';

/** Returns the ids of the libraries or media that the differences are about. */
export async function concernedIds(sql: Queryable, differences: SqlFragment, column: DifferenceId) {
  const rows = await sql<{ id: string }[]>`
    select distinct ${identifier(column)} as id from (${differences}) as difference`;
  return rows.map(({ id }) => id);
}

/**
 * Selects pairs of membership and media without an edge, unless a backfill is about to write it. Members and contents
 * are read in one statement and change together with their edges, so every difference is real.
 */
export const missingEdges = (sql: Queryable, range: SqlFragment) => sql`
  select users.default_library_id, scanned.media_id, scanned.library_id as source_library_id
  from library_media as scanned
  join libraries on libraries.id = scanned.library_id and not libraries.is_default
  join memberships on memberships.library_id = scanned.library_id
  join users on users.id = memberships.user_id
  where ${range}
    and not exists (
      select
      from default_library_closure_edges as edge
      where edge.default_library_id = users.default_library_id
        and edge.media_id = scanned.media_id
        and edge.source_library_id = scanned.library_id
    )
    and not exists (
      select
      from default_library_backfill_jobs as backfill
      where backfill.default_library_id = users.default_library_id
        and backfill.source_library_id = scanned.library_id
        and backfill.user_id = memberships.user_id
        and backfill.status in ('pending', 'running')
    )`;

export const unjustifiedEdges = (sql: Queryable, range: SqlFragment) => sql`
  select edge.default_library_id, edge.media_id, edge.source_library_id
  from default_library_closure_edges as scanned
  cross join lateral (select scanned.*) as edge
  where ${range} and ${isDefault(sql, sql`scanned.default_library_id`)} and ${isUnjustified(sql)}`;

const isDefault = (sql: Queryable, library: SqlFragment) => sql`
  exists (select from libraries where libraries.id = ${library} and libraries.is_default)`;

/** Whether the owner of an edge is not a member of its source, or the source does not list the media. */
export const isUnjustified = (sql: Queryable) => sql`
  not exists (
    select
    from libraries as filled
    join memberships
      on memberships.library_id = edge.source_library_id and memberships.user_id = filled.owner_user_id
    join libraries as source on source.id = edge.source_library_id and not source.is_default
    join library_media as listed on listed.library_id = source.id and listed.media_id = edge.media_id
    where filled.id = edge.default_library_id
  )`;

/** Selects rows of default libraries that have neither an intrinsic nor an edge. */
export const unjustifiedMedia = (sql: Queryable, range: SqlFragment) => sql`
  select scanned.library_id as default_library_id, scanned.media_id
  from library_media as scanned
  where ${range}
    and ${isDefault(sql, sql`scanned.library_id`)}
    and not ${isSaved(sql, sql`scanned.library_id`, sql`scanned.media_id`)}
    and not ${hasEdge(sql, sql`scanned.library_id`, sql`scanned.media_id`)}`;

const isUnlisted = (sql: Queryable) => sql`
  ${isDefault(sql, sql`scanned.default_library_id`)}
  and not exists (
    select
    from library_media as derived
    where derived.library_id = scanned.default_library_id and derived.media_id = scanned.media_id
  )`;

/** Selects intrinsics whose media the default library does not list. */
export const missingIntrinsicMedia = (sql: Queryable, range: SqlFragment) => sql`
  select scanned.default_library_id, scanned.media_id
  from default_library_intrinsics as scanned
  where ${range} and ${isUnlisted(sql)}`;

/** Selects edges whose media the default library does not list: each media once, and none that has an intrinsic. */
export const missingEdgeMedia = (sql: Queryable, range: SqlFragment) => sql`
  select scanned.default_library_id, scanned.media_id
  from default_library_closure_edges as scanned
  where ${range}
    and ${isUnlisted(sql)}
    and not ${isSaved(sql, sql`scanned.default_library_id`, sql`scanned.media_id`)}
    and not exists (
      select
      from default_library_closure_edges as other
      where other.default_library_id = scanned.default_library_id
        and other.media_id = scanned.media_id
        and other.source_library_id < scanned.source_library_id
    )`;

/** Selects rows of libraries whose media do not exist. */
export const listedWithoutMedia = (sql: Queryable, range: SqlFragment) => sql`
  select scanned.library_id, scanned.media_id
  from library_media as scanned
  where ${range}
    and exists (select from libraries where libraries.id = scanned.library_id)
    and not exists (select from media where media.id = scanned.media_id)`;

/** Selects shared libraries whose owner is not one of their admins. */
export const ownerNotAdmin = (sql: Queryable, range: SqlFragment) => sql`
  select scanned.id as library_id, scanned.owner_user_id as user_id
  from libraries as scanned
  left join memberships
    on memberships.library_id = scanned.id and memberships.user_id = scanned.owner_user_id
  where ${range} and not scanned.is_default and memberships.role is distinct from 'admin'`;

/** Selects default libraries that somebody else is a member of. */
export const sharedDefault = (sql: Queryable, range: SqlFragment) => sql`
  select scanned.library_id, scanned.user_id
  from memberships as scanned
  join libraries on libraries.id = scanned.library_id and libraries.is_default
  where ${range} and scanned.user_id <> libraries.owner_user_id`;

/** Selects backfills of people who are no longer members of the library. */
export const backfillWithoutMembership = (sql: Queryable, range: SqlFragment) => sql`
  select scanned.default_library_id, scanned.source_library_id, scanned.user_id
  from default_library_backfill_jobs as scanned
  where ${range} and not ${hasMembership(sql)}`;

const hasMembership = (sql: Queryable) => sql`
  exists (
    select
    from memberships
    where memberships.library_id = scanned.source_library_id and memberships.user_id = scanned.user_id
  )`;

/** Selects backfills of members that wait for a job that is over, so that nothing would end them. */
export const strandedBackfills = (sql: Queryable, range: SqlFragment) => sql`
  select scanned.default_library_id, scanned.source_library_id, scanned.user_id
  from default_library_backfill_jobs as scanned
  where ${range} and ${isStranded(sql)} and ${hasMembership(sql)}`;

const isStranded = (sql: Queryable) => sql`(
  scanned.status in ('pending', 'running')
  and not exists (select from job_queue where job_queue.job_id = scanned.job_id)
)`;

/** Fails stranded backfills, so that the edges that they should have written count as missing. */
export async function failStrandedBackfills(tx: Transaction, libraryId: string): Promise<void> {
  await tx`
    update default_library_backfill_jobs as scanned
    set status = 'failed', last_error_code = 'E_BACKFILL_FAILED', finished_at = now(), updated_at = now()
    where source_library_id = ${libraryId} and ${isStranded(tx)}`;
}

/** Deletes backfills without a membership. An acceptance commits both together, so none is about to get one. */
export async function deleteBackfillsWithoutMembership(tx: Transaction, libraryId: string): Promise<void> {
  await tx`
    delete from default_library_backfill_jobs as scanned
    where source_library_id = ${libraryId} and not ${hasMembership(tx)}`;
}

/** Lists the libraries that a default library has edges from, in the order in which they are locked. */
export async function sourcesOf(tx: Transaction, defaultLibraryId: string): Promise<string[]> {
  const rows = await tx<{ source_library_id: string }[]>`
    select distinct source_library_id
    from default_library_closure_edges
    where default_library_id = ${defaultLibraryId}
    order by source_library_id`;
  return rows.map(({ source_library_id }) => source_library_id);
}

/** Lists the next library ids that occur in a table, each once, with one index lookup for each. */
export async function nextNamed(
  sql: Database,
  { table, column }: { table: string; column: string },
  after: string | null,
  limit: number,
): Promise<string[]> {
  const named = identifier(column);
  const rows = await sql<{ library_id: string }[]>`
    with recursive found (library_id, number) as (
      (
        select ${named}, 1
        from ${identifier(table)}
        ${after === null ? sql`` : sql`where ${named} > ${after}`}
        order by 1
        limit 1
      )
      union all
      select following.library_id, found.number + 1
      from found
      cross join lateral (
        select ${named} as library_id
        from ${identifier(table)}
        where ${named} > found.library_id
        order by 1
        limit 1
      ) as following
      where found.number < ${limit}
    )
    select library_id from found order by number`;
  return rows.map(({ library_id }) => library_id);
}

/** Returns the libraries that do not exist. */
export async function withoutLibrary(sql: Queryable, libraryIds: string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select named.id
    from unnest(${libraryIds}::uuid[]) as named (id)
    where not exists (select from libraries where libraries.id = named.id)`;
  return rows.map(({ id }) => id);
}

export async function deleteWithoutLibrary(tx: Transaction, libraryId: string): Promise<void> {
  await tx`delete from library_media where library_id = ${libraryId}`;
  await tx`delete from default_library_intrinsics where default_library_id = ${libraryId}`;
  await tx`delete from default_library_closure_edges where default_library_id = ${libraryId}`;
}
