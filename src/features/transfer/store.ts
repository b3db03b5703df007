import type { Queryable } from '../../platform/database/database.ts';
import type { SqlFragment } from '../../platform/database/statement.ts';
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

/** A JSON array of `ExportedText`. */
const texts = (sql: Queryable) => sql`
  coalesce(
    (
      select json_agg(
        json_build_object('title', title, 'text', canonical_text, 't_start_ms', t_start_ms, 't_end_ms', t_end_ms)
        order by idx
      )
      from media_fragments
      where media_fragments.media_id = media.id
    ),
    '[]'
  )`;

const moment = (sql: Queryable, column: SqlFragment) =>
  sql`to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** A JSON array of the viewer's own highlights, as `exportedHighlight`, in the order of the text. */
const ownHighlights = (sql: Queryable, { user_id }: Viewer) => sql`
  coalesce(
    (
      select json_agg(
        json_build_object(
          'id', id,
          'target', json_build_object(
            'fragment_idx', fragment_idx,
            'selector', json_build_array(
              json_build_object('type', 'TextPositionSelector', 'start', start_offset, 'end', end_offset),
              json_build_object('type', 'TextQuoteSelector', 'exact', exact, 'prefix', prefix, 'suffix', suffix)
            )
          ),
          'pdf', pdf, 'color', color, 'note', note, 'is_placed', fragment_id is not null,
          'created_at', ${moment(sql, sql`created_at`)}, 'updated_at', ${moment(sql, sql`updated_at`)}
        )
        order by fragment_idx, start_offset, id
      )
      from highlights
      where highlights.media_id = media.id and highlights.user_id = ${user_id}
    ),
    '[]'
  )`;

/** A media that may be exported. Its texts and highlights are JSON, which may be long: parse it in a process. */
export interface ExportRow {
  media_id: string;
  title: string | null;
  imported_title: string | null;
  highlights: string;
  texts: string;
}

/** Lists those of the media that may be exported, with what the viewer keeps about them. */
export async function listExported(
  sql: Queryable,
  viewer: Viewer,
  libraryId: string | undefined,
  { mediaIds, withTexts }: { mediaIds: string[]; withTexts: boolean },
) {
  return sql<ExportRow[]>`
    select
      media.id as media_id, mine.title, mine.imported_title,
      ${ownHighlights(sql, viewer)}::text as highlights,
      ${withTexts ? texts(sql) : sql`'[]'`}::text as texts
    from media
    left join media_mine as mine on mine.user_id = ${viewer.user_id} and mine.media_id = media.id
    where media.id = any(${mediaIds}::uuid[]) and ${mayExport(sql, viewer, libraryId)}`;
}

export async function isMember(sql: Queryable, userId: string, libraryId: string): Promise<boolean> {
  const rows = await sql`
    select from memberships where library_id = ${libraryId} and user_id = ${userId}`;
  return rows.length > 0;
}
