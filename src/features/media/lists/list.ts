import { z } from 'zod';
import type { libraryMediaQuery } from '../../../contract/libraries.ts';
import type { ListedMedia, Media, MediaList, MediaQuery, MediaSort, Site } from '../../../contract/media.ts';
import type { ListQuery, Page } from '../../../contract/wire.ts';
import { continueAfter, cursorText, cutByCursor, decodeCursor, LAST_PAGE } from '../../../platform/cursor.ts';
import type { Database, Queryable } from '../../../platform/database/database.ts';
import { requireMembership } from '../../libraries/access/access.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import { matchesQuery } from '../search/query/compile.ts';
import { type ParseOptions, parseQuery } from '../search/query/parse.ts';
import { planQuery, type QueryPlan } from '../search/query/plan.ts';
import * as store from './list-store.ts';
import { beginsWithOwn } from './own-conditions.ts';
import {
  asksOfMedia,
  countMedia,
  countScope,
  filledScope,
  findScope,
  findUpTo,
  type ListScope,
  listMatchingIds,
  listSites,
  type MediaFilter,
} from './selection-store.ts';

const MOST_SITES = 200;
/** Up to this many matches are collected and sorted for a page; with more, walking along an index is faster. */
const MOST_GATHERED = 5000;

/** The type of the cursor's key for each sort. */
const KEYS: Record<MediaSort, z.ZodType<string | number>> = {
  added: z.int(),
  title: cursorText,
  published: cursorText,
  length: z.int32(),
  read: z.int(),
};

const LIBRARY_CURSOR = z.object({ added_us: z.int(), media_id: z.uuid() });

export type MediaLists = ReturnType<typeof createMediaLists>;

/** A list: its scope, its query, and the filter that this makes. */
interface Listing {
  scope: ListScope;
  query: MediaQuery;
  filter: MediaFilter;
}

/** A page of a list, before what only the list of a library says is added. */
type Found = Pick<MediaList, 'page'> & { data: Media[] };

type IdQuery = MediaFilter & ListQuery & Pick<MediaQuery, 'library_id' | 'q'> & ParseOptions;

interface MediaListDependencies {
  sql: Database;
  mostGathered?: number;
  /** Passed to `findScope`. */
  mostOutside?: number;
  /** Passed to `countMedia`. */
  mostSubtracted?: number;
  /** Passed to `planQuery`. */
  mostOccurrences?: number;
}

