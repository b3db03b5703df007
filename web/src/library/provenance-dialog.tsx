import { useQuery } from '@tanstack/react-query';
import { Bookmark, UsersRound } from 'lucide-react';
import './item-dialogs.css';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/query-keys.ts';
import type { Answer, Media, Provenance } from '../api/types.ts';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { SkeletonText } from '../ui/skeleton.tsx';
import { fullDate } from './format.ts';

/** All reasons why the viewer sees a media. */
export default function ProvenanceDialog({ media, onClose }: { media: Media; onClose: () => void }) {
  const { data, error, refetch } = useQuery({
    queryKey: queryKeys.provenance(media.id),
    queryFn: () => api.get<Answer<Provenance>>(`/media/${media.id}/provenance`).then((answer) => answer.data),
    staleTime: 0,
  });
  return (
    <Dialog open onClose={onClose} title="Why do I see this?" lead={media.title}>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonText lines={4} />}
      {data && (
        <ul className="reasons">
          {data.saved_at && (
            <li className="reason">
              <Bookmark size={18} aria-hidden />
              <span>
                You saved it <span className="muted">on {fullDate(data.saved_at)}</span>
              </span>
            </li>
          )}
          {data.libraries.map((library) => (
            <li key={library.library_id} className="reason">
              <UsersRound size={18} aria-hidden />
              <span>
                It is in <strong>{library.name}</strong>, and you are a member.{' '}
                <span className="muted">
                  {library.added_by ? `${library.added_by.display_name} added it` : 'It was added'} on{' '}
                  {fullDate(library.added_at)}.
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
