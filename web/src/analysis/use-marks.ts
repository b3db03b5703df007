import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { fragmentsQuery } from '../reader/queries.ts';
import { hideMarks, isOnPage, rangesOf, scrollToRange, showMarks } from './marks.ts';
import type { Span } from './queries.ts';
import { wantFragment } from './wanted-fragment.ts';

/** Marks places in the text while they are given, goes to the one of them that is `here`, and keeps up with the page. */
export function useMarks(mediaId: string, spans: readonly Span[] | undefined, here: number): void {
  const { data: fragments } = useQuery({ ...fragmentsQuery(mediaId), enabled: spans !== undefined });
  useEffect(() => {
    const [page] = document.querySelectorAll('.pdf-pages, .transcript, .reader-column');
    if (!spans || !fragments || !page) return;
    let isArrived = false;
    let frame = 0;
    const mark = () => {
      const ranges = rangesOf(spans, fragments);
      showMarks(ranges, here);
      const range = ranges[here];
      if (!range || isArrived) return;
      isArrived = true;
      scrollToRange(range);
    };
    const wanted = spans[here];
    if (wanted && !isOnPage(wanted)) wantFragment(wanted.fragment_idx);
    mark();
    // Another chapter, or a page that is drawn only now.
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
  }, [spans, here, fragments]);
}