export function createMediaLists({
  sql,
  mostGathered = MOST_GATHERED,
  mostOutside,
  mostSubtracted,
  mostOccurrences,
}: MediaListDependencies) {
  async function readPage(
    read: typeof store.walkMedia,
    viewer: Viewer,
    { scope, query, filter }: Listing,
    one: Queryable = sql,
  ) {
    const { sort, limit } = query;
    const order = query.order ?? (sort === 'title' ? 'asc' : 'desc');
    const ordered = `${sort} ${order}`;
    const cursor = () => z.object({ sort: z.literal(ordered), key: KEYS[sort], id: z.uuid() });
    const last = query.cursor === undefined ? null : decodeCursor(query.cursor, cursor());
    const page = { sort, order, last, limit: limit + 1 };
    const rows = await read(one, viewer, { scope, filter, ...page });
    return cutByCursor(rows, limit, ({ cursor: key, id }) => ({ sort: ordered, key, id }));
  }

  /** Parses and plans the search query of a list. */
  async function planList(
    viewer: Viewer,
    { libraryId }: ListScope,
    { q, ...options }: Pick<MediaQuery, 'q'> & ParseOptions,
  ): Promise<QueryPlan | undefined> {
    if (q === undefined) return undefined;
    return planQuery(sql, store.askerOf(sql, viewer, libraryId), parseQuery(q, options), mostOccurrences);
  }

  /** Whether counting would read the text of too many media. */
  async function isUncounted(viewer: Viewer, { scope, filter }: Listing): Promise<boolean> {
    if (!filter.asked?.isCostly || beginsWithOwn(filter) || scope.size !== undefined) return false;
    return (await countScope(sql, viewer, scope, mostGathered + 1)) > mostGathered;
  }

  /** Gathers a page of the candidates of a list. Those of a search query are given, since finding them may be expensive. */
  function gather(viewer: Viewer, listing: Listing, ids: string[]) {
    const { query, filter } = listing;
    const found = filter.asked && { ...filter.asked, rows: sql`select unnest(${ids}::uuid[]) as media_id` };
    return readPage(store.gatherMedia, viewer, { ...listing, filter: filterOf(query, found) });
  }

  /**
   * Lists what a query with frequent words finds. If it has other conditions, which may be true of few media, it looks for
   * all matches, up to a limit; otherwise it walks along the list, without a total.
   */
  async function listUncounted(viewer: Viewer, listing: Listing): Promise<Found> {
    const { scope, query, filter } = listing;
    if (filter.asked?.isNarrowed && query.sort !== 'read') {
      const ids = await findUpTo(sql, viewer, scope, { filter, most: mostGathered + 1 });
      if (ids.length <= mostGathered) {
        const { data, page } = await gather(viewer, listing, ids);
        return { data, page: { ...page, total: ids.length } };
      }
    }
    return readPage(walkOf(query), viewer, listing);
  }

  /** Adds what a shared library says about its media: who added them, and their tags in it. */
  async function withListings(
    viewer: Viewer,
    { library_id }: MediaQuery,
    data: Media[],
  ): Promise<ListedMedia[]> {
    if (library_id === undefined || library_id === viewer.default_library_id || data.length === 0)
      return data;
    const listings = await store.findListings(sql, library_id, data);
    return data.map((media) => ({ ...media, ...listings.get(media.id) }));
  }

  /**
   * Reads a page in the order of an index together with the scope, in one round trip. The page is read as if every backfill had
   * run, and read again if one has not. Media are counted on another connection as soon as the scope is known.
   */
  async function readInOrder(viewer: Viewer, query: MediaQuery): Promise<Found> {
    const filter = filterOf(query);
    const read = (scope: ListScope, one?: Queryable) =>
      readPage(walkOf(query), viewer, { scope, query, filter }, one);
    let counting: ReturnType<typeof countMedia> | undefined;
    const [scope, first] = await sql.pipeline((one) => {
      const finding = findScope(one, viewer, query.library_id, mostOutside).then((scope) => {
        counting = countMedia(sql, viewer, scope, { filter, mostIds: 0, mostSubtracted });
        // It is awaited below, unless reading the page fails first.
        counting.catch(() => undefined);
        return scope;
      });
      return Promise.all([finding, read(filledScope(viewer, query.library_id), one)]);
    });
    const [{ data, page }, counted] = await Promise.all([
      scope.unfilled?.length ? read(scope) : first,
      counting,
    ]);
    return { data, page: { ...page, total: counted?.total } };
  }

  /** Reads one page of a list, and counts it where that is affordable. */
  async function readList(viewer: Viewer, query: MediaQuery): Promise<Found> {
    if (query.q !== undefined) parseQuery(query.q);
    if (query.sort === 'read' && query.reading === 'unread')
      return { data: [], page: { ...LAST_PAGE, total: 0 } };
    if (isInOrder(query)) return readInOrder(viewer, query);
    const scope = await findScope(sql, viewer, query.library_id, mostOutside);
    const asked = await planList(viewer, scope, query);
    const listing = { scope, query, filter: filterOf(query, asked) };
    if (await isUncounted(viewer, listing)) return listUncounted(viewer, listing);
    const mostIds = Math.max(0, mostGathered);
    const counting = countMedia(sql, viewer, scope, {
      filter: listing.filter,
      mostIds,
      mostSubtracted,
    });
    // Along the viewer's reading progress.
    if (query.sort === 'read') {
      const [{ total }, { data, page }] = await Promise.all([
        counting,
        readPage(walkOf(query), viewer, listing),
      ]);
      return { data, page: { ...page, total } };
    }
    const { total, candidates, ids } = await counting;
    const { data, page } = await (candidates > mostGathered
      ? readPage(store.walkMedia, viewer, listing)
      : gather(viewer, listing, ids));
    return { data, page: { ...page, total } };
  }

  return {
    /** Lists one library, or everything that the viewer may read. */
    async list(viewer: Viewer, query: MediaQuery): Promise<MediaList> {
      const { data, page } = await readList(viewer, query);
      return { data: await withListings(viewer, query, data), page };
    },

    /** Like `list` without the total, for callers that read all pages and would count with each. */
    async page(viewer: Viewer, query: MediaQuery): Promise<{ data: Media[]; page: Page }> {
      const scope = await findScope(sql, viewer, query.library_id, mostOutside);
      const asked = await planList(viewer, scope, query);
      const read = asked?.rows && query.sort !== 'read' ? store.gatherMedia : walkOf(query);
      return readPage(read, viewer, { scope, query, filter: filterOf(query, asked) });
    },

    /** Counts the media that match a search query, up to `most`. */
    async count(viewer: Viewer, q: string, most: number): Promise<number> {
      const scope = await findScope(sql, viewer, undefined, mostOutside);
      const asked = await planList(viewer, scope, { q });
      const found = await findUpTo(sql, viewer, scope, { filter: filterOf({ sort: 'added' }, asked), most });
      return found.length;
    },

    /** Lists the ids of everything that a list contains, in pages. Their order does not change with what is done to them. */
    async matchingIds(viewer: Viewer, query: IdQuery): Promise<{ ids: string[]; page: Page }> {
      const last = decodeCursor(query.cursor, z.uuid());
      const scope = await findScope(sql, viewer, query.library_id, mostOutside);
      const asked = await planList(viewer, scope, query);
      const request = { filter: asked ? { ...query, asked } : query, last, limit: query.limit + 1 };
      const found = await listMatchingIds(sql, viewer, scope, request);
      const ids = found.slice(0, query.limit);
      const lastId = ids.at(-1);
      const page = lastId !== undefined && found.length > ids.length ? continueAfter(lastId) : LAST_PAGE;
      return { ids, page };
    },

    /** Returns those of the media that exist, that the viewer may read, and that match a search query now. */
    async matchingAmong(
      tx: Queryable,
      viewer: Viewer,
      { q, ...options }: { q: string } & ParseOptions,
      mediaIds: string[],
    ): Promise<string[]> {
      const asker = store.askerOf(tx, viewer, undefined);
      return store.listMatchingAmong(tx, viewer, matchesQuery(tx, asker, parseQuery(q, options)), mediaIds);
    },

    /** Lists the media of one library for its members, newest first. */
    async ofLibrary(
      viewer: Viewer,
      libraryId: string,
      { cursor, limit, tag }: z.output<typeof libraryMediaQuery>,
    ) {
      const library = await requireMembership(sql, viewer.user_id, libraryId);
      const last = decodeCursor(cursor, LIBRARY_CURSOR);
      const rows = await store.listLibraryMedia(sql, viewer, library, { last, limit: limit + 1, tag });
      return cutByCursor(rows, limit);
    },

    async sites(viewer: Viewer, libraryId: string | undefined): Promise<Site[]> {
      return listSites(sql, viewer, await findScope(sql, viewer, libraryId, mostOutside), MOST_SITES);
    },
  };
}

const walkOf = ({ sort }: MediaQuery) => (sort === 'read' ? store.walkReadings : store.walkMedia);

/** The filter of a list. Only started media can be sorted by when they were read. */
function filterOf(query: Omit<MediaQuery, 'limit'>, asked?: QueryPlan): MediaFilter {
  const filter = asked ? { ...query, asked } : query;
  return query.sort === 'read' ? { ...filter, reading: query.reading ?? 'started' } : filter;
}

/** Whether the list is in the order of an index, of the library or of the viewer's reading progress, without a search query. */
function isInOrder(query: MediaQuery): boolean {
  if (query.q !== undefined) return false;
  if (query.sort === 'read') return true;
  return (
    query.sort === 'added' && query.reading === undefined && !asksOfMedia(query) && !beginsWithOwn(query)
  );
}
