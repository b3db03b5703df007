import { addToDefaultLibrary } from '../../src/features/libraries/closure/closure.ts';
import { plainText } from '../../src/features/media/extractors/extraction.ts';
import { buildSearchRows } from '../../src/features/media/search/search-rows.ts';
import { canonicalText } from '../../src/features/media/text/canonical-text.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { transaction } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/ids.ts';
import type { Reader } from './libraries.ts';

export interface Document {
  html: string | string[];
  title?: string;
  url?: string;
  language?: string;
}

/** Saves a ready document, in the state in which extraction leaves it. */
export async function saveDocument(
  sql: Database,
  { id: userId, defaultLibraryId }: Pick<Reader, 'id' | 'defaultLibraryId'>,
  { html, title = 'A document', url, language }: Document,
): Promise<string> {
  const id = newId();
  const fragments = [html].flat().map((one) => ({ html: one, canonical_text: canonicalText(one) }));
  await transaction(sql, async (tx) => {
    await tx`
      insert into media (
        id, kind, title, created_by_user_id, processing_status, canonical_url, plain_text, language,
        processing_completed_at
      )
      values (
        ${id}, 'web_article', ${title}, ${userId}, 'ready', ${url ?? null}, ${plainText(fragments)},
        ${language ?? null}, now() - interval '1 day'
      )`;
    for (const [idx, fragment] of fragments.entries()) {
      await tx`
        insert into media_fragments (id, media_id, idx, html_sanitized, canonical_text)
        values (${newId()}, ${id}, ${idx}, ${fragment.html}, ${fragment.canonical_text})`;
    }
    await addToDefaultLibrary(tx, defaultLibraryId, [{ media_id: id }], { userId });
    await buildSearchRows(tx, id);
  });
  return id;
}
