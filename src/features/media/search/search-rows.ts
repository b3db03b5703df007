import type { Queryable, Transaction } from '../../../platform/database/database.ts';

/** Well below PostgreSQL's limit of one megabyte for a tsvector. */
export const PIECE_CHARACTERS = 50_000;

/** Builds the search rows of a media. The title has the highest weight. */
export async function buildSearchRows(tx: Transaction, mediaId: string): Promise<number> {
  await tx`delete from media_search where media_id = ${mediaId}`;
  const written = await tx`
    insert into media_search (media_id, idx, document)
    ${searchRowsOf(tx, tx`media.id = ${mediaId}`)}`;
  return written.count;
}

/** Selects the expected search rows of media. */
export function searchRowsOf(sql: Queryable, which: ReturnType<Queryable>) {
  return sql`
    select
      media.id as media_id,
      piece.idx,
      case when piece.idx = 0 then
        setweight(search_document(media.title), 'A') || setweight(search_document(coalesce(media.author, '')), 'B')
      else ''::tsvector end
        || search_document(
          substr(coalesce(media.plain_text, ''), piece.idx * ${PIECE_CHARACTERS}::int + 1, ${PIECE_CHARACTERS}::int)
        ) as document
    from media
    cross join lateral generate_series(
      0, greatest(0, (char_length(coalesce(media.plain_text, '')) - 1) / ${PIECE_CHARACTERS}::int)
    ) as piece (idx)
    where ${which}`;
}
