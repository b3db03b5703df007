import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useFragmentRequests } from '../analysis/fragment-requests.ts';
import type { LaidOutFragment } from '../api/types.ts';
import { useShortcuts } from '../keyboard/shortcuts.ts';
import { titleOf } from '../library/format.ts';
import { fragmentIndexQuery, fragmentQuery } from '../library/queries.ts';
import { Pending, Skeleton, SkeletonText } from '../ui/states.tsx';
import { ArticleHead, Prose } from './article-view.tsx';
import { ChapterNav } from './chapter-nav.tsx';
import { Contents } from './contents.tsx';
import { isRightToLeft } from './direction.ts';
import { FixedPage } from './fixed-page.tsx';
import { useLastPassed } from './last-passed.ts';
import { PrintedPageNumber } from './printed-page.tsx';
import { ReaderEnd } from './reader-end.tsx';
import type { ViewProps } from './reader-page.tsx';
import { SanitizedHtml } from './sanitized-html.tsx';
import { useScrollPosition } from './scroll-position.ts';
import { VerticalText } from './vertical-text.tsx';
import type { Target } from './visits.ts';

/** Shows a book, one chapter or page at a time. */
export function BookView(props: ViewProps) {
  const { media, target, isFinding, onMove, onVisit, isContentsOpen, onContents } = props;
  const column = useRef<HTMLElement>(null);
  const indexQuery = useQuery(fragmentIndexQuery(media.id));
  const index = indexQuery.data;
  const [location, setLocation] = useState(() => locationOf(target));
  // A new target is shown in the same rendering: the old chapter must not be scrolled to it.
  if (location.target !== target) setLocation(locationOf(target));
  const count = index?.length ?? 0;
  const chapter = index ? Math.min(location.chapter, Math.max(0, count - 1)) : location.chapter;
  const query = useQuery(fragmentQuery(media.id, chapter));
  const fragment = query.data;
  const part = fragment?.id ?? 'nothing';
  const isPage = fragment?.layout?.type === 'page';
  usePrefetchedChapter(media.id, chapter + 1 < count ? chapter + 1 : undefined);

  const report = (share: number, position: { block: number; offset?: number }) =>
    onMove((chapter + share) / count, { fragment: chapter, ...position });
  /** Opens another chapter, which counts as reading on. A page counts as read as soon as it is open. */
  const turn = (next: number) => {
    if (next < 0 || next >= count) return;
    setLocation({ target, chapter: next, start: { position: {} } });
    onMove((isPage ? next + 1 : next) / count, { fragment: next, block: 0 });
  };
  const goTo = (at: number, element?: string) => {
    onVisit({ at, ...(element !== undefined && { to: element }) });
    if (window.innerWidth < 900) onContents(false);
  };
  useFragmentRequests((idx, { isReadingOn }) => (isReadingOn ? turn(idx) : goTo(idx)));
  useScrollPosition(column, {
    part,
    target: location.start,
    isLoose: isFinding,
    // Without the index, the share of the whole book is unknown.
    onMove: (share, position) => fragment && index && report(share, position),
  });

  const toLeft = isRightToLeft(media) ? 1 : -1;
  const unit = isPage ? 'page' : 'chapter';
  const keyOf = (side: 1 | -1) => (side === toLeft ? 'ArrowLeft' : 'ArrowRight');
  useShortcuts([
    { keys: keyOf(1), label: `Next ${unit}`, group: 'Reader', run: () => turn(chapter + 1) },
    { keys: keyOf(-1), label: `Previous ${unit}`, group: 'Reader', run: () => turn(chapter - 1) },
    ...(isPage
      ? ([
          { keys: 'PageDown', label: 'Next page', group: 'Reader', run: () => turn(chapter + 1) },
          { keys: 'PageUp', label: 'Previous page', group: 'Reader', run: () => turn(chapter - 1) },
        ] as const)
      : []),
  ]);
  const sections = useMemo(
    () => media.outline.filter(({ fragment_idx }) => fragment_idx === chapter).map(({ element }) => element),
    [media.outline, chapter],
  );
  const section = useLastPassed(column, sections, part);

  return (
    <div className="reader-layout" data-contents={isContentsOpen}>
      {isContentsOpen && (
        <Contents
          outline={media.outline}
          landmarks={media.book?.landmarks}
          current={chapter}
          section={section}
          onGo={goTo}
        />
      )}
      <article ref={column} className="reader-column" data-layout={fragment?.layout?.type}>
        <Pending query={query}>
          <SkeletonText lines={16} />
        </Pending>
        {fragment && (
          <>
            {isPage && <h1 className="visually-hidden">{titleOf(media)}</h1>}
            <Chapter
              {...props}
              fragment={fragment}
              onSwipe={(side) => turn(chapter + (isRightToLeft(media) ? -side : side))}
            />
            <Pending query={indexQuery}>
              <Skeleton height="2.5rem" />
            </Pending>
            {index && (
              <ChapterNav
                chapter={chapter}
                count={count}
                isPage={isPage}
                isRightToLeft={isRightToLeft(media)}
                onTurn={turn}
              />
            )}
            {index && chapter === count - 1 && <ReaderEnd media={media} />}
          </>
        )}
      </article>
      {index && fragment && (
        <PrintedPageNumber
          index={index}
          fragment={chapter}
          column={column}
          part={part}
          isPage={isPage}
          onVisit={onVisit}
        />
      )}
    </div>
  );
}

/** The location of a target in the book. Its share is left out: it is a share of the whole book, not of the chapter. */
function locationOf(target: Target): { target: Target; chapter: number; start: Target } {
  const { position, element } = target;
  return { target, chapter: position.fragment ?? 0, start: { position, element } };
}

type ChapterProps = Pick<ViewProps, 'media' | 'onFollow'> & {
  fragment: LaidOutFragment;
  onSwipe: (side: 1 | -1) => void;
};

/** A chapter in its layout. */
function Chapter({ media, fragment, onFollow, onSwipe }: ChapterProps) {
  const { id, idx, html_sanitized, layout } = fragment;
  if (layout?.type === 'page')
    return <FixedPage key={id} fragment={fragment} layout={layout} onFollow={onFollow} onSwipe={onSwipe} />;
  const text = (
    <>
      {idx === 0 && <ArticleHead media={media} />}
      <Prose media={media} onFollow={onFollow}>
        <SanitizedHtml html={html_sanitized} idx={idx} />
      </Prose>
    </>
  );
  if (!layout) return text;
  return (
    <VerticalText key={id} writingMode={layout.writing_mode}>
      {text}
    </VerticalText>
  );
}

/** Loads the next chapter while this one is read, so that it opens at once. The images of a page are loaded, too. */
function usePrefetchedChapter(mediaId: string, next: number | undefined): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    if (next === undefined) return;
    const prefetch = async () => {
      const { layout, html_sanitized } = await queryClient.fetchQuery(fragmentQuery(mediaId, next));
      if (layout?.type !== 'page') return;
      const page = new DOMParser().parseFromString(html_sanitized, 'text/html');
      for (const { src } of page.images) new Image().src = src;
    };
    // A chapter that cannot be fetched in advance is fetched when it is opened.
    prefetch().catch(() => undefined);
  }, [queryClient, mediaId, next]);
}
