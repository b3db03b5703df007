import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { fragmentQuery, fragmentsQuery } from '../library/queries.ts';
import { axisOf } from '../reader/reading-axis.ts';
import { requestFragment } from './fragment-requests.ts';
import type { Span } from './queries.ts';
import { createRangeFinder, textRunsIn } from './text-ranges.ts';

const ALL = 'nexus-finding';
const CURRENT = 'nexus-finding-here';

/** Undefined in browsers without the CSS Custom Highlight API, which show no marks. */
const highlights = 'highlights' in CSS && typeof Highlight === 'function' ? CSS.highlights : undefined;

/** The element with the text of a fragment: a part of an article, a page, or a line of a transcript. */
export function elementOf(idx: number): Element | null {
  const page = document.querySelector(`.fixed-page[data-fragment="${idx}"]`);
  if (page) return page.shadowRoot?.querySelector('.prose-part') ?? null;
  return document.querySelector(
    [
      `.prose-part[data-fragment="${idx}"]`,
      `.pdf-page[data-page="${idx + 1}"] > .pdf-text`,
      `.transcript-line:nth-child(${idx + 1}) > .transcript-text`,
    ].join(),
  );
}

export type TextOf = (fragmentIdx: number) => string | undefined;

/** Finds DOM ranges for spans of the canonical text. A span that is not on the page, or not loaded, has none. */
export function rangesOf(spans: readonly Span[], textOf: TextOf): (Range | undefined)[] {
  const finders = new Map<number, ReturnType<typeof createRangeFinder<Node>> | undefined>();
  const finderOf = (idx: number) => {
    if (!finders.has(idx)) {
      const element = elementOf(idx);
      const text = element ? textOf(idx) : undefined;
      const isShown = element && text !== undefined;
      const isReordered = element?.matches('.pdf-text') ?? false;
      finders.set(
        idx,
        isShown ? createRangeFinder<Node>(textRunsIn<Node>(element), text, { isReordered }) : undefined,
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
export function scrollToRange(range: Range): void {
  const line = range.startContainer.parentElement?.closest('.transcript-line');
  if (line) {
    line.scrollIntoView({ block: 'nearest' });
    return;
  }
  const box = range.getBoundingClientRect();
  const vertical = range.startContainer.parentElement?.closest('.reader-column:has(.vertical-text)');
  if (vertical) {
    const axis = axisOf(vertical);
    if (axis.startOf(box) < 0 || axis.endOf(box) > axis.length)
      axis.scrollTo(axis.offset() + axis.startOf(box) - axis.length / 3);
    return;
  }
  const { top, bottom } = box;
  const sheet = document.querySelector('.side-panel')?.getBoundingClientRect();
  // On narrow screens the panel is a bottom sheet.
  const end = sheet && sheet.left < 1 ? sheet.top : window.innerHeight;
  if (top > BAR_HEIGHT && bottom < end) return;
  window.scrollBy({ top: top - BAR_HEIGHT - (end - BAR_HEIGHT) / 3 });
}

function isOnPage({ fragment_idx }: Span): boolean {
  return elementOf(fragment_idx) !== null;
}

/**
 * Returns the canonical text of a fragment that the reader has loaded. Other texts, such as those of PDF pages, are fetched
 * one by one, and `onLoaded` is called.
 */
export function createTexts(queryClient: QueryClient, mediaId: string, onLoaded: () => void): TextOf {
  const requested = new Set<number>();
  const fetchText = async (idx: number) => {
    requested.add(idx);
    await queryClient.fetchQuery(fragmentQuery(mediaId, idx));
    requested.delete(idx);
    onLoaded();
  };
  return (idx) => {
    const fragment =
      queryClient.getQueryData(fragmentsQuery(mediaId).queryKey)?.find((one) => one.idx === idx) ??
      queryClient.getQueryData(fragmentQuery(mediaId, idx).queryKey);
    // A page whose text cannot be fetched has no marks, and is not requested again.
    if (!fragment && !requested.has(idx)) fetchText(idx).catch(() => undefined);
    return fragment?.canonical_text;
  };
}

/** The parts of the reader with text. Changes elsewhere, such as in the side panel while people write, move no marks. */
const TEXT = '.reader-column, .pdf-pages';

/**
 * Calls `onChange` when the text on the page changes: its view is loaded, another chapter is opened, or another page is
 * drawn. Returns a function that stops it.
 */
export function observeText(onChange: () => void): () => void {
  const reader = document.querySelector('.reader');
  const isOfText = ({ target }: MutationRecord) =>
    target === reader || (target instanceof Element && target.closest(TEXT) !== null);
  const observer = new MutationObserver((changes) => {
    if (changes.some(isOfText)) onChange();
  });
  if (reader) observer.observe(reader, { childList: true, subtree: true });
  return () => observer.disconnect();
}

/** Marks spans in the text, scrolls to the current one, and updates the marks when the page changes. */
export function useMarks(mediaId: string, spans: readonly Span[] | undefined, current: number): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    if (!spans) return;
    let hasScrolled = false;
    let isOver = false;
    let frame = 0;
    const markSoon = () => {
      cancelAnimationFrame(frame);
      if (!isOver) frame = requestAnimationFrame(mark);
    };
    const textOf = createTexts(queryClient, mediaId, markSoon);
    const mark = () => {
      const ranges = rangesOf(spans, textOf);
      showMarks(ranges, current);
      const range = ranges[current];
      if (!range || hasScrolled) return;
      hasScrolled = true;
      scrollToRange(range);
    };
    const span = spans[current];
    if (span && !isOnPage(span)) requestFragment(span.fragment_idx);
    mark();
    const stopObserving = observeText(markSoon);
    return () => {
      isOver = true;
      stopObserving();
      cancelAnimationFrame(frame);
      hideMarks();
    };
  }, [queryClient, mediaId, spans, current]);
}
