import type { Queryable } from '../../platform/database/database.ts';
import type { SqlFragment } from '../../platform/database/statement.ts';
import type { ViewerInSql } from '../libraries/access/can-read-media.ts';

/** The shares with libraries that contain the media now and of which the viewer is a member now, for use after `from`. */
export const sharesSeenBy = (sql: Queryable, viewer: Pick<ViewerInSql, 'user_id'>) => sql`
  highlight_shares as share
  join memberships as mine on mine.library_id = share.library_id and mine.user_id = ${viewer.user_id}
  join library_media as listed on listed.library_id = share.library_id and listed.media_id = share.media_id`;

/**
 * Whether the viewer sees a highlight now. The only predicate for it, for use inside any statement.
 *
 * They are its author; or it is shared with a library that contains the media now and of which they are a member now, so
 * that they may read the media as well. The author is a member too: a key deletes the shares of members who leave.
 */
export function canSeeHighlight(
  sql: Queryable,
  viewer: Pick<ViewerInSql, 'user_id'>,
  { id, authorId }: { id: SqlFragment | string; authorId: SqlFragment },
) {
  return sql`(
    ${authorId} = ${viewer.user_id}
    or exists (
      select
      from ${sharesSeenBy(sql, viewer)}
      where share.highlight_id = ${id}
    )
  )`;
}

/**
 * Whether the viewer sees a reply to a highlight that they see. It is theirs; or the highlight is shared with a library of
 * which both they and the author of the reply are members now. Two people who see the highlight through different libraries
 * do not learn of each other.
 */
export function canSeeReply(
  sql: Queryable,
  viewer: Pick<ViewerInSql, 'user_id'>,
  { highlightId, authorId }: { highlightId: SqlFragment | string; authorId: SqlFragment },
) {
  return sql`(
    ${authorId} = ${viewer.user_id}
    or exists (
      select
      from ${sharesSeenBy(sql, viewer)}
      join memberships as theirs on theirs.library_id = share.library_id and theirs.user_id = ${authorId}
      where share.highlight_id = ${highlightId}
    )
  )`;
}

/**
 * Whether the viewer sees that a reply mentions somebody: the person mentioned sees the reply, and the viewer would see
 * theirs.
 */
export function canSeeMention(
  sql: Queryable,
  viewer: Pick<ViewerInSql, 'user_id'>,
  {
    highlightId,
    authorId,
    mentionedId,
  }: { highlightId: SqlFragment; authorId: SqlFragment; mentionedId: SqlFragment },
) {
  return sql`(
    ${canSeeReply(sql, { user_id: mentionedId }, { highlightId, authorId })}
    and ${canSeeReply(sql, viewer, { highlightId, authorId: mentionedId })}
  )`;
}
