import { z } from 'zod';
import type { Media, MediaList, MediaQuery, MediaSort, Site } from '../../../contract/media.ts';
import type { ListQuery, Page } from '../../../contract/wire.ts';
import { cutByCursor, decodeCursor } from '../../../platform/cursor.ts';
import type { Database } from '../../../platform/database/database.ts';
import { requireMembership } from '../../libraries/access/access.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import * as store from './list-store.ts';
import { asksOfMedia, countMedia, findScope, type ListScope, listSites } from './selection-store.ts';

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
};

const LIBRARY_CURSOR = z.object({ added_us: z.int(), media_id: z.uuid() });

export type MediaLists = ReturnType<typeof createMediaLists>;

/** What a list is of, and the libraries whose backfill is not done. */
interface ListSource {
  scope: ListScope;
  unfilled: string[];
}

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
    const rows = await read(sql, viewer, { ...source, filter: query, ...page });
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
      const source = await findSource(viewer, query.library_id);
      const counting = countMedia(sql, viewer, source.scope, query);
      if (isInOrder(query)) {
        const [{ total }, { data, page }] = await Promise.all([
          counting,
          readPage(store.walkMedia, viewer, source, query),
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
      return readPage(store.walkMedia, viewer, await findSource(viewer, query.library_id), query);
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

/** Whether the list is in the order of the library's index. */
function isInOrder(query: MediaQuery): boolean {
  return query.sort === 'added' && query.reading === undefined && !asksOfMedia(query);
}
