import type { Queryable } from '../../../platform/database/database.ts';
import type { SqlFragment } from '../../../platform/database/statement.ts';
import { canReadMedia, type ViewerInSql } from './can-read-media.ts';

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
        from library_media as listed
        join memberships as mine on mine.library_id = listed.library_id and mine.user_id = ${viewer.user_id}
        join memberships as theirs on theirs.library_id = listed.library_id and theirs.user_id = ${authorId}
        where listed.media_id = ${mediaId} and not listed.is_derived
      )
    )
  )`;
}
