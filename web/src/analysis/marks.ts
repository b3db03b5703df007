import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Fragment } from '../api/types.ts';
import { fragmentsQuery } from '../library/queries.ts';
import { requestFragment } from './fragment-requests.ts';
import type { Span } from './queries.ts';
import { createRangeFinder, textRunsIn } from './text-ranges.ts';

const ALL = 'nexus-finding';
const CURRENT = 'nexus-finding-here';

/** Undefined in browsers without the CSS Custom Highlight API, which show no marks. */
const highlights = 'highlights' in CSS && typeof Highlight === 'function' ? CSS.highlights : undefined;

/** The element with the text of a fragment: a part of an article, a PDF page, or a line of a transcript. */
function elementOf(idx: number): Element | null {
  return document.querySelector(
    [
      `.prose-part[data-fragment="${idx}"]`,
      `.pdf-page[data-page="${idx + 1}"] > .pdf-text`,
      `.transcript-lines > :nth-child(${idx + 1}) > .transcript-line > :last-child`,
    ].join(),
  );
}

/** Finds DOM ranges for spans of the canonical text. A span that is not on the page has none. */
function rangesOf(spans: readonly Span[], fragments: readonly Fragment[]): (Range | undefined)[] {
  const finders = new Map<number, ReturnType<typeof createRangeFinder<Node>> | undefined>();
  const finderOf = (idx: number) => {
    if (!finders.has(idx)) {
      const element = elementOf(idx);
      const fragment = fragments.find((candidate) => candidate.idx === idx);
      const isShown = element && fragment;
      finders.set(
        idx,
        isShown ? createRangeFinder<Node>(textRunsIn<Node>(element), fragment.canonical_text) : undefined,
      );
    }
    return finders.get(idx);
  };
  return spans.map(({ fragment_idx, start, end }) => {
    const found = finderOf(fragment_idx)?.(start, end);
    if (!found) return undefined;
    const range = document.createRange();
    range.setStart(found.start.node, found.start.offset);
    range.setEnd(found.end.node, found.end.offset);
    return range;
  });
}

function showMarks(ranges: readonly (Range | undefined)[], current: number): void {
  if (!highlights) return;
  const known = ranges.filter((range) => range !== undefined);
  const currentRange = ranges[current];
  highlights.set(ALL, new Highlight(...known));
  const marked = new Highlight(...(currentRange ? [currentRange] : []));
  marked.priority = 1;
  highlights.set(CURRENT, marked);
}

function hideMarks(): void {
  highlights?.delete(ALL);
  highlights?.delete(CURRENT);
}

const BAR_HEIGHT = 64;

/** Scrolls to a range that is not visible. */
function scrollToRange(range: Range): void {
  const line = range.startContainer.parentElement?.closest('.transcript-line');
  if (line) {
    line.scrollIntoView({ block: 'nearest' });
    return;
  }
  const { top, bottom } = range.getBoundingClientRect();
  const sheet = document.querySelector('.side-panel')?.getBoundingClientRect();
  // On narrow screens the panel is a bottom sheet.
  const end = sheet && sheet.left < 1 ? sheet.top : window.innerHeight;
  if (top > BAR_HEIGHT && bottom < end) return;
  window.scrollBy({ top: top - BAR_HEIGHT - (end - BAR_HEIGHT) / 3 });
}

function isOnPage({ fragment_idx }: Span): boolean {
  return elementOf(fragment_idx) !== null;
}

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
