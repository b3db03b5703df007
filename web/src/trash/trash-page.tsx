import '../library/library.css';
import './trash.css';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { errorMessage } from '../api/error.ts';
import type { TrashedMedia } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { showToast } from '../ui/toasts.ts';
import { refreshTrash, trashQuery } from './queries.ts';
import { TrashRow } from './trash-row.tsx';

type Deleting = 'all' | TrashedMedia;

export default function TrashPage() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(trashQuery);
  const [deleting, setDeleting] = useState<Deleting>();
  const queryClient = useQueryClient();
  usePageTitle('Trash');
  const deletion = useMutation({
    mutationFn: (what: Deleting) => api.delete(what === 'all' ? '/trash' : `/trash/${what.id}`),
    onSuccess: async (_, what) => {
      await refreshTrash(queryClient);
      showToast(what === 'all' ? 'The trash is empty' : 'Deleted permanently');
    },
    onError: (problem) => showToast(errorMessage(problem)),
    onSettled: () => setDeleting(undefined),
  });
  const items = data?.pages.flatMap((page) => page.data);
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
      {error && !items && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!items && !error && <Skeleton height="5rem" />}
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
      {hasNextPage && (
        <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
      {deleting && (
        <ConfirmDialog
          danger
          title={deleting === 'all' ? 'Empty the trash?' : 'Delete permanently?'}
          action={deleting === 'all' ? 'Empty trash' : 'Delete permanently'}
          busy={deletion.isPending}
          onConfirm={() => deletion.mutate(deleting)}
          onClose={() => setDeleting(undefined)}
        >
          {deleting === 'all'
            ? 'Everything in the trash is deleted, with its files. This cannot be undone.'
            : `"${deleting.title}" is deleted, with its files. This cannot be undone.`}
        </ConfirmDialog>
      )}
    </div>
  );
}
