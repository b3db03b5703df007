import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { dataQuery, queryKeys } from '../api/queries.ts';
import type { ListPage, Tag, TagLevel } from '../api/types.ts';

/** The first tags by name, for the sidebar and the filters. */
export const firstTagsQuery = queryOptions({
  queryKey: queryKeys.firstTags(),
  queryFn: async ({ signal }) => {
    const { data, page } = await api.get<ListPage<Tag>>('/tags', { limit: 200 }, signal);
    return { tags: data, hasMore: page.next_cursor !== null };
  },
  staleTime: 60_000,
});

/** The tags that a text can be completed to: the person's own, or those of a library. */
export const completionsQuery = (prefix: string, libraryId?: string) => ({
  ...dataQuery<Pick<Tag, 'name'>[]>(
    libraryId ? queryKeys.libraryTagCompletions(libraryId, prefix) : queryKeys.completions(prefix),
    libraryId ? `/libraries/${libraryId}/tags` : '/tags',
    { limit: 8, ...(prefix && { prefix }) },
  ),
  staleTime: 30_000,
});
/** The first levels of the tree of tags, with the number of items at or below each, for the sidebar. */
export const tagLevelsQuery = queryOptions({
  queryKey: queryKeys.tagLevels(),
  queryFn: async ({ signal }) => {
    const { data, page } = await api.get<ListPage<TagLevel>>('/tags/tree', { limit: 200 }, signal);
    return { levels: data, hasMore: page.next_cursor !== null };
  },
  staleTime: 60_000,
});
