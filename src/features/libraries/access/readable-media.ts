import type { Queryable } from '../../../platform/database/database.ts';
import type { SqlFragment } from '../../../platform/database/statement.ts';
import type { Viewer } from './can-read-media.ts';

/*
 * The inverse of `canReadMedia`: selects everything that the viewer may read. Access is checked once per library
 * instead of once per media. Each function selects `media_id`, and `ready_kind` and `ready_site` for media that are
 * ready. Closure edges are not needed: each comes from a library that contains the media and that its owner is a member
 * of.
 */

/** Selects the media that the viewer saved. */
export const savedMedia = (sql: Queryable, { default_library_id }: Viewer): SqlFragment => sql`
  select media_id, ready_kind, ready_site
  from default_library_intrinsics
  where default_library_id = ${default_library_id}`;

/** Selects the media of one library, if the viewer is a member. */
export const mediaOfLibrary = (sql: Queryable, viewer: Viewer, libraryId: string): SqlFragment =>
  sharedMedia(sql, viewer, sql`joined.library_id = ${libraryId}`);

/** Whether a library contains a media, and the viewer is a member. The membership is looked up once for the statement. */
export const isInLibrary = (
  sql: Queryable,
  { user_id }: Viewer,
  libraryId: string,
  mediaId: SqlFragment,
): SqlFragment => sql`(
  exists (select from memberships where library_id = ${libraryId} and user_id = ${user_id})
  and exists (
    select
    from library_media as held
    where held.library_id = ${libraryId} and held.media_id = ${mediaId} and not held.is_derived
  )
)`;

/** Selects the media of all libraries of the viewer, except their default library and a given one. */
export const mediaOfOtherLibraries = (sql: Queryable, viewer: Viewer, libraryId: string): SqlFragment =>
  sharedMedia(sql, viewer, sql`joined.library_id not in (${viewer.default_library_id}, ${libraryId})`);

const sharedMedia = (sql: Queryable, viewer: Viewer, which: SqlFragment) => sql`
  select listed.media_id, listed.ready_kind, listed.ready_site
  from memberships as joined
  join library_media as listed on listed.library_id = joined.library_id and not listed.is_derived
  where joined.user_id = ${viewer.user_id} and ${which}`;

/** Whether a library of the viewer is unfilled: no backfill has added its media to their default library yet. */
const isUnfilled = (sql: Queryable, viewer: Viewer, libraryId: SqlFragment) => sql`
  exists (
    select
    from default_library_backfill_jobs as backfill
    where backfill.default_library_id = ${viewer.default_library_id}
      and backfill.source_library_id = ${libraryId}
      and backfill.user_id = ${viewer.user_id}
      and backfill.status <> 'completed'
  )`;

/** Lists the libraries of the viewer that are unfilled. */
export async function listUnfilled(sql: Queryable, viewer: Viewer): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select joined.library_id as id
    from memberships as joined
    where joined.user_id = ${viewer.user_id} and ${isUnfilled(sql, viewer, sql`joined.library_id`)}`;
  return rows.map(({ id }) => id);
}

/**
 * Counts the media in each library of the viewer, up to `most`, largest first. The default library comes first among
 * equals and counts what its owner saved.
 */
export async function measureLibraries(sql: Queryable, viewer: Viewer, most: number) {
  return sql<{ library_id: string; size: number; is_unfilled: boolean }[]>`
    select library_id, size, is_unfilled
    from (
      select
        ${viewer.default_library_id}::uuid as library_id,
        (
          select count(*)
          from (
            select from default_library_intrinsics
            where default_library_id = ${viewer.default_library_id}
            limit ${most}
          ) as counted
        ) as size,
        false as is_unfilled
      union all
      select
        joined.library_id,
        (
          select count(*)
          from (
            select from library_media
            where library_media.library_id = joined.library_id and not library_media.is_derived
            limit ${most}
          ) as counted
        ),
        ${isUnfilled(sql, viewer, sql`joined.library_id`)}
      from memberships as joined
      where joined.user_id = ${viewer.user_id} and joined.library_id <> ${viewer.default_library_id}
    ) as place
    order by size desc, library_id = ${viewer.default_library_id} desc`;
}
