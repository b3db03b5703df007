import { useQuery } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import './item-dialogs.css';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/query-keys.ts';
import type { Media, MediaAttempt } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { SkeletonText } from '../ui/skeleton.tsx';
import { useMediaActions } from './actions.ts';
import { fullDate } from './format.ts';

const RESULTS: Record<MediaAttempt['status'], string> = {
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  interrupted: 'Interrupted',
};

/** The processing attempts of a media, with their results. */
export default function AttemptsDialog({ media, onClose }: { media: Media; onClose: () => void }) {
  const actions = useMediaActions();
  const { data, error, refetch } = useQuery({
    queryKey: queryKeys.attempts(media.id),
    queryFn: () =>
      api.get<{ data: MediaAttempt[] }>(`/media/${media.id}/attempts`).then((answer) => answer.data),
    staleTime: 0,
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title="Attempts"
      lead={media.title}
      actions={
        media.may_retry && (
          <Button
            look="primary"
            icon={RotateCcw}
            onClick={() => {
              void actions.retry(media);
              onClose();
            }}
          >
            Retry
          </Button>
        )
      }
    >
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonText lines={5} />}
      {data?.length === 0 && <p className="muted">No attempt yet. It is waiting in the queue.</p>}
      {data && (
        <ol className="attempts">
          {data.map((attempt) => (
            <li key={attempt.attempt_number} className="attempt" data-status={attempt.status}>
              <span className="attempt-what">
                Attempt {attempt.attempt_number}: {RESULTS[attempt.status]}
              </span>
              <span>{attempt.summary}</span>
              <span className="small muted">
                {fullDate(attempt.started_at)}
                {attempt.error_code && <span className="mono"> · {attempt.error_code}</span>}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Dialog>
  );
}
