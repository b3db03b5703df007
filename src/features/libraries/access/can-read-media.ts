import type { Queryable } from '../../../platform/database/database.ts';
import type { SqlFragment } from '../../../platform/database/statement.ts';
import { isSaved } from '../closure/derived-rows.ts';

/** The person whose access is checked. A principal is one. */
export interface Viewer {
  user_id: string;
  default_library_id: string;
}

/** A viewer, or the columns of a statement that contain many viewers. */
export type ViewerInSql = { [Column in keyof Viewer]: string | SqlFragment };

/** Whether the viewer saved a media. A predicate for use inside a statement. */
export function isSavedBy(sql: Queryable, viewer: ViewerInSql, mediaId: SqlFragment | string) {
  return isSaved(sql, viewer.default_library_id, mediaId);
}

/**
 * Whether the viewer may read a media. The only predicate for it, for use inside any statement.
 *
 *     select … from media where ${canReadMedia(sql, viewer, sql`media.id`)}
 *
 * They saved it; or it came to their default library through a library that they are a member of now; or such a library
 * contains it, even if no backfill has run yet. A bare row in a default library gives no access. The cheapest condition
 * comes first; in lists of a default library one of the first two nearly always holds.
 *
 * Its table names begin with `access_`, and no other statement uses such names: a column of the caller, such as
 * `listed.media_id`, would otherwise mean a table of the predicate, and be compared with itself.
 */
export function canReadMedia(sql: Queryable, viewer: ViewerInSql, mediaId: SqlFragment | string) {
  return sql`(
    ${isSavedBy(sql, viewer, mediaId)}
    or exists (
      select
      from default_library_closure_edges as access_edge
      join memberships as access_joined
        on access_joined.library_id = access_edge.source_library_id and access_joined.user_id = ${viewer.user_id}
      where access_edge.default_library_id = ${viewer.default_library_id} and access_edge.media_id = ${mediaId}
    )
    or exists (
      select
      from memberships as access_joined
      join library_media as access_listed
        on access_listed.library_id = access_joined.library_id and access_listed.media_id = ${mediaId}
      where access_joined.user_id = ${viewer.user_id} and access_joined.library_id <> ${viewer.default_library_id}
    )
  )`;
}

export async function mayRead(sql: Queryable, viewer: Viewer, mediaId: string): Promise<boolean> {
  const [row] = await sql<[{ may_read: boolean }]>`
    select ${canReadMedia(sql, viewer, mediaId)} and exists (select from media where id = ${mediaId}) as may_read`;
  return row.may_read;
}

/** Returns those of the media that exist and that the viewer may read, in the order of their ids. */
export async function listReadable(sql: Queryable, viewer: Viewer, mediaIds: string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select media.id
    from media
    where media.id = any(${mediaIds}::uuid[]) and ${canReadMedia(sql, viewer, sql`media.id`)}
    order by media.id`;
  return rows.map(({ id }) => id);
}

/**
 * Whether the viewer sees somebody's work on a media, such as a branch or an analysis. A predicate for use inside a
 * statement. They can read the media now, and are the author or share a library that contains it with the author.
 * Reading the media is not enough: strangers who saved the same link share the media and must not learn about each
 * other.
 */
export function seesWorkOnMedia(
  sql: Queryable,
  viewer: ViewerInSql,
  { mediaId, authorId }: { mediaId: SqlFragment; authorId: SqlFragment },
) {
  return sql`(
    ${canReadMedia(sql, viewer, mediaId)}
    and (
      ${authorId} = ${viewer.user_id}
      or exists (
        select
        from library_media as access_listed
        join memberships as access_mine
          on access_mine.library_id = access_listed.library_id and access_mine.user_id = ${viewer.user_id}
        join memberships as access_theirs
          on access_theirs.library_id = access_listed.library_id and access_theirs.user_id = ${authorId}
        where access_listed.media_id = ${mediaId} and not access_listed.is_derived
      )
    )
  )`;
}
