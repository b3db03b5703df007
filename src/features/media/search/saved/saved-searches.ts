import { NexusError } from '../../../../contract/errors.ts';
import {
  type CreateSavedSearch,
  type EditSavedSearch,
  MOST_COUNTED,
  MOST_SAVED_SEARCHES,
  type SavedSearch,
  type SavedSearchesQuery,
} from '../../../../contract/search.ts';
import type { Page } from '../../../../contract/wire.ts';
import type { Actor } from '../../../../platform/audit/audit.ts';
import { cutPage, readCursor } from '../../../../platform/cursor.ts';
import type { Database } from '../../../../platform/database/database.ts';
import { transaction } from '../../../../platform/database/transaction.ts';
import { newId } from '../../../../platform/ids.ts';
import { versionOf } from '../../../../platform/version-tag.ts';
import type { Viewer } from '../../../libraries/access/can-read-media.ts';
import type { MediaLists } from '../../lists/list.ts';
import { parseQuery } from '../query/parse.ts';
import * as store from './saved-search-store.ts';

interface SavedSearchDependencies {
  sql: Database;
  mediaLists: Pick<MediaLists, 'count'>;
}

export type SavedSearches = ReturnType<typeof createSavedSearches>;

/** The searches that people have saved for themselves. Nobody else sees them. */
export function createSavedSearches({ sql, mediaLists }: SavedSearchDependencies) {
  async function withCount(viewer: Viewer, search: store.SavedSearchRow): Promise<SavedSearch> {
    const found = await mediaLists.count(viewer, search.query, MOST_COUNTED + 1);
    return { ...search, count: Math.min(found, MOST_COUNTED), is_more: found > MOST_COUNTED };
  }

  async function requireSearch(viewer: Viewer, id: string): Promise<SavedSearch> {
    return withCount(viewer, (await store.findSearch(sql, viewer.user_id, id)) ?? searchNotFound());
  }

  return {
    get: requireSearch,

    /** Returns the query of a saved search, without counting its matches. */
    async queryOf(viewer: Viewer, id: string): Promise<string> {
      return ((await store.findSearch(sql, viewer.user_id, id)) ?? searchNotFound()).query;
    },

    /** Lists searches, oldest first. Matches are counted one search after the other, so that one person uses one connection. */
    async list(viewer: Viewer, { cursor, limit, counts }: SavedSearchesQuery) {
      const last = readCursor(cursor);
      const rows = await store.listSearches(sql, viewer.user_id, { last, limit: limit + 1 });
      const { data: searches, page }: { data: store.SavedSearchRow[]; page: Page } = cutPage(rows, limit);
      const data: SavedSearch[] = [];
      for (const search of searches)
        data.push(counts ? await withCount(viewer, search) : { ...search, count: null, is_more: false });
      return { data, page };
    },

    async create(viewer: Viewer, { name, query }: CreateSavedSearch, actor: Actor): Promise<SavedSearch> {
      parseQuery(query);
      const id = newId();
      const save = async (tx: Parameters<typeof store.insertSearch>[0]) => {
        if ((await store.countSearches(tx, viewer.user_id)) >= MOST_SAVED_SEARCHES) {
          throw new NexusError(
            'E_INVALID_STATE',
            `You have ${MOST_SAVED_SEARCHES} saved searches. Delete some of them first.`,
          );
        }
        await store.insertSearch(tx, viewer.user_id, { id, name, query });
      };
      await transaction(sql, save, actor);
      return requireSearch(viewer, id);
    },

    async edit(viewer: Viewer, id: string, given: EditSavedSearch, actor: Actor): Promise<SavedSearch> {
      if (given.query !== undefined) parseQuery(given.query);
      await transaction(sql, async (tx) => {
        const before = (await store.lockSearch(tx, viewer.user_id, id)) ?? searchNotFound();
        actor.requireVersion?.(searchVersion(before));
        const { name = before.name, query = before.query } = given;
        await store.updateSearch(tx, { id, name, query });
      });
      return requireSearch(viewer, id);
    },

    async delete(viewer: Viewer, id: string): Promise<void> {
      await transaction(sql, async (tx) => {
        if (!(await store.deleteSearch(tx, viewer.user_id, id))) searchNotFound();
      });
    },
  };
}

/** Names the state of a saved search. */
export function searchVersion({ name, query }: Pick<SavedSearch, 'name' | 'query'>): string {
  return versionOf(name, query);
}

function searchNotFound(): never {
  throw new NexusError('E_NOT_FOUND', 'You have no such saved search.');
}
