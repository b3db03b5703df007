import type { Queryable } from '../../platform/database/database.ts';

/**
 * Whether somebody may have a media of the statement tried again that they can read: who saved it first, or an admin of a
 * library that holds it. Whether there is anything to try again is the lifecycle's question.
 *
 * Asked row by row: without `offset 0`, PostgreSQL may think of hashing all that the admin's libraries hold.
 */
export function mayRetryMedia(sql: Queryable, { user_id }: { user_id: string }) {
  return sql`(
    media.created_by_user_id = ${user_id}
    or exists (
      select
      from memberships as joined
      join libraries as holder on holder.id = joined.library_id and not holder.is_default
      join library_media as held on held.library_id = holder.id and held.media_id = media.id
      where joined.user_id = ${user_id} and joined.role = 'admin'
      offset 0
    )
  )`;
}
