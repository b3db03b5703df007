import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import type { MediaWithOutline } from '../api/types.ts';
import { useMediaActions } from '../library/actions.ts';
import { KIND_NAMES, lengthOf, publishedOf, siteOf } from '../library/format.ts';
import { fragmentsQuery } from '../library/queries.ts';
import { Button } from '../ui/button.tsx';
import { Pending, SkeletonText } from '../ui/states.tsx';
import type { ViewProps } from './reader-page.tsx';
import { SanitizedHtml } from './sanitized-html.tsx';
import { useScrollPosition } from './scroll-position.ts';
import { SIZES, useReaderSettings } from './type-settings.tsx';

export function ArticleView({ media, start, onProgress }: ViewProps) {
  const column = useRef<HTMLElement>(null);
  const actions = useMediaActions();
  const query = useQuery(fragmentsQuery(media.id));
  const fragments = query.data;
  useScrollPosition(column, {
    part: fragments ? 'text' : 'nothing',
    startBlock: start.block,
    onMove: (share, block) => fragments && onProgress(share, { block }),
  });
  const isFinished = media.reading?.finished_at != null;
  return (
    <article ref={column} className="reader-column">
      <ArticleHead media={media} />
      <Pending query={query}>
        <SkeletonText lines={16} />
      </Pending>
      {fragments && (
        <>
          <Prose language={media.language}>
            {fragments.map(({ id, idx, html_sanitized }) => (
              <SanitizedHtml key={id} html={html_sanitized} idx={idx} />
            ))}
          </Prose>
          <footer className="reader-end">
            <Button
              look={isFinished ? 'secondary' : 'primary'}
              icon={CircleCheck}
              onClick={() => void actions.finish([media], !isFinished)}
            >
              {isFinished ? 'Finished' : 'Mark as finished'}
            </Button>
          </footer>
        </>
      )}
    </article>
  );
}

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

/** Languages that are written from right to left. For others, the browser decides by the text. */
const RIGHT_TO_LEFT = /^(ar|arc|ckb|dv|fa|he|ks|nqo|ps|sd|ug|ur|yi)(-|$)/i;

/** Text in the font, size and spacing that the person has chosen. */
export function Prose({ language, children }: { language: string | null; children: ReactNode }) {
  const { face, spacing, size } = useReaderSettings();
  return (
    <div
      className="prose"
      data-face={face}
      data-spacing={spacing}
      style={{ ['--prose-size' as string]: `${(SIZES[size] ?? 19) / 16}rem` }}
      dir={language && RIGHT_TO_LEFT.test(language) ? 'rtl' : 'auto'}
      {...(language && { lang: language })}
    >
      {children}
    </div>
  );
}
