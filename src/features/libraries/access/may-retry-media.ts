import type { Queryable } from '../../../platform/database/database.ts';
import { isSavedBy, type Viewer } from './can-read-media.ts';

/**
 * Whether somebody may retry a media of the statement that they can read: they saved it, or are an admin of a library that
 * holds it. Whether there is anything to retry is the lifecycle's question.
 *
 * Asked row by row: without `offset 0`, PostgreSQL may think of hashing all that the admin's libraries hold.
 */
export function mayRetryMedia(sql: Queryable, viewer: Viewer) {
  return sql`(
    ${isSavedBy(sql, viewer, sql`media.id`)}
    or exists (
      select
      from memberships as joined
      join libraries as holder on holder.id = joined.library_id and not holder.is_default
      join library_media as held on held.library_id = holder.id and held.media_id = media.id
      where joined.user_id = ${viewer.user_id} and joined.role = 'admin'
      offset 0
    )
  )`;
}
