import type { Queryable } from '../../platform/database/database.ts';
import { canReadMedia, type Viewer } from '../libraries/access/can-read-media.ts';

/** Whether the viewer can read a media through the exported library or, when `libraryId` is undefined, at all. */
const mayExport = (sql: Queryable, viewer: Viewer, libraryId: string | undefined) =>
  libraryId === undefined
    ? canReadMedia(sql, viewer, sql`media.id`)
    : sql`
        exists (
          select
          from memberships
          join library_media on library_media.library_id = memberships.library_id
          where memberships.library_id = ${libraryId}
            and memberships.user_id = ${viewer.user_id}
            and library_media.media_id = media.id
        )`;

/** Lists the media that may be exported. */
export async function listReadable(
  sql: Queryable,
  viewer: Viewer,
  libraryId: string | undefined,
  mediaIds: string[],
): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    select media.id
    from media
    where media.id = any(${mediaIds}::uuid[]) and ${mayExport(sql, viewer, libraryId)}`;
  return new Set(rows.map(({ id }) => id));
}

/** Lists the media that may be exported, with a JSON array of `ExportedText`. It may be long: parse it in a process. */
export async function listTexts(
  sql: Queryable,
  viewer: Viewer,
  libraryId: string | undefined,
  mediaIds: string[],
) {
  return sql<{ media_id: string; texts: string }[]>`
    select
      media.id as media_id,
      coalesce(
        (
          select json_agg(
            json_build_object(
              'title', title, 'text', canonical_text, 't_start_ms', t_start_ms, 't_end_ms', t_end_ms
            )
            order by idx
          )
          from media_fragments
          where media_fragments.media_id = media.id
        ),
        '[]'
      )::text as texts
    from media
    where media.id = any(${mediaIds}::uuid[]) and ${mayExport(sql, viewer, libraryId)}`;
}

export async function isMember(sql: Queryable, userId: string, libraryId: string): Promise<boolean> {
  const rows = await sql`
    select from memberships where library_id = ${libraryId} and user_id = ${userId}`;
  return rows.length > 0;
}
