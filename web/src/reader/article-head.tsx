import type { MediaWithOutline } from '../api/types.ts';
import { lengthOf, publishedOf, siteOf } from '../library/format.ts';
import { KIND_NAMES } from '../library/kinds.ts';

export function ArticleHead({ media }: { media: MediaWithOutline }) {
  const site = siteOf(media);
  const length = lengthOf(media);
  const original = media.canonical_url ?? media.requested_url;
  return (
    <header className="reader-head">
      <p className="reader-kicker">
        {site && original ? (
          <a href={original} target="_blank" rel="noopener noreferrer">
            {site}
          </a>
        ) : (
          <span>{KIND_NAMES[media.kind].label}</span>
        )}
        {media.published && <span>{publishedOf(media.published)}</span>}
        {length && <span>{media.kind === 'pdf' ? length : `${length} read`}</span>}
      </p>
      <h1 className="reader-title">{media.title}</h1>
      {media.author && <p className="reader-byline">{media.author}</p>}
    </header>
  );
}
