import '../library/library.css';
import { useQuery } from '@tanstack/react-query';
import { ExternalLink, RotateCcw, ScrollText } from 'lucide-react';
import type { MediaWithOutline } from '../api/types.ts';
import { useMediaActions } from '../library/actions.ts';
import { stageOf } from '../library/format.ts';
import { showAttempts } from '../library/item-dialogs.tsx';
import { StageLine } from '../library/media-summary.tsx';
import { attemptsQuery } from '../library/queries.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { timeAgo } from '../ui/dates.ts';
import { ArticleHead } from './article-view.tsx';

/** Shown while a media is being processed, or when processing has failed. */
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
              ? 'Nexus cannot process this type yet. The item stays in your library.'
              : 'It opens here as soon as it is ready.'}
          </p>
        </div>
      )}
    </div>
  );
}

function FailureCard({ media }: { media: MediaWithOutline }) {
  const actions = useMediaActions();
  const attempts = useQuery(attemptsQuery(media.id));
  const count = attempts.data?.length ?? media.processing_attempts;
  const original = media.canonical_url ?? media.requested_url;
  return (
    <section className="failure-card" aria-label="Error">
      <h2>Processing failed</h2>
      <p>{media.last_error_message ?? 'Nexus could not process this item.'}</p>
      <p className="small muted">
        {count > 0 && `Tried ${count === 1 ? 'once' : `${count} times`}`}
        {media.failed_at && `, last ${timeAgo(media.failed_at)}`}
        {media.last_error_code && <span className="mono"> · {media.last_error_code}</span>}
      </p>
      {!media.may_retry && (
        <p className="small muted">
          Only people who saved this item or added it to a library, and editors of such a library, can retry
          it.
        </p>
      )}
      <div className="row">
        {media.may_retry && (
          <Button look="primary" icon={RotateCcw} onClick={() => void actions.retry(media)}>
            Retry
          </Button>
        )}
        <Button icon={ScrollText} onClick={() => showAttempts(media)}>
          Show attempts
        </Button>
        {original && (
          <a className={buttonClass('ghost')} href={original} target="_blank" rel="noopener noreferrer">
            <ExternalLink size={16} aria-hidden />
            Open original
          </a>
        )}
      </div>
    </section>
  );
}
