import { useQuery } from '@tanstack/react-query';
import { api, errorMessage } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { Library, Member, RemovalPreview } from '../api/types.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { plural } from '../ui/numbers.ts';
import { SkeletonText } from '../ui/states.tsx';
import { useAction } from '../ui/use-action.ts';

export interface MemberDialogProps {
  member: Member;
  library: Library;
  onClose: () => void;
}

/** Confirms the removal of a member, and shows what they would lose and keep. */
export function RemovalDialog({ member, library, onClose }: MemberDialogProps) {
  const path = `/libraries/${library.id}/members/${member.user_id}`;
  const preview = useQuery({
    queryKey: queryKeys.removalPreview(library.id, member.user_id),
    queryFn: ({ signal }) => api.getData<RemovalPreview>(`${path}/removal-preview`, { limit: 50 }, signal),
    staleTime: 0,
  });
  const removing = useAction({
    run: () => api.delete(path),
    stale: [queryKeys.everything()],
    message: () => `Removed ${member.display_name} from ${library.name}`,
    onDone: onClose,
  });
  const loss = preview.data;
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
          {loss.highlights.by_member > 0 && (
            <p>Highlights that they shared with this library ({loss.highlights.by_member}) become private.</p>
          )}
          {loss.kept_count > 0 && (
            <>
              <p>They keep {plural(loss.kept_count, 'item')}:</p>
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

function reasonOf({ saved, libraries, other_library_count }: RemovalPreview['kept'][number]): string {
  const reasons = [
    ...(saved ? ['saved by them'] : []),
    ...libraries.map(({ name }) => `also in ${name}`),
    ...(other_library_count > 0 ? ['also in a library you are not in'] : []),
  ];
  return reasons.join(', ');
}
