import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { ListPage, Media, Tag } from '../api/types.ts';
import type { ListParams } from '../library/list-params.ts';

export const LONGEST_TAG = 64;

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

/** Removes white space around the parts of a name. */
export function cleanTag(text: string): string {
  return text
    .split('/')
    .map((part) => part.trim())
    .join('/');
}

/** Returns why a text cannot be the name of a tag, or undefined. */
export function tagProblem(text: string): string | undefined {
  const name = cleanTag(text);
  if (/[\p{Cc}",]/u.test(name)) return 'A tag has no commas and no quotation marks.';
  if (name.length > LONGEST_TAG) return `A tag has at most ${LONGEST_TAG} characters.`;
  if (name.split('/').some((part) => part === '')) return 'Write a name before and after each /.';
  return undefined;
}

/** Upper and lower case are the same tag. */
export const isSameTag = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

export const hasTag = (tags: readonly string[], name: string) => tags.some((tag) => isSameTag(tag, name));

export const withoutTag = (tags: readonly string[], name: string) =>
  tags.filter((tag) => !isSameTag(tag, name));

/** A name of the tree of tags. */
export interface TagNode {
  /** The whole name: `cooking/bread`. */
  name: string;
  /** The last part of it: `bread`. */
  label: string;
  depth: number;
  /** The tag; undefined when only tags below it exist. */
  tag: Tag | undefined;
  children: TagNode[];
}

/** The tree of tags, each level by name. */
export function tagTree(tags: readonly Tag[]): TagNode[] {
  const roots: TagNode[] = [];
  const known = new Map<string, TagNode>();
  const nodeOf = (name: string): TagNode => {
    const found = known.get(name.toLowerCase());
    if (found) return found;
    const slash = name.lastIndexOf('/');
    const parent = slash < 0 ? undefined : nodeOf(name.slice(0, slash));
    const node: TagNode = {
      name,
      label: name.slice(slash + 1),
      depth: parent ? parent.depth + 1 : 0,
      tag: undefined,
      children: [],
    };
    known.set(name.toLowerCase(), node);
    (parent?.children ?? roots).push(node);
    return node;
  };
  for (const tag of tags) Object.assign(nodeOf(tag.name), { tag });
  const sort = (nodes: TagNode[]) => {
    nodes.sort((one, other) => one.label.localeCompare(other.label));
    for (const { children } of nodes) sort(children);
  };
  sort(roots);
  return roots;
}

/** Whether a media still belongs to a list with these filters, after the person has changed what they keep about it. */
export function isListed({ mine }: Media, { tag, favourite, archived }: ListParams): boolean {
  if (favourite !== undefined && mine.is_favourite !== favourite) return false;
  if (archived !== undefined && mine.is_archived !== archived) return false;
  if (tag === undefined) return true;
  const below = `${tag.toLowerCase()}/`;
  return mine.tags.some((name) => isSameTag(name, tag) || name.toLowerCase().startsWith(below));
}
