import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type MouseEvent, useRef, useState } from 'react';
import { useWantedFragment } from '../analysis/wanted-fragment.ts';
import { useShortcuts } from '../keyboard/shortcuts.ts';
import { Button } from '../ui/button.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { SkeletonText } from '../ui/skeleton.tsx';
import { ArticleHead } from './article-head.tsx';
import { Contents } from './contents.tsx';
import { Prose } from './prose.tsx';
import { fragmentsQuery } from './queries.ts';
import type { ViewProps } from './reader.tsx';
import { SanitizedHtml } from './sanitized-html.tsx';
import { useScrollPlace } from './scroll-place.ts';

/** A book, chapter by chapter. */
export function BookView({ media, start, onProgress, isContentsOpen, onContents }: ViewProps) {
  const column = useRef<HTMLElement>(null);
  const { data: fragments, error, refetch } = useQuery(fragmentsQuery(media.id));
  const [place, setPlace] = useState({ chapter: start.fragment ?? 0, block: start.block });
  const count = fragments?.length ?? 0;
  const chapter = Math.min(place.chapter, Math.max(0, count - 1));
  const fragment = fragments?.[chapter];

  const tell = (share: number, block: number) =>
    onProgress((chapter + share) / Math.max(1, count), { fragment: chapter, block });
  const go = (next: number) => {
    if (next < 0 || next >= count) return;
    setPlace({ chapter: next, block: undefined });
    onProgress(next / count, { fragment: next, block: 0 });
    if (window.innerWidth < 900) onContents(false);
  };
  /** Links within the book name the fragment that they lead to. */
  const follow = (event: MouseEvent) => {
    const link = (event.target as Element).closest('a[href^="#fragment-"]');
    if (!link) return;
    event.preventDefault();
    go(Number(link.getAttribute('href')?.slice('#fragment-'.length)));
  };
  useWantedFragment(go);
  useScrollPlace(column, {
    part: fragment?.id ?? 'nothing',
    startBlock: place.block,
    onMove: (share, block) => fragment && tell(share, block),
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
        {error && <ErrorState error={error} onRetry={() => void refetch()} />}
        {!fragments && !error && <SkeletonText lines={16} />}
        {fragment && (
          <>
            {/* biome-ignore lint/a11y: only what bubbles up from links, which have the keyboard's way of clicking */}
            <div onClick={follow}>
              <Prose language={media.language}>
                <SanitizedHtml html={fragment.html_sanitized} idx={fragment.idx} />
              </Prose>
            </div>
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
          </>
        )}
      </article>
    </div>
  );
}
