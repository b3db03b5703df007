import { z } from 'zod';
import type { Media, MediaList, MediaQuery, MediaSort, Site } from '../../../contract/media.ts';
import type { ListQuery, Page } from '../../../contract/wire.ts';
import { continueAfter, cutByCursor, decodeCursor, LAST_PAGE } from '../../../platform/cursor.ts';
import type { Database } from '../../../platform/database/database.ts';
import { requireMembership } from '../../libraries/access/access.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import * as store from './list-store.ts';
import { beginsWithOwn } from './own-conditions.ts';
import {
  asksOfMedia,
  countMedia,
  findScope,
  type ListScope,
  listMatchingIds,
  listSites,
  type MediaFilter,
} from './selection-store.ts';

const MOST_SITES = 200;
/** Up to this many matches are collected and sorted for a page; with more, walking along an index is faster. */
const MOST_GATHERED = 5000;

const text = z.string().regex(/^[^\0]*$/);
/** The type of the cursor's key for each sort. */
const KEYS: Record<MediaSort, z.ZodType<string | number>> = {
  added: z.int(),
  title: text,
  published: text,
  length: z.int32(),
  read: z.int(),
};

const LIBRARY_CURSOR = z.object({ added_us: z.int(), media_id: z.uuid() });

export type MediaLists = ReturnType<typeof createMediaLists>;

/** The scope of a list, and the libraries whose backfill is not done. */
interface ListSource {
  scope: ListScope;
  unfilled: string[];
}

type IdQuery = MediaFilter & ListQuery & Pick<MediaQuery, 'library_id'>;

interface MediaListDependencies {
  sql: Database;
  mostGathered?: number;
  /** Passed to `findScope`. */
  mostOutside?: number;
}

export function createMediaLists({ sql, mostGathered = MOST_GATHERED, mostOutside }: MediaListDependencies) {
  async function readPage(
    read: typeof store.walkMedia,
    viewer: Viewer,
    source: ListSource,
    query: MediaQuery,
  ) {
    const { sort, limit } = query;
    const order = query.order ?? (sort === 'title' ? 'asc' : 'desc');
    const ordered = `${sort} ${order}`;
    const cursor = z.object({ sort: z.literal(ordered), key: KEYS[sort], id: z.uuid() });
    const last = decodeCursor(query.cursor, cursor);
    const page = { sort, order, last, limit: limit + 1 };
    const rows = await read(sql, viewer, { ...source, filter: filterOf(query), ...page });
    return cutByCursor(rows, limit, ({ cursor: place }) => ({ sort: ordered, ...place }));
  }

  async function findSource(viewer: Viewer, libraryId: string | undefined): Promise<ListSource> {
    const isOwn = libraryId === undefined || libraryId === viewer.default_library_id;
    const [scope, unfilled] = await Promise.all([
      findScope(sql, viewer, libraryId, mostOutside),
      isOwn ? store.listUnfilledSources(sql, viewer) : [],
    ]);
    return { scope, unfilled };
  }

  return {
    /** Lists one library, or everything that the viewer may read. */
    async list(viewer: Viewer, query: MediaQuery): Promise<MediaList> {
      if (query.sort === 'read' && query.reading === 'unread')
        return { data: [], page: { ...LAST_PAGE, total: 0 } };
      const source = await findSource(viewer, query.library_id);
      const counting = countMedia(sql, viewer, source.scope, filterOf(query));
      if (isInOrder(query)) {
        const [{ total }, { data, page }] = await Promise.all([
          counting,
          readPage(walkOf(query), viewer, source, query),
        ]);
        return { data, page: { ...page, total } };
      }
      const { total, candidates } = await counting;
      const read = candidates <= mostGathered ? store.gatherMedia : store.walkMedia;
      const { data, page } = await readPage(read, viewer, source, query);
      return { data, page: { ...page, total } };
    },

    /** Like `list` without the total, for callers that read all pages and would count with each. */
    async page(viewer: Viewer, query: MediaQuery): Promise<{ data: Media[]; page: Page }> {
      return readPage(walkOf(query), viewer, await findSource(viewer, query.library_id), query);
    },

    /** Lists the ids of everything that a list contains, in pages. Their order does not change with what is done to them. */
    async matchingIds(viewer: Viewer, query: IdQuery): Promise<{ ids: string[]; page: Page }> {
      const last = decodeCursor(query.cursor, z.uuid());
      const scope = await findScope(sql, viewer, query.library_id, mostOutside);
      const request = { filter: query, last, limit: query.limit + 1 };
      const found = await listMatchingIds(sql, viewer, scope, request);
      const ids = found.slice(0, query.limit);
      const lastId = ids.at(-1);
      const page = lastId !== undefined && found.length > ids.length ? continueAfter(lastId) : LAST_PAGE;
      return { ids, page };
    },

    /** Lists the media of one library for its members, newest first. */
    async ofLibrary(viewer: Viewer, libraryId: string, { cursor, limit }: ListQuery) {
      const library = await requireMembership(sql, viewer.user_id, libraryId);
      const last = decodeCursor(cursor, LIBRARY_CURSOR);
      const rows = await store.listLibraryMedia(sql, viewer, library, { last, limit: limit + 1 });
      return cutByCursor(rows, limit);
    },

    async sites(viewer: Viewer, libraryId: string | undefined): Promise<Site[]> {
      return listSites(sql, viewer, await findScope(sql, viewer, libraryId, mostOutside), MOST_SITES);
    },
  };
}

const walkOf = ({ sort }: MediaQuery) => (sort === 'read' ? store.walkReadings : store.walkMedia);

/** The filter of a list. Only started media can be sorted by when they were read. */
function filterOf(query: MediaQuery): MediaFilter {
  return query.sort === 'read' ? { ...query, reading: query.reading ?? 'started' } : query;
}

/** Whether the list is in the order of an index: of the library, or of the viewer's reading progress. */
function isInOrder(query: MediaQuery): boolean {
  if (query.sort === 'read') return true;
  return (
    query.sort === 'added' && query.reading === undefined && !asksOfMedia(query) && !beginsWithOwn(query)
  );
}
