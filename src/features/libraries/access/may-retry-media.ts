import type { Queryable } from '../../../platform/database/database.ts';
import { isSavedBy, type Viewer } from './can-read-media.ts';

/**
 * Whether the viewer may retry a readable media of the statement: they saved it, or are an admin of a library that
 * contains it. The lifecycle decides whether there is anything to retry.
 *
 * `offset 0` makes PostgreSQL check row by row; without it, it may hash everything in the admin's libraries.
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
