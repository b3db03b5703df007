import { addToDefaultLibrary } from '../../src/features/libraries/closure/closure.ts';
import { plainText } from '../../src/features/media/extractors/extraction.ts';
import { buildSearchRows } from '../../src/features/media/search/search-rows.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { transaction } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/ids.ts';
import type { Reader } from './libraries.ts';

export interface SavedFields {
  title?: string;
  kind?: string;
  site?: string | null;
  published?: string | null;
  words?: number | null;
  author?: string | null;
  /** The text of each fragment. */
  texts?: string[];
  /** The title of each fragment. */
  titles?: (string | null)[];
}

/** Saves a media that is ready: readable and searchable. */
export async function saveReady(
  sql: Database,
  { id: userId, defaultLibraryId }: Reader,
  { title = 'Untitled', kind = 'web_article', texts = [], titles = [], ...fields }: SavedFields = {},
): Promise<string> {
  const id = newId();
  await transaction(sql, async (tx) => {
    await tx`
      insert into media (
        id, kind, title, created_by_user_id, processing_status, site, published, word_count, author, plain_text
      )
      values (
        ${id}, ${kind}, ${title}, ${userId}, 'ready', ${fields.site ?? null}, ${fields.published ?? null},
        ${fields.words ?? null}, ${fields.author ?? null}, ${plainText(texts.map((canonical_text) => ({ canonical_text })))}
      )`;
    await tx`
      insert into media_fragments (id, media_id, idx, title, html_sanitized, canonical_text)
      select gen_random_uuid(), ${id}, place - 1, (${titles}::text[])[place], '', text
      from unnest(${texts}::text[]) with ordinality as given (text, place)`;
    await addToDefaultLibrary(tx, defaultLibraryId, [{ media_id: id }], { userId });
    await buildSearchRows(tx, id);
  });
  return id;
}
