import './tags.css';
import './tags-page.css';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Pencil, Tags, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { ListPage, Tag } from '../api/types.ts';
import { IconButton } from '../ui/button.tsx';
import { plural } from '../ui/numbers.ts';
import { usePageTitle } from '../ui/page-title.ts';
import { EmptyState, MoreButton, Pending, SkeletonText } from '../ui/states.tsx';
import { DeleteTagDialog, RenameTagDialog } from './tag-menu.tsx';
import { type TagNode, tagTree } from './tag-tree.ts';

interface Asked {
  what: 'rename' | 'delete';
  tag: Tag;
}

/** All tags of the person, as a tree, to rename, merge and delete them. */
export default function TagsPage() {
  const list = useInfiniteQuery({
    queryKey: queryKeys.allTags(),
    queryFn: ({ pageParam, signal }) =>
      api.get<ListPage<Tag>>('/tags', { limit: 200, cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: ({ page }) => page.next_cursor ?? undefined,
  });
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  const tags = list.data?.pages.flatMap(({ data }) => data);
  usePageTitle('Tags');
  return (
    <div className="page page-narrow">
      <div className="page-head">
        <div>
          <h1 className="page-title">Tags</h1>
          <p className="page-lead">Only you see your tags.</p>
        </div>
      </div>
      <Pending query={list}>
        <SkeletonText lines={8} />
      </Pending>
      {tags?.length === 0 && (
        <EmptyState icon={Tags} title="No tags yet">
          Add tags to an item with its menu
          <span className="only-keyboard">, or with the key T</span>, or when you save it.
        </EmptyState>
      )}
      {tags && tags.length > 0 && (
        // The list keeps the focus when the tag of a dialog is gone.
        <ul className="tag-tree" aria-label="Your tags" tabIndex={-1}>
          {flat(tagTree(tags)).map((node) => (
            <TagRow key={node.name.toLowerCase()} node={node} onAsk={setAsked} />
          ))}
        </ul>
      )}
      <MoreButton list={list} />
      {asked?.what === 'rename' && <RenameTagDialog tag={asked.tag} onClose={close} />}
      {asked?.what === 'delete' && <DeleteTagDialog tag={asked.tag} onClose={close} />}
    </div>
  );
}

function TagRow({
  node: { name, label, depth, tag },
  onAsk,
}: {
  node: TagNode<Tag>;
  onAsk: (asked: Asked) => void;
}) {
  return (
    <li className="tag-row" style={{ ['--depth' as string]: depth }}>
      <Link to="/tagged" search={{ tag: name }} className="tag-row-name" dir="auto" aria-label={name}>
        {label}
      </Link>
      {tag && (
        <>
          <span className="tag-row-count">{plural(tag.media_count, 'item')}</span>
          <IconButton
            label={`Rename ${name}`}
            icon={Pencil}
            size="small"
            onClick={() => onAsk({ what: 'rename', tag })}
          />
          <IconButton
            label={`Delete ${name}`}
            icon={Trash2}
            size="small"
            onClick={() => onAsk({ what: 'delete', tag })}
          />
        </>
      )}
    </li>
  );
}

function flat(nodes: readonly TagNode<Tag>[]): TagNode<Tag>[] {
  return nodes.flatMap((node) => [node, ...flat(node.children)]);
}
