import { CircleCheckBig } from 'lucide-react';
import type { Media } from '../api/types.ts';
import { Marks } from '../mine/tag-chips.tsx';
import { publishedOf, timeAgo } from '../ui/dates.ts';
import { lengthOf, STAGE_LABELS, siteOf, stageOf } from './format.ts';

/** The processing stage of a media, with a progress bar of three steps. */
export function StageLine({ media }: { media: Media }) {
  const stage = stageOf(media);
  const isAgain = media.processing_attempts > 1 && stage === 'working';
  return (
    <span className="stage" role="status">
      <span className="stage-steps" aria-hidden>
        <span className="stage-step" data-done data-now={stage === 'queued'} />
        <span className="stage-step" data-now={stage === 'working'} />
        <span className="stage-step" />
      </span>
      {STAGE_LABELS[stage]}
      {isAgain && `, attempt ${media.processing_attempts}`}
    </span>
  );
}

/** The author, then the site; where there is little room, only the first of them. */
export function MetaLine({ media }: { media: Media }) {
  const site = siteOf(media);
  const { author } = media;
  const length = lengthOf(media);
  return (
    <p className="media-meta">
      <Marks media={media} />
      {author && <span className="truncate">{author}</span>}
      {site && site !== author && <span className={`truncate ${author ? 'meta-detail' : ''}`}>{site}</span>}
      {length && <span>{length}</span>}
      {media.published && <span className="meta-detail">{publishedOf(media.published)}</span>}
      <span>
        <span className="meta-detail">added </span>
        {timeAgo(media.added_at)}
      </span>
    </p>
  );
}

/** The processing stage, the error message, or the description of a media. */
export function NoteLine({ media }: { media: Media }) {
  const stage = stageOf(media);
  if (stage === 'queued' || stage === 'working' || stage === 'unavailable')
    return <StageLine media={media} />;
  if (stage === 'failed') {
    return <p className="media-note media-note-failed">{media.last_error_message ?? 'Processing failed.'}</p>;
  }
  if (!media.description) return null;
  return <p className="media-note media-note-quiet">{media.description}</p>;
}

export function ReadingState({ media }: { media: Media }) {
  const { reading } = media;
  if (!reading || !media.capabilities.can_read) return null;
  if (reading.finished_at) {
    return (
      <span className="finished">
        <CircleCheckBig size={16} aria-hidden />
        <span className="finished-word">Finished</span>
      </span>
    );
  }
  const share = Math.round(reading.progress * 100);
  if (share === 0) return null;
  return (
    <span className="reading-state" role="img" aria-label={`${share} % read`}>
      <span className="progress">
        <span className="progress-fill" style={{ width: `${share}%` }} />
      </span>
      <span className="reading-share">{share} % read</span>
    </span>
  );
}
