import type { TrashedMedia } from '../../../contract/trash.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { microseconds, moment } from '../../../platform/database/moments.ts';
import { canReadMedia, type Viewer } from '../../libraries/access/can-read-media.ts';
import { mayAdd } from '../../libraries/access/contributing.ts';
import type { Trashed } from '../../libraries/closure/closure.ts';
import { joinOwn, type MediaRow, mediaColumns, toMedia } from '../lists/media-row.ts';

interface TrashCursor {
  trashed_us: number;
  media_id: string;
}

/**
 * Whether a media is in the viewer's trash. One that they can read again through a library is not. One that they
 * removed from a shared library can be restored only while they may add to it.
 */
const isInTrash = (sql: Queryable, viewer: Viewer) => sql`
  ${mayRestore(sql, viewer)} and not ${canReadMedia(sql, viewer, sql`trash.media_id`)}`;

const mayRestore = (sql: Queryable, viewer: Viewer) => sql`
  trash.default_library_id = ${viewer.default_library_id}
  and (
    trash.library_id is null
    or exists (
      select
      from memberships
      where memberships.library_id = trash.library_id
        and memberships.user_id = ${viewer.user_id}
        and ${mayAdd(sql, sql`memberships.role`)}
    )
  )`;

/** Lists the trash, most recently removed first. */
export async function listTrash(
  sql: Queryable,
  viewer: Viewer,
  { days, last, limit }: { days: number; last: TrashCursor | null; limit: number },
) {
  const isBeyond = last
    ? sql`(trash.trashed_at, trash.media_id) < (${moment(sql, last.trashed_us)}, ${last.media_id})`
    : sql`true`;
  const rows = await sql<(MediaRow & TrashedMedia & { cursor: TrashCursor })[]>`
    select
      ${mediaColumns(sql, viewer)}, coalesce(trash.saved_at, trash.trashed_at) as added_at,
      (
        select json_build_object('id', libraries.id, 'name', libraries.name)
        from libraries
        where libraries.id = trash.library_id
      ) as library,
      trash.trashed_at, trash.trashed_at + ${days} * interval '1 day' as purge_at,
      json_build_object('trashed_us', ${microseconds(sql, sql`trash.trashed_at`)}, 'media_id', media.id) as cursor
    from trash
    join media on media.id = trash.media_id
    ${joinOwn(sql, viewer)}
    where ${isInTrash(sql, viewer)} and ${isBeyond}
    order by trash.trashed_at desc, trash.media_id desc
    limit ${limit}`;
  return rows.map(toMedia);
}

export async function nextInTrash(sql: Queryable, viewer: Viewer, limit: number): Promise<string[]> {
  const rows = await sql<{ media_id: string }[]>`
    select media_id
    from trash
    where ${isInTrash(sql, viewer)}
    order by trashed_at, media_id
    limit ${limit}`;
  return rows.map(({ media_id }) => media_id);
}

/** Finds a media in the viewer's trash, with what is needed to restore it. */
export async function findTrashed(sql: Queryable, viewer: Viewer, mediaId: string) {
  const [trashed] = await sql<Trashed[]>`
    select trash.media_id, trash.library_id, trash.saved_at, trash.requested_url
    from trash
    where trash.media_id = ${mediaId} and ${isInTrash(sql, viewer)}`;
  return trashed;
}

/** Finds those of the media that the viewer removed and may restore. They may be able to read some of them again. */
export async function listTrashed(sql: Queryable, viewer: Viewer, mediaIds: string[]) {
  return sql<Trashed[]>`
    select trash.media_id, trash.library_id, trash.saved_at, trash.requested_url
    from trash
    where trash.media_id = any(${mediaIds}::uuid[]) and ${mayRestore(sql, viewer)}
    order by trash.media_id`;
}
