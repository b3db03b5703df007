import './item-dialogs.css';
import { useQuery } from '@tanstack/react-query';
import { Bookmark, RotateCcw, UsersRound } from 'lucide-react';
import { dataQuery, queryKeys } from '../api/queries.ts';
import type { Media, MediaAttempt, Provenance } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Pending, SkeletonText } from '../ui/states.tsx';
import { useMediaActions } from './actions.ts';
import { fullDate } from './format.ts';
import { attemptsQuery } from './queries.ts';

interface ItemDialogProps {
  media: Media;
  onClose: () => void;
}

export default function ItemDialog(props: ItemDialogProps & { kind: 'provenance' | 'attempts' }) {
  return props.kind === 'provenance' ? <ProvenanceDialog {...props} /> : <AttemptsDialog {...props} />;
}

/** All reasons why the viewer sees a media. */
function ProvenanceDialog({ media, onClose }: ItemDialogProps) {
  const query = useQuery({
    ...dataQuery<Provenance>(queryKeys.provenance(media.id), `/media/${media.id}/provenance`),
    staleTime: 0,
  });
  const provenance = query.data;
  return (
    <Dialog onClose={onClose} title="Why do I see this?" lead={media.title}>
      <Pending query={query}>
        <SkeletonText lines={4} />
      </Pending>
      {provenance && (
        <ul className="reasons">
          {provenance.saved_at && (
            <li className="reason">
              <Bookmark size={18} aria-hidden />
              <span>
                You saved it <span className="muted">on {fullDate(provenance.saved_at)}</span>
              </span>
            </li>
          )}
          {provenance.libraries.map((library) => (
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

const RESULTS: Record<MediaAttempt['status'], string> = {
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  interrupted: 'Interrupted',
};

/** The processing attempts of a media, with their results. */
function AttemptsDialog({ media, onClose }: ItemDialogProps) {
  const actions = useMediaActions();
  const attempts = useQuery({ ...attemptsQuery(media.id), staleTime: 0 });
  const retry = () => {
    void actions.retry(media);
    onClose();
  };
  return (
    <Dialog
      onClose={onClose}
      title="Attempts"
      lead={media.title}
      actions={
        media.may_retry && (
          <Button look="primary" icon={RotateCcw} onClick={retry}>
            Retry
          </Button>
        )
      }
    >
      <Pending query={attempts}>
        <SkeletonText lines={5} />
      </Pending>
      {attempts.data?.length === 0 && <p className="muted">No attempt yet. It is waiting in the queue.</p>}
      <ol className="attempts">
        {attempts.data?.map(({ attempt_number, status, summary, started_at, error_code }) => (
          <li key={attempt_number} className="attempt" data-status={status}>
            <span className="attempt-what">
              Attempt {attempt_number}: {RESULTS[status]}
            </span>
            <span>{summary}</span>
            <span className="small muted">
              {fullDate(started_at)}
              {error_code && <span className="mono"> · {error_code}</span>}
            </span>
          </li>
        ))}
      </ol>
    </Dialog>
  );
}
