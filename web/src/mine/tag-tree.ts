import type { ListedMedia } from '../api/types.ts';
import { isSameTag } from './tag-names.ts';

/** A name of the tree of tags. */
export interface TagNode<Tag extends { name: string }> {
  /** The whole name: `cooking/bread`. */
  name: string;
  /** The last part of it: `bread`. */
  label: string;
  depth: number;
  /** The tag; undefined when only tags below it exist. */
  tag: Tag | undefined;
  children: TagNode<Tag>[];
}

/** The tree of tags, each level by name. */
export function tagTree<Tag extends { name: string }>(tags: readonly Tag[]): TagNode<Tag>[] {
  const roots: TagNode<Tag>[] = [];
  const known = new Map<string, TagNode<Tag>>();
  const nodeOf = (name: string): TagNode<Tag> => {
    const found = known.get(name.toLowerCase());
    if (found) return found;
    const slash = name.lastIndexOf('/');
    const parent = slash < 0 ? undefined : nodeOf(name.slice(0, slash));
    const node: TagNode<Tag> = {
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
  const sort = (nodes: TagNode<Tag>[]) => {
    nodes.sort((one, other) => one.label.localeCompare(other.label));
    for (const { children } of nodes) sort(children);
  };
  sort(roots);
  return roots;
}

/** The filters of a list by tags, favourites and the archive. */
interface MineFilter {
  tag?: string;
  library_tag?: string;
  favourite?: boolean;
  archived?: boolean;
}

/** Whether a media still belongs to a list with these filters, after its tags, favourite or archive have changed. */
export function isListed(
  { mine, library_tags = [] }: Pick<ListedMedia, 'mine' | 'library_tags'>,
  { tag, library_tag, favourite, archived }: MineFilter,
): boolean {
  if (favourite !== undefined && mine.is_favourite !== favourite) return false;
  if (archived !== undefined && mine.is_archived !== archived) return false;
  if (library_tag !== undefined && !hasTagOrBelow(library_tags, library_tag)) return false;
  return tag === undefined || hasTagOrBelow(mine.tags, tag);
}

function hasTagOrBelow(names: readonly string[], tag: string): boolean {
  const below = `${tag.toLowerCase()}/`;
  return names.some((name) => isSameTag(name, tag) || name.toLowerCase().startsWith(below));
}
