import type { Media, Tag } from '../api/types.ts';
import { isSameTag } from './tag-names.ts';

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

/** The filters of a list by what the person keeps about media. */
interface MineFilter {
  tag?: string;
  favourite?: boolean;
  archived?: boolean;
}

/** Whether a media still belongs to a list with these filters, after the person has changed what they keep about it. */
export function isListed({ mine }: Pick<Media, 'mine'>, { tag, favourite, archived }: MineFilter): boolean {
  if (favourite !== undefined && mine.is_favourite !== favourite) return false;
  if (archived !== undefined && mine.is_archived !== archived) return false;
  if (tag === undefined) return true;
  const below = `${tag.toLowerCase()}/`;
  return mine.tags.some((name) => isSameTag(name, tag) || name.toLowerCase().startsWith(below));
}
