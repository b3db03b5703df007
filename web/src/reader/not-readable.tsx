import { useQuery } from '@tanstack/react-query';
import { ExternalLink, RotateCcw, ScrollText } from 'lucide-react';
import '../library/library.css';
import { api } from '../api/client.ts';
import type { MediaAttempt, MediaWithOutline } from '../api/types.ts';
import { useMediaActions } from '../library/actions.ts';
import { useItemDialogs } from '../library/item-dialogs.tsx';
import { StageLine } from '../library/media-status.tsx';
import { stageOf } from '../library/stage.ts';
import { whenOf } from '../library/words.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { ArticleHead } from './article-head.tsx';

/** Not yet, or not at all: where it stands, what went wrong in plain words, and what can be done. */
export function NotReadable({ media }: { media: MediaWithOutline }) {
  const stage = stageOf(media);
  return (
    <div className="reader-column">
      <ArticleHead media={media} />
      {stage === 'failed' ? (
        <FailureCard media={media} />
      ) : (
        <div className="card stack">
          <StageLine media={media} />
          <p className="muted">
            {stage === 'unavailable'
              ? 'Nothing on this Nexus can process this kind yet. It stays in your library, and is taken up when something can.'
              : 'It opens here by itself as soon as it can be read.'}
          </p>
        </div>
      )}
    </div>
  );
}

function FailureCard({ media }: { media: MediaWithOutline }) {
  const actions = useMediaActions();
  const { showAttempts } = useItemDialogs();
  const attempts = useQuery({
    queryKey: ['media', 'attempts', media.id],
    queryFn: () => api.get<{ data: MediaAttempt[] }>(`/media/${media.id}/attempts`).then(({ data }) => data),
  });
  const count = attempts.data?.length ?? media.processing_attempts;
  const original = media.canonical_url ?? media.requested_url;
  return (
    <section className="failure-card" aria-label="What went wrong">
      <h2>This could not be read</h2>
      <p>{media.last_error_message ?? 'It could not be made readable.'}</p>
      <p className="small muted">
        {count > 0 && `Tried ${count === 1 ? 'once' : `${count} times`}`}
        {media.failed_at && `, last ${whenOf(media.failed_at)}`}
        {media.last_error_code && <span className="mono"> · {media.last_error_code}</span>}
      </p>
      {!media.may_retry && (
        <p className="small muted">
          People who saved it, and admins of a library that holds it, can retry it.
        </p>
      )}
      <div className="row">
        {media.may_retry && (
          <Button look="primary" icon={RotateCcw} onClick={() => void actions.retry(media)}>
            Try again
          </Button>
        )}
        <Button icon={ScrollText} onClick={() => showAttempts(media)}>
          What was tried
        </Button>
        {original && (
          <a className={buttonClass('ghost')} href={original} target="_blank" rel="noopener noreferrer">
            <ExternalLink size={16} aria-hidden />
            Open the original
          </a>
        )}
      </div>
    </section>
  );
}
