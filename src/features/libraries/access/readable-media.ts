import type { Queryable } from '../../../platform/database/database.ts';
import type { SqlFragment } from '../../../platform/database/statement.ts';
import type { Viewer } from './can-read-media.ts';

/*
 * `canReadMedia` from the other side: where everything lies that the viewer may read. A right is asked once for each
 * library, not once for each media. Closure edges are not among these places: each comes from a library that its owner is
 * in, and that holds the media.
 */

/** What the viewer has saved themselves. */
export const savedMedia = (sql: Queryable, { default_library_id }: Viewer): SqlFragment => sql`
  select media_id, ready_kind, ready_site
  from default_library_intrinsics
  where default_library_id = ${default_library_id}`;

/** What lies in one library, if the viewer is in it. */
export const mediaOfLibrary = (sql: Queryable, viewer: Viewer, libraryId: string): SqlFragment =>
  sharedMedia(sql, viewer, sql`joined.library_id = ${libraryId}`);

/** What lies in all libraries that the viewer is in, besides their own and one that is named. */
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
export async function measureLibraries(
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
