import { useQuery } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import type { MediaWithOutline } from '../api/types.ts';
import { KIND_NAMES, lengthOf, siteOf, titleOf } from '../library/format.ts';
import { fragmentsQuery } from '../library/queries.ts';
import { ItemMine } from '../mine/item-mine.tsx';
import { buttonClass } from '../ui/button.tsx';
import { publishedOf } from '../ui/dates.ts';
import { Pending, SkeletonText } from '../ui/states.tsx';
import { textDirection } from './direction.ts';
import { followLinks } from './links.ts';
import { NotePreview } from './note-preview.tsx';
import { ReaderEnd } from './reader-end.tsx';
import type { ViewProps } from './reader-page.tsx';
import { SanitizedHtml } from './sanitized-html.tsx';
import { useScrollPosition } from './scroll-position.ts';
import { SIZES, useReaderSettings } from './type-settings.tsx';

export function ArticleView({ media, target, isFinding, onMove, onFollow }: ViewProps) {
  const column = useRef<HTMLElement>(null);
  const query = useQuery(fragmentsQuery(media.id));
  const fragments = query.data;
  useScrollPosition(column, {
    part: fragments ? 'text' : 'nothing',
    target,
    isLoose: isFinding,
    onMove: (share, position) => fragments && onMove(share, position),
  });
  return (
    <article ref={column} className="reader-column">
      <ArticleHead media={media} />
      {media.is_link && <LinkSummary media={media} />}
      <Pending query={query}>
        <SkeletonText lines={16} />
      </Pending>
      {fragments && (
        <>
          <Prose media={media} onFollow={onFollow}>
            {fragments.map(({ id, idx, html_sanitized }) => (
              <SanitizedHtml key={id} html={html_sanitized} idx={idx} />
            ))}
          </Prose>
          <ReaderEnd media={media}>{media.is_link && <OpenOriginal media={media} />}</ReaderEnd>
        </>
      )}
    </article>
  );
}

/** The picture and description of a page that has hardly any text. */
function LinkSummary({ media: { cover_url, description } }: { media: MediaWithOutline }) {
  return (
    <div className="link-summary">
      {cover_url && <img src={cover_url} alt="" />}
      {description && <p>{description}</p>}
      <p className="small muted">This page has no text that Nexus could keep. The link is saved.</p>
    </div>
  );
}

function OpenOriginal({ media }: { media: MediaWithOutline }) {
  const original = media.canonical_url ?? media.requested_url;
  if (!original) return null;
  return (
    <a className={buttonClass('primary')} href={original} target="_blank" rel="noopener noreferrer">
      <ExternalLink size={16} aria-hidden />
      Open original
    </a>
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
        {length && !media.is_link && <span>{media.kind === 'pdf' ? length : `${length} read`}</span>}
      </p>
      <h1 className="reader-title">{titleOf(media)}</h1>
      {media.author && <p className="reader-byline">{media.author}</p>}
      <ItemMine media={media} />
    </header>
  );
}

interface ProseProps {
  media: MediaWithOutline;
  /** Called with the address of a link within the media. */
  onFollow: (href: string) => void;
  children: ReactNode;
}

/** Text in the font, size and spacing that the person has chosen. */
export function Prose({ media, onFollow, children }: ProseProps) {
  const { id, language } = media;
  const text = useRef<HTMLDivElement>(null);
  const { face, spacing, size } = useReaderSettings();
  return (
    // biome-ignore lint/a11y: handles clicks of the links inside, which work with the keyboard
    <div
      ref={text}
      onClick={followLinks(onFollow)}
      className="prose"
      data-face={face}
      data-spacing={spacing}
      style={{ ['--prose-size' as string]: `${(SIZES[size] ?? 19) / 16}rem` }}
      dir={textDirection(media)}
      {...(language && { lang: language })}
    >
      {children}
      <NotePreview mediaId={id} text={text} onFollow={onFollow} />
    </div>
  );
}
