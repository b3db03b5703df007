import { z } from 'zod';
import type { SearchHit, SearchQuery } from '../../../contract/search.ts';
import type { Page } from '../../../contract/wire.ts';
import { cutByCursor, decodeCursor } from '../../../platform/cursor.ts';
import type { Database } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import { listUnfilledSources } from '../lists/list-store.ts';
import { parseQuery } from './search-query.ts';
import * as store from './search-store.ts';
import { makeSnippet } from './snippet.ts';

/** A word is frequent when it occurs in this share of all text pieces. */
const FREQUENT_SHARE = 0.1;
/** The number of newest media that are read for a frequent word. */
const MOST_READ = 2000;

/** All pages of a search use the same way of finding candidates. */
const cursor = z.object({ rank: z.number(), id: z.uuid(), way: z.enum(['words', 'newest']) });
type SearchCursor = z.output<typeof cursor>;

export type Search = ReturnType<typeof createSearch>;

export function createSearch({ sql }: { sql: Database }) {
  /**
   * Finds a rare word by the text index. For a frequent word the index would read every document that contains it, so
   * the newest media are read instead, unless they give less than a page.
   */
  async function findHits(viewer: Viewer, query: SearchQuery, last: SearchCursor | null) {
    const libraryIds =
      query.library_id === undefined
        ? [viewer.default_library_id, ...(await listUnfilledSources(sql, viewer))]
        : [query.library_id];
    const scope = { libraryIds, isShared: query.library_id !== undefined };
    return transaction(sql, async (tx) => {
      await store.prepareSearch(tx);
      const { words, occurrences, share } = await store.readWords(tx, parseQuery(query.q));
      const sought = { words, kind: query.kind, scope };
      const find = async (way: SearchCursor['way']) => {
        const candidates = [
          way === 'words'
            ? store.foundInText(tx, viewer, sought)
            : store.foundInNewest(tx, viewer, sought, MOST_READ),
          store.foundInTitles(tx, viewer, sought),
        ];
        const found = await store.rankHits(tx, viewer, { words, candidates, last, limit: query.limit + 1 });
        return found.map((hit) => ({ ...hit, cursor: { ...hit.cursor, way } }));
      };
      if (last) return find(last.way);
      const size = await store.measureScope(tx, viewer, scope, MOST_READ);
      if (size < MOST_READ && occurrences > size) return find('newest');
      if (share < FREQUENT_SHARE) return find('words');
      const newest = await find('newest');
      return newest.length > query.limit ? newest : find('words');
    });
  }

  async function withSnippets(hits: Omit<store.Hit, 'cursor'>[], words: string[]): Promise<SearchHit[]> {
    const places = hits.map(({ media, piece_idx }) => ({ mediaId: media.id, pieceIdx: piece_idx ?? 0 }));
    const snippets = (await store.readPieces(sql, places)).map((piece) => makeSnippet(piece, words));
    const lines = hits.map(({ media }, index) => ({
      mediaId: media.id,
      line: snippets[index]?.line ?? null,
    }));
    const fragments = await store.findFragments(sql, lines);
    return hits.map(({ media }, index) => ({
      media,
      snippet: snippets[index]?.parts ?? [],
      fragment_idx: fragments[index] ?? null,
    }));
  }

  return {
    async find(viewer: Viewer, query: SearchQuery): Promise<{ data: SearchHit[]; page: Page }> {
      const found = await findHits(viewer, query, decodeCursor(query.cursor, cursor));
      const { data: hits, page } = cutByCursor(found, query.limit);
      return { data: hits.length === 0 ? [] : await withSnippets(hits, parseQuery(query.q).words), page };
    },
  };
}
