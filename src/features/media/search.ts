import { z } from 'zod';
import type { SearchHit, SearchQuery } from '../../contract/search.ts';
import type { Page } from '../../contract/wire.ts';
import { cutPositioned, readPosition } from '../../platform/cursor.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Viewer } from '../libraries/can-read-media.ts';
import { listUnfilledSources } from './list-store.ts';
import { parseQuery } from './search-query.ts';
import * as store from './search-store.ts';
import { makeSnippet } from './snippet.ts';

const position = z.object({ rank: z.number(), id: z.uuid() });

export type Search = ReturnType<typeof createSearch>;

export function createSearch({ sql }: { sql: Database }) {
  type Hit = Omit<Awaited<ReturnType<typeof store.findHits>>[number], 'position'>;

  async function withSnippets(hits: Hit[], words: string[]): Promise<SearchHit[]> {
    const pieces = await store.readPieces(
      sql,
      hits.map(({ media, piece_idx }) => ({ mediaId: media.id, pieceIdx: piece_idx ?? 0 })),
    );
    const snippets = pieces.map((piece) => makeSnippet(piece, words));
    const fragments = await store.findFragments(
      sql,
      hits.map(({ media }, place) => ({ mediaId: media.id, line: snippets[place]?.line ?? null })),
    );
    return hits.map(({ media }, place) => ({
      media,
      snippet: snippets[place]?.parts ?? [],
      fragment_idx: fragments[place] ?? null,
    }));
  }

  return {
    async find(viewer: Viewer, query: SearchQuery): Promise<{ rows: SearchHit[]; page: Page }> {
      const words = parseQuery(query.q);
      const last = readPosition(query.cursor, position);
      const unfilled = query.library_id === undefined ? await listUnfilledSources(sql, viewer) : [];
      const found = await store.findHits(sql, viewer, { ...query, words }, unfilled, last, query.limit + 1);
      const { rows, page } = cutPositioned(found, query.limit);
      return { rows: rows.length === 0 ? [] : await withSnippets(rows, words.words), page };
    },
  };
}
