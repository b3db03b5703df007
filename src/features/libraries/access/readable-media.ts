import type { Queryable } from '../../../platform/database/database.ts';
import type { SqlFragment } from '../../../platform/database/statement.ts';
import type { Viewer } from './can-read-media.ts';

/*
 * The inverse of `canReadMedia`: all media that the viewer may read, in several parts. Rights are checked once for each
 * library, not once for each media. Closure edges need no part: each comes from a library that its owner is a member of,
 * and that lists the media. A part has rows with `media_id`, and with `ready_kind` and `ready_site` of media that are ready.
 */

/** Media that the viewer has saved themselves. */
export const savedMedia = (sql: Queryable, { default_library_id }: Viewer): SqlFragment => sql`
  select media_id, ready_kind, ready_site
  from default_library_intrinsics
  where default_library_id = ${default_library_id}`;

/** Media of one library, if the viewer is a member of it. */
export const mediaOfLibrary = (sql: Queryable, viewer: Viewer, libraryId: string): SqlFragment =>
  sharedMedia(sql, viewer, sql`joined.library_id = ${libraryId}`);

/** Media of all libraries that the viewer is a member of, except their default library and the given one. */
export const mediaOfOtherLibraries = (sql: Queryable, viewer: Viewer, libraryId: string): SqlFragment =>
  sharedMedia(
    sql,
    viewer,
    sql`joined.library_id <> ${viewer.default_library_id} and joined.library_id <> ${libraryId}`,
  );

const sharedMedia = (sql: Queryable, viewer: Viewer, which: SqlFragment) => sql`
  select listed.media_id, listed.ready_kind, listed.ready_site
  from memberships as joined
  join library_media as listed on listed.library_id = joined.library_id and not listed.is_derived
  where joined.user_id = ${viewer.user_id} and ${which}`;

/** How much lies in each place, their own library's first among equals. It is counted up to `most`. */
export async function measurePlaces(
  sql: Queryable,
  viewer: Viewer,
  most: number,
): Promise<{ library_id: string; size: number }[]> {
  return sql<{ library_id: string; size: number }[]>`
    select library_id, size
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
        ) as size
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
        )
      from memberships as joined
      where joined.user_id = ${viewer.user_id} and joined.library_id <> ${viewer.default_library_id}
    ) as place
    order by size desc, library_id = ${viewer.default_library_id} desc`;
}
