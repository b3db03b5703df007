import { z } from 'zod';
import type {
  ListedMedia,
  MediaList,
  MediaQuery,
  MediaSort,
  SiteList,
  SortOrder,
} from '../../contract/media.ts';
import type { Page } from '../../contract/wire.ts';
import { cutPositioned, readPosition } from '../../platform/cursor.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Viewer } from '../libraries/can-read-media.ts';
import * as store from './list-store.ts';

const MOST_SITES = 200;

const text = z.string().regex(/^[^\0]*$/);
/** What a cursor holds, for each sort. */
const KEYS: Record<MediaSort, z.ZodType<string | number>> = {
  added: z.int(),
  title: text,
  published: text,
  length: z.int32(),
};

export type MediaLists = ReturnType<typeof createMediaLists>;

export function createMediaLists({ sql }: { sql: Database }) {
  async function unfilledFor(viewer: Viewer, libraryId: string | undefined): Promise<string[]> {
    return libraryId === undefined ? store.listUnfilledSources(sql, viewer) : [];
  }

  async function readPage(viewer: Viewer, query: MediaQuery, unfilled: string[]) {
    const { sort, limit } = query;
    const order: SortOrder = query.order ?? (sort === 'title' ? 'asc' : 'desc');
    const ordered = `${sort} ${order}`;
    const position = z.object({ sort: z.literal(ordered), key: KEYS[sort], id: z.uuid() });
    const last = readPosition(query.cursor, position);
    const rows = await store.listMedia(sql, viewer, query, unfilled, { sort, order }, last, limit + 1);
    const placed = rows.map((row) => ({ ...row, position: { sort: ordered, ...row.position } }));
    return cutPositioned(placed, limit);
  }

  return {
    /** One library, or all that the viewer may read. */
    async list(viewer: Viewer, query: MediaQuery): Promise<MediaList> {
      const unfilled = await unfilledFor(viewer, query.library_id);
      const [{ rows: data, page }, total] = await Promise.all([
        readPage(viewer, query, unfilled),
        store.countMedia(sql, viewer, query, unfilled),
      ]);
      return { data, page: { ...page, total } };
    },

    /** The same without the total, for who goes through all of it and would have it counted with every page. */
    async page(viewer: Viewer, query: MediaQuery): Promise<{ rows: ListedMedia[]; page: Page }> {
      return readPage(viewer, query, await unfilledFor(viewer, query.library_id));
    },

    async sites(viewer: Viewer, libraryId: string | undefined): Promise<SiteList['data']> {
      const unfilled = await unfilledFor(viewer, libraryId);
      return store.listSites(sql, viewer, libraryId, unfilled, MOST_SITES);
    },
  };
}
