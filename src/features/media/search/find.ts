import { z } from 'zod';
import type { MatchQuery, TextMatch } from '../../../contract/search.ts';
import type { Page } from '../../../contract/wire.ts';
import { cutByCursor, decodeCursor } from '../../../platform/cursor.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { RunByCost } from '../../../platform/processes/by-cost.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import { requireDocument } from '../text/document.ts';
import { parseQuery } from './query/parse.ts';
import { wordsToShow } from './query/words.ts';
import * as store from './search-store.ts';
import type { searchWork } from './work.ts';

/** The text that is read at once, in characters. */
const BATCH_CHARACTERS = 1_000_000;

/** The last match of the page before. */
const cursor = z.object({ fragment_idx: z.int32().min(0), start: z.int32().min(0) });

interface FindDependencies {
  sql: Database;
  run: RunByCost<typeof searchWork>;
}

export type Find = ReturnType<typeof createFind>;

/** Finds text in one document. */
export function createFind({ sql, run }: FindDependencies) {
  return {
    async find(
      viewer: Viewer,
      mediaId: string,
      query: MatchQuery,
    ): Promise<{ data: TextMatch[]; page: Page }> {
      await requireDocument(sql, viewer, mediaId);
      const { q, by, limit } = query;
      const sought = by === 'phrase' ? { phrase: q } : { words: wordsToShow(parseQuery(q)) };
      const after = decodeCursor(query.cursor, cursor);
      const found: TextMatch[] = [];
      let from = after?.fragment_idx ?? query.from;
      while (found.length <= limit) {
        const fragments = await store.readTexts(sql, mediaId, from, BATCH_CHARACTERS);
        if (fragments.length === 0) break;
        const cost = fragments.reduce((sum, { canonical_text }) => sum + canonical_text.length, 0);
        const task = { fragments, sought, after, most: limit + 1 - found.length };
        found.push(...(await run('search.matches', task, { cost })));
        from = (fragments.at(-1)?.idx ?? 0) + 1;
      }
      const rows = found.map((match) => ({ ...match, cursor: match }));
      return cutByCursor(rows, limit, ({ fragment_idx, start }) => ({ fragment_idx, start }));
    },
  };
}
