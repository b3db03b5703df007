import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { errorMessage } from '../api/error.ts';
import type { Library, Member, RemovalPreview } from '../api/types.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { SkeletonText } from '../ui/skeleton.tsx';
import { showToast } from '../ui/toasts.ts';
import { removalPreviewQuery } from './queries.ts';

type Kept = RemovalPreview['data']['kept'][number];

/** Confirms the removal of a member, and shows what they would lose and keep. */
export function RemovalDialog({
  member,
  library,
  onClose,
}: {
  member: Member;
  library: Library;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const preview = useQuery(removalPreviewQuery(library.id, member.user_id));
  const removing = useMutation({
    mutationFn: () => api.delete(`/libraries/${library.id}/members/${member.user_id}`),
    onSuccess: () => {
      showToast(`Removed ${member.display_name} from ${library.name}`);
      onClose();
      void queryClient.invalidateQueries();
    },
    onError: (error) => void showToast(errorMessage(error)),
  });
  const loss = preview.data?.data;
  return (
    <ConfirmDialog
      title={`Remove ${member.display_name}?`}
      action="Remove"
      danger
      busy={removing.isPending}
      onConfirm={() => removing.mutate()}
      onClose={onClose}
    >
      {preview.isPending && <SkeletonText lines={4} />}
      {preview.error && <p className="muted">{errorMessage(preview.error)}</p>}
      {loss && (
        <div className="loss">
          <p>
            They lose access to <span className="loss-figure">{loss.lost_count}</span>{' '}
            {loss.lost_count === 1 ? 'item' : 'items'} immediately.
          </p>
          {loss.kept_count > 0 && (
            <>
              <p>
                They keep {loss.kept_count} {loss.kept_count === 1 ? 'item' : 'items'}:
              </p>
              <ul className="loss-kept">
                {loss.kept.map((kept) => (
                  <li key={kept.media_id}>
                    {kept.title} <span className="muted">({reasonOf(kept)})</span>
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
      )}
    </ConfirmDialog>
  );
}

function reasonOf({ saved, libraries, other_library_count }: Kept): string {
  const reasons = [
    ...(saved ? ['saved by them'] : []),
    ...libraries.map(({ name }) => `also in ${name}`),
    ...(other_library_count > 0 ? ['also in a library you are not in'] : []),
  ];
  return reasons.join(', ');
}
