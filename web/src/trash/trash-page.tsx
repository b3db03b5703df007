import '../library/library.css';
import './trash.css';
import { useInfiniteQuery } from '@tanstack/react-query';
import { RotateCcw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { ListPage, TrashedMedia } from '../api/types.ts';
import { siteOf, titleOf } from '../library/format.ts';
import { Button } from '../ui/button.tsx';
import { timeAgo } from '../ui/dates.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { EmptyState, MoreButton, Pending, Skeleton } from '../ui/states.tsx';
import { useAction } from '../ui/use-action.ts';

/** The queries that restoring or deleting makes stale. */
const STALE = [queryKeys.mediaLists(), queryKeys.libraries(), queryKeys.storage(), queryKeys.trash()];

export default function TrashPage() {
  const trash = useInfiniteQuery({
    queryKey: queryKeys.trash(),
    queryFn: ({ pageParam, signal }) =>
      api.get<ListPage<TrashedMedia>>('/trash', { limit: 100, cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: ({ page }) => page.next_cursor ?? undefined,
  });
  const [deleting, setDeleting] = useState<'all' | TrashedMedia>();
  const close = () => setDeleting(undefined);
  usePageTitle('Trash');
  const deletion = useAction({
    run: (what: 'all' | TrashedMedia) => api.delete(what === 'all' ? '/trash' : `/trash/${what.id}`),
    stale: STALE,
    message: (_, what) => (what === 'all' ? 'The trash is empty' : 'Deleted permanently'),
  });
  const items = trash.data?.pages.flatMap((page) => page.data);
  return (
    <div className="page">
      <div className="page-head trash-head">
        <h1 className="page-title">Trash</h1>
        {items && items.length > 0 && (
          <Button icon={Trash2} onClick={() => setDeleting('all')}>
            Empty trash
          </Button>
        )}
      </div>
      <Pending query={trash}>
        <Skeleton height="5rem" />
      </Pending>
      {items?.length === 0 && (
        <EmptyState icon={Trash2} title="The trash is empty">
          Items that you remove stay here for a while, so that you can restore them.
        </EmptyState>
      )}
      {items && items.length > 0 && (
        <ul className="trash-list" aria-label="Items in the trash">
          {items.map((media) => (
            <TrashRow key={media.id} media={media} onDelete={() => setDeleting(media)} />
          ))}
        </ul>
      )}
      <MoreButton list={trash} />
      {deleting && (
        <ConfirmDialog
          danger
          title={deleting === 'all' ? 'Empty the trash?' : 'Delete permanently?'}
          action={deleting === 'all' ? 'Empty trash' : 'Delete permanently'}
          busy={deletion.isPending}
          onConfirm={() => deletion.mutate(deleting, { onSettled: close })}
          onClose={close}
        >
          {deleting === 'all'
            ? 'Everything in the trash is deleted, with its files. This cannot be undone.'
            : `"${titleOf(deleting)}" is deleted, with its files. This cannot be undone.`}
        </ConfirmDialog>
      )}
    </div>
  );
}

const DAY_MS = 86_400_000;

function TrashRow({ media, onDelete }: { media: TrashedMedia; onDelete: () => void }) {
  const restoring = useAction({
    run: () => api.post(`/trash/${media.id}/restore`),
    stale: STALE,
    message: () => (media.library ? `Restored to ${media.library.name}` : 'Restored to your library'),
  });
  const site = siteOf(media);
  return (
    <li className="trash-row">
      <div className="media-text">
        <h2 className="trash-title">{titleOf(media)}</h2>
        <p className="media-meta">
          {site && <span className="truncate">{site}</span>}
          {media.library && <span className="truncate">from {media.library.name}</span>}
          <span className="meta-detail">removed {timeAgo(media.trashed_at)}</span>
          <span>{timeLeft(media.purge_at)}</span>
        </p>
      </div>
      <div className="trash-actions">
        <Button
          size="small"
          icon={RotateCcw}
          busy={restoring.isPending}
          aria-label={`Restore ${titleOf(media)}`}
          onClick={() => restoring.mutate()}
        >
          Restore
        </Button>
        <Button
          size="small"
          icon={Trash2}
          aria-label={`Delete permanently: ${titleOf(media)}`}
          onClick={onDelete}
        >
          <span className="button-word">Delete permanently</span>
        </Button>
      </div>
    </li>
  );
}

/** The days until the item is deleted. */
function timeLeft(purgeAt: string): string {
  const days = Math.ceil((Date.parse(purgeAt) - Date.now()) / DAY_MS);
  if (days <= 0) return 'will be deleted soon';
  return days === 1 ? '1 day left' : `${days} days left`;
}
