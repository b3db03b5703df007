import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { ListPage, Tag } from '../api/types.ts';
import { isSameTag } from './tag-names.ts';

/** The first tags by name, for the sidebar and the filters. */
export const firstTagsQuery = queryOptions({
  queryKey: queryKeys.firstTags(),
  queryFn: async ({ signal }) => {
    const { data, page } = await api.get<ListPage<Tag>>('/tags', { limit: 200 }, signal);
    return { tags: data, hasMore: page.next_cursor !== null };
  },
  staleTime: 60_000,
});

/** The tags that a text can be completed to. */
export const completionsQuery = (prefix: string) =>
  queryOptions({
    queryKey: queryKeys.completions(prefix),
    queryFn: async ({ signal }) =>
      (await api.get<ListPage<Tag>>('/tags', { limit: 8, ...(prefix && { prefix }) }, signal)).data,
    staleTime: 30_000,
  });

/** The tag with a name; null when there is none. */
export const namedTagQuery = (name: string) =>
  queryOptions({
    queryKey: queryKeys.namedTag(name),
    queryFn: async ({ signal }) => {
      const { data } = await api.get<ListPage<Tag>>('/tags', { limit: 200, prefix: name }, signal);
      return data.find((tag) => isSameTag(tag.name, name)) ?? null;
    },
  });
