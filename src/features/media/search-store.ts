import type { Media } from '../../contract/media.ts';
import type { SearchQuery } from '../../contract/search.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { canReadMedia, type Viewer } from '../libraries/can-read-media.ts';
import { type MediaRow, mediaColumns, onTheWire, readingOf } from '../libraries/media-row.ts';
import type { ParsedQuery } from './search-query.ts';
import { PIECE_CHARACTERS } from './search-rows.ts';

/** Of a word that is everywhere, so many are ranked: ranking reads the whole document, and nobody reads on for longer. */
const MOST_RANKED = 500;
const MOST_TITLES = 200;

export interface SearchPosition {
  rank: number;
  id: string;
}

const parsed = (sql: Queryable, { web, prefix, isAlternative }: ParsedQuery) => {
  const words = sql`websearch_to_tsquery('simple', search_form(${web}))`;
  if (prefix === null) return words;
  const unfinished = sql`to_tsquery('simple', quote_literal(search_form(${prefix})) || ':*')`;
  return isAlternative ? sql`${words} || ${unfinished}` : sql`${words} && ${unfinished}`;
};

/**
 * Where to look at all: what lies in the library, or in the default library and what is still on its way there. Reading
 * rights are asked of what is found, since asking them of a word's every occurrence would take seconds.
 */
const isInScope = (
  sql: Queryable,
  viewer: Viewer,
  libraryId: string | undefined,
  unfilled: string[],
  mediaId: ReturnType<Queryable>,
) => sql`
  ${mediaId} in (
    select media_id
    from library_media
    where library_id = any(${libraryId === undefined ? [viewer.default_library_id, ...unfilled] : [libraryId]}::uuid[])
      ${
        libraryId === undefined
          ? sql``
          : sql`and exists (select from memberships where library_id = ${libraryId} and user_id = ${viewer.user_id})`
      }
  )`;

/** The best first, each media once, with the piece of its text that matches best. */
export async function findHits(
  sql: Queryable,
  viewer: Viewer,
  query: Pick<SearchQuery, 'library_id' | 'kind'> & { words: ParsedQuery },
  unfilled: string[],
  last: SearchPosition | null,
  limit: number,
): Promise<{ media: Media; piece_idx: number | null; position: SearchPosition }[]> {
  const inScope = (mediaId: ReturnType<Queryable>) =>
    isInScope(sql, viewer, query.library_id, unfilled, mediaId);
  const rows = await sql<(MediaRow & { piece_idx: number | null; position: SearchPosition })[]>`
    with asked as materialized (
      select ${parsed(sql, query.words)} as words
    ),
    in_text as materialized (
      select piece.media_id, piece.idx, piece.document
      from media_search as piece
      where piece.document @@ (select words from asked)
        and ${inScope(sql`piece.media_id`)}
        ${query.kind === undefined ? sql`` : sql`and exists (select from media where id = piece.media_id and kind = ${query.kind})`}
      limit ${MOST_RANKED}
    ),
    in_titles as materialized (
      select media.id as media_id, media.title
      from media
      where search_document(media.title) @@ (select words from asked)
        and ${inScope(sql`media.id`)}
        ${query.kind === undefined ? sql`` : sql`and media.kind = ${query.kind}`}
      limit ${MOST_TITLES}
    ),
    candidate as (
      select media_id, idx, document from in_text
      union all
      select
        in_titles.media_id, piece.idx,
        coalesce(piece.document, setweight(search_document(in_titles.title), 'A'))
      from in_titles
      left join media_search as piece on piece.media_id = in_titles.media_id and piece.idx = 0
    ),
    ranked as (
      select distinct on (media_id)
        media_id, idx, ts_rank('{0.1, 0.3, 0.5, 1.0}', document, (select words from asked), 1)::float8 as rank
      from candidate
      order by media_id, rank desc, idx
    )
    select
      ${mediaColumns(sql, viewer)},
      ranked.idx as piece_idx,
      json_build_object('rank', ranked.rank, 'id', media.id) as position
    from ranked
    join media on media.id = ranked.media_id
    ${readingOf(sql, viewer)}
    where ${canReadMedia(sql, viewer, sql`media.id`)}
      ${last === null ? sql`` : sql`and (ranked.rank, media.id) < (${last.rank}::float8, ${last.id})`}
    order by ranked.rank desc, media.id desc
    limit ${limit}`;
  return rows.map(({ piece_idx, position, ...row }) => ({ media: onTheWire(row), piece_idx, position }));
}

/** The pieces of text that matched, in the order of the hits. */
export async function readPieces(
  sql: Queryable,
  hits: { mediaId: string; pieceIdx: number }[],
): Promise<string[]> {
  const rows = await sql<{ text: string }[]>`
    select substr(coalesce(media.plain_text, ''), hit.idx * ${PIECE_CHARACTERS}::int + 1, ${PIECE_CHARACTERS}::int) as text
    from unnest(
      ${hits.map(({ mediaId }) => mediaId)}::uuid[],
      ${hits.map(({ pieceIdx }) => pieceIdx)}::int[]
    ) with ordinality as hit (media_id, idx, place)
    left join media on media.id = hit.media_id
    order by hit.place`;
  return rows.map(({ text }) => text);
}

/** Which fragment a line stands in, in the order of the lines; the first that holds it. */
export async function findFragments(
  sql: Queryable,
  lines: { mediaId: string; line: string | null }[],
): Promise<(number | null)[]> {
  const rows = await sql<{ idx: number | null }[]>`
    select fragment.idx
    from unnest(
      ${lines.map(({ mediaId }) => mediaId)}::uuid[],
      ${lines.map(({ line }) => line)}::text[]
    ) with ordinality as hit (media_id, line, place)
    left join lateral (
      select idx
      from media_fragments
      where media_fragments.media_id = hit.media_id and strpos(canonical_text, hit.line) > 0
      order by idx
      limit 1
    ) as fragment on true
    order by hit.place`;
  return rows.map(({ idx }) => idx);
}
