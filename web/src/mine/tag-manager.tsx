import './tags.css';
import './tags-page.css';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Pencil, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { api } from '../api/client.ts';
import type { ListPage } from '../api/types.ts';
import { IconButton } from '../ui/button.tsx';
import { plural } from '../ui/numbers.ts';
import { MoreButton, Pending, SkeletonText } from '../ui/states.tsx';
import { DeleteTagDialog, RenameTagDialog } from './tag-menu.tsx';
import type { ListedTag, TagSet } from './tag-set.ts';
import { type TagNode, tagTree } from './tag-tree.ts';

interface TagManagerProps {
  title: string;
  lead: string;
  set: TagSet;
  /** The name of the list. */
  label: string;
  /** Whether the person may rename, merge and delete the tags. */
  mayChange: boolean;
  /** The link to the items with a tag. */
  linkTo: (node: TagNode<ListedTag>) => ReactNode;
  empty: ReactNode;
}

interface Asked {
  what: 'rename' | 'delete';
  tag: ListedTag;
}

/** A page with a set of tags as a tree, to rename, merge and delete them. */
export function TagManager({ title, lead, set, label, mayChange, linkTo, empty }: TagManagerProps) {
  const list = useInfiniteQuery({
    queryKey: set.listKey,
    queryFn: ({ pageParam, signal }) =>
      api.get<ListPage<ListedTag>>(set.path, { limit: 200, cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: ({ page }) => page.next_cursor ?? undefined,
  });
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  const tags = list.data?.pages.flatMap(({ data }) => data);
  return (
    <div className="page page-narrow">
      <div className="page-head">
        <div>
          <h1 className="page-title">{title}</h1>
          <p className="page-lead">{lead}</p>
        </div>
      </div>
      <Pending query={list}>
        <SkeletonText lines={8} />
      </Pending>
      {tags?.length === 0 && empty}
      {tags && tags.length > 0 && (
        // The list keeps the focus when the tag of a dialog is gone.
        <ul className="tag-tree" aria-label={label} tabIndex={-1}>
          {flat(tagTree(tags)).map((node) => (
            <li
              key={node.name.toLowerCase()}
              className="tag-row"
              style={{ ['--depth' as string]: node.depth }}
            >
              {linkTo(node)}
              {node.tag && <span className="tag-row-count">{plural(node.tag.media_count, 'item')}</span>}
              {node.tag && mayChange && <TagButtons tag={node.tag} onAsk={setAsked} />}
            </li>
          ))}
        </ul>
      )}
      <MoreButton list={list} />
      {asked?.what === 'rename' && <RenameTagDialog set={set} tag={asked.tag} onClose={close} />}
      {asked?.what === 'delete' && <DeleteTagDialog set={set} tag={asked.tag} onClose={close} />}
    </div>
  );
}

function TagButtons({ tag, onAsk }: { tag: ListedTag; onAsk: (asked: Asked) => void }) {
  return (
    <>
      <IconButton
        label={`Rename ${tag.name}`}
        icon={Pencil}
        size="small"
        onClick={() => onAsk({ what: 'rename', tag })}
      />
      <IconButton
        label={`Delete ${tag.name}`}
        icon={Trash2}
        size="small"
        onClick={() => onAsk({ what: 'delete', tag })}
      />
    </>
  );
}

function flat(nodes: readonly TagNode<ListedTag>[]): TagNode<ListedTag>[] {
  return nodes.flatMap((node) => [node, ...flat(node.children)]);
}
