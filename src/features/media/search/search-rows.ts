import type { Queryable, Transaction } from '../../../platform/database/database.ts';
import type { SqlFragment } from '../../../platform/database/statement.ts';

/** Well below PostgreSQL's limit of one megabyte for a tsvector. */
export const PIECE_CHARACTERS = 50_000;

/**
 * The version of search rows. Raise it when `search_form`, or what rows contain, changes: rows of earlier versions are then
 * rebuilt in the background.
 */
export const SEARCH_ROWS_VERSION = 2;

/** Builds the search rows of a media. The title has the highest weight. */
export async function buildSearchRows(tx: Transaction, mediaId: string): Promise<number> {
  await tx`delete from media_search where media_id = ${mediaId}`;
  return insertSearchRows(tx, searchRowsOf(tx, tx`media.id = ${mediaId}`));
}

/** Inserts rows that `searchRowsOf` selects. Returns how many. */
export async function insertSearchRows(sql: Queryable, rows: SqlFragment): Promise<number> {
  const written = await sql`
    insert into media_search (media_id, idx, document, words, version)
    select media_id, idx, document, words, ${SEARCH_ROWS_VERSION}
    from (${rows}) as expected`;
  return written.count;
}

/**
 * Selects the expected search rows, of the pieces and media that `which` allows: a condition on `media` and `piece.idx`.
 *
 * PostgreSQL keeps at most 255 positions of a word, and none beyond 16,383. Where a document may lack some, its words are there
 * as text, and phrases are found in them. `offset 0` keeps PostgreSQL from reading each text and building each document twice.
 */
export function searchRowsOf(sql: Queryable, which: SqlFragment) {
  return sql`
    select
      built.media_id,
      built.idx,
      built.document,
      case
        when exists (
          select
          from unnest(built.document)
          where cardinality(positions) >= 255 or positions[cardinality(positions)] >= 16383
        ) then search_words(built.text)
      end as words
    from (
      select
        piece.media_id,
        piece.idx,
        piece.text,
        case when piece.idx = 0 then
          setweight(search_document(piece.title), 'A') || setweight(search_document(coalesce(piece.author, '')), 'B')
        else ''::tsvector end
          || search_document(piece.text) as document
      from (
        select
          media.id as media_id, media.title, media.author, piece.idx,
          substr(coalesce(media.plain_text, ''), piece.idx * ${PIECE_CHARACTERS}::int + 1, ${PIECE_CHARACTERS}::int) as text
        from media
        cross join lateral generate_series(
          0, greatest(0, (char_length(coalesce(media.plain_text, '')) - 1) / ${PIECE_CHARACTERS}::int)
        ) as piece (idx)
        where ${which}
        offset 0
      ) as piece
      offset 0
    ) as built`;
}
