import { type QueryKey, queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { ListPage, Tag } from '../api/types.ts';
import { isSameTag } from './tag-names.ts';

/** A tag in a list. Those of a library have no id. */
export type ListedTag = Pick<Tag, 'name' | 'media_count'> & Partial<Pick<Tag, 'id'>>;

/** A set of tags that are renamed, merged and deleted as a whole: the person's own, or those of a library. */
export interface TagSet {
  path: string;
  /** The path of one of the tags. */
  pathOf: (tag: ListedTag) => string;
  listKey: QueryKey;
  namedKey: (name: string) => QueryKey;
  /** The queries that show names of these tags. */
  stale: readonly QueryKey[];
  /** The beginning of a sentence about a tag that exists. */
  has: string;
}

export const ownTags: TagSet = {
  path: '/tags',
  pathOf: ({ id }) => `/tags/${id}`,
  listKey: queryKeys.allTags(),
  namedKey: queryKeys.namedTag,
  stale: [queryKeys.tags(), queryKeys.mediaLists(), queryKeys.oneMedia(), queryKeys.searches()],
  has: 'You already have',
};

export const tagsOfLibrary = (libraryId: string): TagSet => {
  const path = `/libraries/${libraryId}/tags`;
  return {
    path,
    pathOf: ({ name }) => `${path}?tag=${encodeURIComponent(name)}`,
    listKey: queryKeys.allLibraryTags(libraryId),
    namedKey: (name) => queryKeys.namedLibraryTag(libraryId, name),
    stale: [queryKeys.libraryTags(libraryId), queryKeys.mediaLists()],
    has: 'This library already has',
  };
};

/** The tag with a name; null when there is none. */
export const namedTagQuery = ({ path, namedKey }: TagSet, name: string) =>
  queryOptions({
    queryKey: namedKey(name),
    queryFn: async ({ signal }) => {
      const { data } = await api.get<ListPage<ListedTag>>(path, { limit: 200, prefix: name }, signal);
      return data.find((tag) => isSameTag(tag.name, name)) ?? null;
    },
  });
