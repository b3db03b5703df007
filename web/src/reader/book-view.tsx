import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useFragmentRequests } from '../analysis/fragment-requests.ts';
import { useShortcuts } from '../keyboard/shortcuts.ts';
import { fragmentIndexQuery, fragmentQuery } from '../library/queries.ts';
import { Button } from '../ui/button.tsx';
import { Pending, Skeleton, SkeletonText } from '../ui/states.tsx';
import { ArticleHead, Prose } from './article-view.tsx';
import { Contents } from './contents.tsx';
import { NextItem } from './next-item.tsx';
import type { ViewProps } from './reader-page.tsx';
import { SanitizedHtml } from './sanitized-html.tsx';
import { useScrollPosition } from './scroll-position.ts';

/** Shows a book, one chapter at a time. */
export function BookView(props: ViewProps) {
  const { media, target, isFinding, onMove, onVisit, onFollow, isContentsOpen, onContents } = props;
  const column = useRef<HTMLElement>(null);
  const indexQuery = useQuery(fragmentIndexQuery(media.id));
  const index = indexQuery.data;
  const [location, setLocation] = useState({ target, chapter: target.position.fragment ?? 0, start: target });
  // A new target is shown in the same rendering: the old chapter must not be scrolled to it.
  if (location.target !== target)
    setLocation({ target, chapter: target.position.fragment ?? 0, start: target });
  const count = index?.length ?? 0;
  const chapter = index ? Math.min(location.chapter, Math.max(0, count - 1)) : location.chapter;
  const query = useQuery(fragmentQuery(media.id, chapter));
  const fragment = query.data;
  usePrefetchedChapter(media.id, chapter + 1 < count ? chapter + 1 : undefined);

  const report = (share: number, block: number) =>
    onMove((chapter + share) / count, { fragment: chapter, block });
  /** Turns to another chapter, which is reading on. */
  const turn = (next: number) => {
    if (next < 0 || next >= count) return;
    setLocation({ target, chapter: next, start: { position: {} } });
    onMove(next / count, { fragment: next, block: 0 });
  };
  const goTo = (next: number) => {
    onVisit({ at: next });
    if (window.innerWidth < 900) onContents(false);
  };
  useFragmentRequests(goTo);
  useScrollPosition(column, {
    part: fragment?.id ?? 'nothing',
    target: location.start,
    isLoose: isFinding,
    // Without the index, the share of the whole book is unknown.
    onMove: (share, block) => fragment && index && report(share, block),
  });
  useShortcuts([
    { keys: 'ArrowRight', label: 'Next chapter', group: 'Reader', run: () => turn(chapter + 1) },
    { keys: 'ArrowLeft', label: 'Previous chapter', group: 'Reader', run: () => turn(chapter - 1) },
  ]);

  return (
    <div className="reader-layout" data-contents={isContentsOpen}>
      {isContentsOpen && <Contents outline={media.outline} current={chapter} onGo={goTo} />}
      <article ref={column} className="reader-column">
        {chapter === 0 && <ArticleHead media={media} />}
        <Pending query={query}>
          <SkeletonText lines={16} />
        </Pending>
        {fragment && (
          <>
            <Prose media={media} onFollow={onFollow}>
              <SanitizedHtml html={fragment.html_sanitized} idx={fragment.idx} />
            </Prose>
            <Pending query={indexQuery}>
              <Skeleton height="2.5rem" />
            </Pending>
            {index && (
              <nav className="chapter-nav" aria-label="Chapters">
                <Button icon={ChevronLeft} disabled={chapter === 0} onClick={() => turn(chapter - 1)}>
                  Previous
                </Button>
                <span className="small muted">
                  {chapter + 1} of {count}
                </span>
                <Button look="primary" disabled={chapter === count - 1} onClick={() => turn(chapter + 1)}>
                  Next
                  <ChevronRight size={16} aria-hidden />
                </Button>
              </nav>
            )}
            {index && chapter === count - 1 && <NextItem media={media} />}
          </>
        )}
      </article>
    </div>
  );
}

/** Loads the next chapter while this one is read, so that it opens at once. */
function usePrefetchedChapter(mediaId: string, next: number | undefined): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    if (next !== undefined) void queryClient.prefetchQuery(fragmentQuery(mediaId, next));
  }, [queryClient, mediaId, next]);
}
