import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { fragmentsQuery } from '../reader/queries.ts';
import { requestFragment } from './fragment-requests.ts';
import { hideMarks, isOnPage, rangesOf, scrollToRange, showMarks } from './marks.ts';
import type { Span } from './queries.ts';

/** Marks spans in the text, scrolls to the current one, and updates the marks when the page changes. */
export function useMarks(mediaId: string, spans: readonly Span[] | undefined, current: number): void {
  const { data: fragments } = useQuery({ ...fragmentsQuery(mediaId), enabled: spans !== undefined });
  useEffect(() => {
    const [page] = document.querySelectorAll('.pdf-pages, .transcript, .reader-column');
    if (!spans || !fragments || !page) return;
    let hasScrolled = false;
    let frame = 0;
    const mark = () => {
      const ranges = rangesOf(spans, fragments);
      showMarks(ranges, current);
      const range = ranges[current];
      if (!range || hasScrolled) return;
      hasScrolled = true;
      scrollToRange(range);
    };
    const span = spans[current];
    if (span && !isOnPage(span)) requestFragment(span.fragment_idx);
    mark();
    // Another chapter is opened, or another page is drawn.
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(mark);
    });
    observer.observe(page, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      hideMarks();
    };
  }, [spans, current, fragments]);
}
