import { z } from 'zod';
import type { Passage, SearchHit, SearchQuery } from '../../../contract/search.ts';
import type { Page } from '../../../contract/wire.ts';
import { cutByCursor, decodeCursor } from '../../../platform/cursor.ts';
import type { Database, Queryable, Transaction } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import type { RunByCost } from '../../../platform/processes/by-cost.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import { listUnfilled } from '../../libraries/access/readable-media.ts';
import type { MediaLists } from '../lists/list.ts';
import { askerOf } from '../lists/list-store.ts';
import { beginningOf, findPassages } from './passages.ts';
import { matchesQuery, splitText } from './query/compile.ts';
import { parseQuery } from './query/parse.ts';
import { findFew } from './query/plan.ts';
import { combine, type Query } from './query/tree.ts';
import { toTextQuery, wordsToShow } from './query/words.ts';
import { PIECE_CHARACTERS } from './search-rows.ts';
import * as store from './search-store.ts';
import type { searchWork } from './work.ts';

/** A word is frequent when it occurs in this share of all text pieces. */
const FREQUENT_SHARE = 0.1;
/** The number of newest media that are read for a frequent word. */
const MOST_READ = 2000;
/** The most passages of a hit. */
const MOST_PASSAGES = 3;
/** The titles of all chapters are read of no more hits than this. */
const MOST_BOOKS = 10;

/** All pages of a search use the same way of finding candidates. */
const cursor = z.object({ rank: z.number(), id: z.uuid(), way: z.enum(['words', 'newest']) });
type SearchCursor = z.output<typeof cursor>;

export type Search = ReturnType<typeof createSearch>;

type FoundHit = Omit<store.Hit, 'cursor'>;

interface Found {
  hits: FoundHit[];
  /** The query, as PostgreSQL wrote it. */
  words: string;
  /** The text pieces of all hits, in order. */
  texts: Promise<string[]>;
}

/** A search: the words that are ranked, and the other parts of the query. */
interface Asked {
  query: SearchQuery;
  text: Query;
  rest: Query[];
  last: SearchCursor | null;
}

interface SearchDependencies {
  sql: Database;
  mediaLists: Pick<MediaLists, 'page'>;
  run: RunByCost<typeof searchWork>;
}

