import { CircleCheckBig, TriangleAlert } from 'lucide-react';
import type { Media } from '../api/types.ts';
import { KIND_NAMES, lengthOf, publishedOf, STAGE_LABELS, siteOf, stageOf, timeAgo } from './format.ts';

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

export function MetaLine({ media }: { media: Media }) {
  const site = siteOf(media);
  const length = lengthOf(media);
  return (
    <p className="media-meta">
      {site && <span className="truncate">{site}</span>}
      {media.author && media.author !== site && <span className="truncate meta-detail">{media.author}</span>}
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
    <span className="progress" role="img" aria-label={`${share} % read`}>
      <span className="progress-fill" style={{ width: `${share}%` }} />
    </span>
  );
}

const TINTS = 6;

/** Picks a tint by site, always the same one. */
function tintOf(text: string): number {
  let hash = 2166136261;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16777619);
  return ((hash >>> 8) & 0xffff) % TINTS;
}

/** The cover image or, without one, the description or initial on a tinted background. */
export function Cover({ media, look }: { media: Media; look: 'thumb' | 'card' }) {
  const { label, icon: Icon } = KIND_NAMES[media.kind];
  if (media.cover_url) {
    return (
      <img className={`cover cover-${look}`} src={media.cover_url} alt="" loading="lazy" decoding="async" />
    );
  }
  if (stageOf(media) === 'failed') {
    return (
      <span className={`cover cover-${look} cover-plain cover-failed`} aria-hidden>
        <TriangleAlert size={look === 'thumb' ? 20 : 28} />
      </span>
    );
  }
  const site = siteOf(media) ?? label;
  const letter = site.replace(/^the /i, '')[0]?.toUpperCase();
  const isArticle = media.kind === 'web_article' && letter !== undefined && /\p{L}/u.test(letter);
  return (
    <span className={`cover cover-${look} cover-plain cover-tint-${tintOf(site)}`} aria-hidden>
      {look === 'card' && media.description ? (
        <span className="cover-title">{media.description}</span>
      ) : isArticle ? (
        <span className="cover-letter">{letter}</span>
      ) : (
        <Icon size={look === 'thumb' ? 22 : 32} />
      )}
    </span>
  );
}
