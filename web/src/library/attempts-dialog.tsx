import { useQuery } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import './item-dialogs.css';
import { api } from '../api/client.ts';
import type { Media, MediaAttempt } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { SkeletonText } from '../ui/skeleton.tsx';
import { useMediaActions } from './actions.ts';
import { isUnderWay } from './stage.ts';
import { momentOf } from './words.ts';

const RESULTS: Record<MediaAttempt['status'], string> = {
  running: 'Under way',
  succeeded: 'Worked',
  failed: 'Failed',
  interrupted: 'Interrupted',
};

/** What was tried and when, in plain words. */
export default function AttemptsDialog({ media, onClose }: { media: Media; onClose: () => void }) {
  const actions = useMediaActions();
  const { data, error, refetch } = useQuery({
    queryKey: ['media', 'attempts', media.id],
    queryFn: () =>
      api.get<{ data: MediaAttempt[] }>(`/media/${media.id}/attempts`).then((answer) => answer.data),
    refetchInterval: isUnderWay(media) ? 2000 : false,
    staleTime: 0,
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title="What was tried"
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
            Try again
          </Button>
        )
      }
    >
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonText lines={5} />}
      {data?.length === 0 && <p className="muted">Nothing yet: it waits for its turn.</p>}
      {data && (
        <ol className="attempts">
          {data.map((attempt) => (
            <li key={attempt.attempt_number} className="attempt" data-status={attempt.status}>
              <span className="attempt-what">
                Attempt {attempt.attempt_number}: {RESULTS[attempt.status]}
              </span>
              <span>{attempt.summary}</span>
              <span className="small muted">
                {momentOf(attempt.started_at)}
                {attempt.error_code && <span className="mono"> · {attempt.error_code}</span>}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Dialog>
  );
}