export function createSearch({ sql, mediaLists, run }: SearchDependencies) {
  /**
   * Finds a rare word by the text index. For a frequent word the index would read every document that contains it, so
   * the newest media are read instead, unless they give less than a page. If another part of the query is true of few media,
   * those are read.
   */
  async function rank(tx: Transaction, viewer: Viewer, { query, text, rest, last }: Asked) {
    const isShared = query.library_id !== undefined;
    const filled = { libraryIds: [query.library_id ?? viewer.default_library_id], isShared };
    const measure = (scope: store.SearchScope) => store.measureScope(tx, viewer, scope, MOST_READ);
    store.prepareSearch(tx);
    // Nearly always every backfill has run, so the scope is measured as if it had, in the same round trip.
    const [unfilled, { words, occurrences, share }, filledSize] = await Promise.all([
      isShared ? [] : listUnfilled(tx, viewer),
      store.readWords(tx, toTextQuery(tx, text)),
      measure(filled),
    ]);
    const scope = { libraryIds: [...filled.libraryIds, ...unfilled], isShared };
    const size = unfilled.length === 0 ? filledSize : await measure(scope);
    const others = combine('all', rest);
    const asker = askerOf(tx, viewer, query.library_id);
    const isMatch = others && matchesQuery(tx, asker, others);
    const sought = { text, words, kind: query.kind, isMatch, scope };
    const few = await findFew(tx, asker, rest);
    const find = async (way: SearchCursor['way']) => {
      const byText =
        way === 'words'
          ? store.foundInText(tx, viewer, sought)
          : store.foundInNewest(tx, viewer, sought, MOST_READ);
      const candidates = few
        ? [store.foundAmong(tx, viewer, sought, few.rows)]
        : [byText, store.foundInTitles(tx, viewer, sought)];
      candidates.push(store.foundInOwnTitles(tx, viewer, sought));
      const found = await store.rankHits(tx, viewer, { words, candidates, last, limit: query.limit + 1 });
      return { words, hits: found.map((hit) => ({ ...hit, cursor: { ...hit.cursor, way } })) };
    };
    if (last) return find(last.way);
    if (few) return find('words');
    if (size < MOST_READ && occurrences > size) return find('newest');
    if (share < FREQUENT_SHARE) return find('words');
    const newest = await find('newest');
    return newest.hits.length > query.limit ? newest : find('words');
  }

  /** Finds the hits of a page, and the text pieces in which their passages are looked for. */
  function findHits(viewer: Viewer, asked: Asked): Promise<Found & { page: Page }> {
    return transaction(sql, async (tx) => {
      const { hits: ranked, words } = await rank(tx, viewer, asked);
      const { data: hits, page } = cutByCursor(ranked, asked.query.limit);
      const texts = tx.sendForLater(readTexts(tx, hits));
      return { hits, page, words, texts };
    });
  }

  /** Finds the best passages of each hit in its text. */
  async function passagesInText({ hits, texts: reading }: Found, words: string[]): Promise<Passage[][]> {
    const texts = await reading;
    const pieces = hits.map(piecesOf);
    const cost = texts.reduce((sum, text) => sum + text.length, 0);
    const task = { hits: splitLike(texts, pieces), words, most: MOST_PASSAGES };
    const found = await run('search.passages', task, { cost });
    const offsets = found.flatMap((passages, hit) =>
      passages.map(({ piece, offset }) => {
        const { mediaId = '', idx = 0 } = pieces[hit]?.[piece] ?? {};
        return { mediaId, offset: idx * PIECE_CHARACTERS + offset };
      }),
    );
    const fragments = offsets.length === 0 ? [] : await store.findFragments(sql, offsets);
    return splitLike(fragments, found).map((some, hit) =>
      some.map(({ idx, title, start }, index) => ({
        fragment_idx: idx,
        fragment_title: title,
        start,
        snippet: found[hit]?.[index]?.snippet ?? [],
      })),
    );
  }

  /** Finds the chapters of books with all words in their title, by media. */
  async function passagesByTitle({ hits, words: query }: Found, words: string[]) {
    const books = hits.filter(({ media: { kind } }) => kind === 'epub' || kind === 'pdf');
    const ids = books.slice(0, MOST_BOOKS).map(({ media }) => media.id);
    const chapters = ids.length === 0 ? [] : await store.findTitledFragments(sql, ids, query);
    const byMedia = new Map<string, Passage[]>();
    for (const { media_id, idx, title, text } of chapters) {
      const [best] = findPassages(text, words, 1);
      const passage = {
        fragment_idx: idx,
        fragment_title: title,
        start: best?.offset ?? 0,
        snippet: best?.snippet ?? beginningOf(text),
      };
      byMedia.set(media_id, [...(byMedia.get(media_id) ?? []), passage]);
    }
    return byMedia;
  }

  async function withPassages(found: Found, words: string[]): Promise<SearchHit[]> {
    const [titled, inText] = await Promise.all([passagesByTitle(found, words), passagesInText(found, words)]);
    return found.hits.map(({ media }, hit) => {
      const first = titled.get(media.id) ?? [];
      const known = new Set(first.map(({ fragment_idx }) => fragment_idx));
      const others = inText[hit]?.filter(({ fragment_idx }) => !known.has(fragment_idx)) ?? [];
      return { media, passages: [...first, ...others].slice(0, MOST_PASSAGES) };
    });
  }

  return {
    /** Ranks what has the words of the query. A query without words is a list, newest first. */
    async find(viewer: Viewer, query: SearchQuery): Promise<{ data: SearchHit[]; page: Page }> {
      const asked = parseQuery(query.q);
      const { text, rest } = splitText(asked);
      if (!text) {
        const { data, page } = await mediaLists.page(viewer, { ...query, sort: 'added' });
        const hits = data.map((media) => ({ media, pieces: [] }));
        const found = { hits, words: '', texts: readTexts(sql, hits) };
        return { data: await withPassages(found, wordsToShow(asked)), page };
      }
      const last = decodeCursor(query.cursor, cursor);
      const { page, ...found } = await findHits(viewer, { query, text, rest, last });
      return { data: await withPassages(found, wordsToShow(asked)), page };
    },
  };
}

/** Returns the text pieces of a hit that match best, in order; for a hit without any, the beginning of the text. */
function piecesOf({ media, pieces }: FoundHit) {
  const best = pieces.length > 0 ? pieces.toSorted((a, b) => a - b) : [0];
  return best.map((idx) => ({ mediaId: media.id, idx }));
}

const readTexts = async (sql: Queryable, hits: FoundHit[]): Promise<string[]> =>
  hits.length === 0 ? [] : store.readPieces(sql, hits.flatMap(piecesOf));

/** Splits a list into lists of the lengths of others. */
function splitLike<T>(all: readonly T[], others: readonly (readonly unknown[])[]): T[][] {
  let start = 0;
  return others.map(({ length }) => {
    start += length;
    return all.slice(start - length, start);
  });
}
