import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type MouseEvent, useEffect, useRef, useState } from 'react';
import { useFragmentRequests } from '../analysis/fragment-requests.ts';
import { useShortcuts } from '../keyboard/shortcuts.ts';
import { fragmentIndexQuery, fragmentQuery } from '../library/queries.ts';
import { Button } from '../ui/button.tsx';
import { Pending, Skeleton, SkeletonText } from '../ui/states.tsx';
import { ArticleHead, Prose } from './article-view.tsx';
import { Contents } from './contents.tsx';
import type { ViewProps } from './reader-page.tsx';
import { SanitizedHtml } from './sanitized-html.tsx';
import { useScrollPosition } from './scroll-position.ts';

/** Shows a book, one chapter at a time. */
export function BookView({ media, start, onProgress, isContentsOpen, onContents }: ViewProps) {
  const column = useRef<HTMLElement>(null);
  const indexQuery = useQuery(fragmentIndexQuery(media.id));
  const index = indexQuery.data;
  const [location, setLocation] = useState({ chapter: start.fragment ?? 0, block: start.block });
  const count = index?.length ?? 0;
  const chapter = index ? Math.min(location.chapter, Math.max(0, count - 1)) : location.chapter;
  const query = useQuery(fragmentQuery(media.id, chapter));
  const fragment = query.data;
  usePrefetchedChapter(media.id, chapter + 1 < count ? chapter + 1 : undefined);

  const report = (share: number, block: number) =>
    onProgress((chapter + share) / count, { fragment: chapter, block });
  const go = (next: number) => {
    if (next < 0 || next >= count) return;
    setLocation({ chapter: next, block: undefined });
    onProgress(next / count, { fragment: next, block: 0 });
    if (window.innerWidth < 900) onContents(false);
  };
  /** Opens the chapter that a link within the book refers to. */
  const follow = (event: MouseEvent) => {
    const link = (event.target as Element).closest('a[href^="#fragment-"]');
    if (!link) return;
    event.preventDefault();
    go(Number(link.getAttribute('href')?.slice('#fragment-'.length)));
  };
  useFragmentRequests(go);
  useScrollPosition(column, {
    part: fragment?.id ?? 'nothing',
    startBlock: location.block,
    // Without the index, the share of the whole book is unknown.
    onMove: (share, block) => fragment && index && report(share, block),
  });
  useShortcuts([
    { keys: 'ArrowRight', label: 'Next chapter', group: 'Reader', run: () => go(chapter + 1) },
    { keys: 'ArrowLeft', label: 'Previous chapter', group: 'Reader', run: () => go(chapter - 1) },
  ]);

  return (
    <div className="reader-layout" data-contents={isContentsOpen}>
      {isContentsOpen && <Contents outline={media.outline} current={chapter} onGo={go} />}
      <article ref={column} className="reader-column">
        {chapter === 0 && <ArticleHead media={media} />}
        <Pending query={query}>
          <SkeletonText lines={16} />
        </Pending>
        {fragment && (
          <>
            {/* biome-ignore lint/a11y: handles clicks of the links inside, which work with the keyboard */}
            <div onClick={follow}>
              <Prose language={media.language}>
                <SanitizedHtml html={fragment.html_sanitized} idx={fragment.idx} />
              </Prose>
            </div>
            <Pending query={indexQuery}>
              <Skeleton height="2.5rem" />
            </Pending>
            {index && (
              <nav className="chapter-nav" aria-label="Chapters">
                <Button icon={ChevronLeft} disabled={chapter === 0} onClick={() => go(chapter - 1)}>
                  Previous
                </Button>
                <span className="small muted">
                  {chapter + 1} of {count}
                </span>
                <Button look="primary" disabled={chapter === count - 1} onClick={() => go(chapter + 1)}>
                  Next
                  <ChevronRight size={16} aria-hidden />
                </Button>
              </nav>
            )}
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
