import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { sentenceOf } from '../api/error.ts';
import type { Library, Member, RemovalPreview } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SkeletonText } from '../ui/skeleton.tsx';
import { showToast } from '../ui/toasts.ts';
import { removalPreviewQuery } from './queries.ts';

type Kept = RemovalPreview['data']['kept'][number];

/** Asks before somebody is removed, and says what they would lose and keep. */
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
      showToast(`${member.display_name} is no longer in ${library.name}`);
      onClose();
      void queryClient.invalidateQueries();
    },
    onError: (error) => void showToast(sentenceOf(error)),
  });
  const loss = preview.data?.data;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Remove ${member.display_name}?`}
      actions={
        <>
          <Button onClick={onClose}>Keep</Button>
          <Button look="danger" busy={removing.isPending} onClick={() => removing.mutate()}>
            Remove
          </Button>
        </>
      }
    >
      {preview.isPending && <SkeletonText lines={4} />}
      {preview.error && <p className="muted">{sentenceOf(preview.error)}</p>}
      {loss && (
        <div className="loss">
          <p>
            <span className="loss-figure">{loss.lost_count}</span>{' '}
            {loss.lost_count === 1 ? 'item is' : 'items are'} lost to them at once, also where a page of it is
            open.
          </p>
          {loss.kept_count > 0 && (
            <>
              <p>
                {loss.kept_count} {loss.kept_count === 1 ? 'item stays' : 'items stay'} with them:
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
    </Dialog>
  );
}

function reasonOf({ saved, libraries, other_library_count }: Kept): string {
  const reasons = [
    ...(saved ? ['saved it themselves'] : []),
    ...libraries.map(({ name }) => `through ${name}`),
    ...(other_library_count > 0 ? ['through a library you are not in'] : []),
  ];
  return reasons.join(', ');
}
