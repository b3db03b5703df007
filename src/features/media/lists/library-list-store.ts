import type { Library, LibraryMedia } from '../../../contract/libraries.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { microseconds, moment } from '../../../platform/database/moments.ts';
import { canReadMedia, isSavedBy, type Viewer } from '../../libraries/access/can-read-media.ts';
import { joinReadingProgress, type MediaRow, mediaColumns, toMedia } from './media-row.ts';

export interface LibraryMediaCursor {
  added_us: number;
  media_id: string;
}

/**
 * Lists a library, newest first. In a default library, access is checked row by row behind `offset 0`: otherwise
 * PostgreSQL collects everything that the viewer may read before it returns the first row.
 */
export async function listLibraryMedia(
  sql: Queryable,
  viewer: Viewer,
  library: Pick<Library, 'id' | 'is_default'>,
  { last, limit }: { last: LibraryMediaCursor | null; limit: number },
): Promise<(LibraryMedia & { cursor: LibraryMediaCursor })[]> {
  const mayRead = library.is_default ? canReadMedia(sql, viewer, sql`listed.media_id`) : sql`true`;
  // A default library names only its owner; the list of the shared library says who added a media there.
  const addedBy = library.is_default
    ? sql`case when ${isSavedBy(sql, viewer, sql`media.id`)} then ${viewer.user_id}::uuid end`
    : sql`listed.added_by_user_id`;
  const rows = await sql<
    (MediaRow & Pick<LibraryMedia, 'added_at' | 'added_by_user_id'> & { cursor: LibraryMediaCursor })[]
  >`
    select
      ${mediaColumns(sql, viewer)},
      listed.created_at as added_at, ${addedBy} as added_by_user_id,
      json_build_object('added_us', ${microseconds(sql, sql`listed.created_at`)}, 'media_id', media.id) as cursor
    from library_media as listed
    join media on media.id = listed.media_id
    join lateral (select ${mayRead} as may_read offset 0) as permission on permission.may_read
    ${joinReadingProgress(sql, viewer)}
    where listed.library_id = ${library.id}
      ${last === null ? sql`` : sql`and (listed.created_at, listed.media_id) < (${moment(sql, last.added_us)}, ${last.media_id})`}
    order by listed.created_at desc, listed.media_id desc
    limit ${limit}`;
  return rows.map(toMedia);
}
