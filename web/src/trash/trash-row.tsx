import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RotateCcw, Trash2 } from 'lucide-react';
import { api } from '../api/client.ts';
import { errorMessage } from '../api/error.ts';
import type { TrashedMedia } from '../api/types.ts';
import { siteOf, timeAgo } from '../library/format.ts';
import { Button } from '../ui/button.tsx';
import { showToast } from '../ui/toasts.ts';
import { refreshTrash } from './queries.ts';

const DAY_MS = 86_400_000;

export function TrashRow({ media, onDelete }: { media: TrashedMedia; onDelete: () => void }) {
  const queryClient = useQueryClient();
  const restoring = useMutation({
    mutationFn: () => api.post(`/trash/${media.id}/restore`),
    onSuccess: async () => {
      await refreshTrash(queryClient);
      showToast(media.library ? `Restored to ${media.library.name}` : 'Restored to your library');
    },
    onError: (error) => showToast(errorMessage(error)),
  });
  const site = siteOf(media);
  return (
    <li className="trash-row">
      <div className="media-text">
        <h2 className="trash-title">{media.title}</h2>
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
          aria-label={`Restore ${media.title}`}
          onClick={() => restoring.mutate()}
        >
          Restore
        </Button>
        <Button
          size="small"
          icon={Trash2}
          aria-label={`Delete permanently: ${media.title}`}
          onClick={onDelete}
        >
          <span className="button-word">Delete permanently</span>
        </Button>
      </div>
    </li>
  );
}

/** The days until the item is deleted. */
export function timeLeft(purgeAt: string, now = Date.now()): string {
  const days = Math.ceil((Date.parse(purgeAt) - now) / DAY_MS);
  if (days <= 0) return 'will be deleted soon';
  return days === 1 ? '1 day left' : `${days} days left`;
}
