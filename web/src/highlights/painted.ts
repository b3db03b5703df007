import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { HIGHLIGHT_COLORS, selectorsOf } from '../../../src/contract/highlight-selectors.ts';
import { requestFragment } from '../analysis/fragment-requests.ts';
import {
  createTexts,
  elementOf,
  observeText,
  rangesOf,
  scrollToRange,
  type TextOf,
} from '../analysis/marks.ts';
import type { Span } from '../analysis/queries.ts';
import type { FragmentEntry, Highlight as Passage } from '../api/types.ts';
import { useWindowEvent } from '../ui/use-window-event.ts';
import { hasNoSelection } from './selection.ts';

/** Undefined in browsers without the CSS Custom Highlight API, which show no colours in the text. */
export const painter = 'highlights' in CSS && typeof Highlight === 'function' ? CSS.highlights : undefined;

const nameOf = (color: string) => `nexus-highlight-${color}`;
const OF_OTHERS = 'nexus-highlight-shared';
const CURRENT = 'nexus-highlight-current';
const NAMES = [...HIGHLIGHT_COLORS.map(nameOf), OF_OTHERS, CURRENT];

interface Painted {
  passage: Passage;
  /** One for each fragment that the passage is in. */
  ranges: Range[];
}

interface PaintOptions {
  mediaId: string;
  passages: readonly Passage[] | undefined;
  /** The chapters of a book, of which only one is on the page. */
  chapters: readonly FragmentEntry[] | undefined;
  /** The opened highlight. */
  currentId: string | undefined;
  /** Whether the page scrolls to it now, once. */
  isToShow: boolean;
  /** Whether it was opened in the text. The reader then stays there, and does not open the chapter in which it begins. */
  isFromText: boolean;
  onOpen: (id: string) => void;
  /** Called before the page scrolls to the opened highlight. */
  onLeave: () => void;
}

/** Paints highlights in the text, scrolls to the opened one, and opens those that are clicked. */
export function usePaintedHighlights(options: PaintOptions): void {
  const { mediaId, passages, chapters, currentId, isToShow, isFromText, onOpen, onLeave } = options;
  const queryClient = useQueryClient();
  const painted = useRef<Painted[]>([]);
  const leave = useRef(onLeave);
  leave.current = onLeave;
  const shownId = useRef<string>(undefined);

  useEffect(() => {
    if (!passages) return;
    const placed = passages.filter(({ is_placed }) => is_placed);
    let isOver = false;
    let frame = 0;
    const paintSoon = () => {
      cancelAnimationFrame(frame);
      if (!isOver) frame = requestAnimationFrame(paint);
    };
    const textOf = createTexts(queryClient, mediaId, paintSoon);
    const opened = placed.find(({ id }) => id === currentId);
    const isElsewhere = () => opened && !isFromText && !elementOf(opened.target.fragment_idx);
    const paint = () => {
      painted.current = paintedOf(placed, chapters, textOf);
      show(painted.current, currentId);
      const current = painted.current.find(({ passage }) => passage.id === currentId);
      if (!current || !isToShow || shownId.current === currentId || isElsewhere()) return;
      shownId.current = currentId;
      leave.current();
      const [range] = current.ranges;
      if (range) scrollToRange(range);
    };
    if (currentId === undefined) shownId.current = undefined;
    else if (opened && shownId.current !== currentId && isElsewhere())
      requestFragment(opened.target.fragment_idx);
    paint();
    const stopObserving = observeText(paintSoon);
    return () => {
      isOver = true;
      stopObserving();
      cancelAnimationFrame(frame);
      for (const name of NAMES) painter?.delete(name);
    };
  }, [queryClient, mediaId, passages, chapters, currentId, isToShow, isFromText]);

  // In the capture phase: a click on a highlight opens it, and does nothing else.
  useWindowEvent(
    'click',
    (event) => {
      // On a fixed page, the target of the event is the page.
      const target = event.composedPath()[0];
      const isControl = target instanceof Element && target.closest('a, button, input, .side-panel');
      if (isControl || !hasNoSelection()) return;
      const hit = passageAt(painted.current, event.clientX, event.clientY);
      if (!hit) return;
      event.stopPropagation();
      onOpen(hit.id);
    },
    { capture: true },
  );
}

/** Finds the ranges of passages that are on the page. */
function paintedOf(
  passages: readonly Passage[],
  chapters: PaintOptions['chapters'],
  textOf: TextOf,
): Painted[] {
  const known = new Map<number, number | undefined>();
  const lengthOnPage = (idx: number) => (elementOf(idx) ? textOf(idx)?.length : undefined);
  /** The length of a chapter, or of another fragment that is on the page and loaded. */
  const lengthOf = (idx: number) => {
    if (!known.has(idx)) known.set(idx, chapters?.[idx]?.length ?? lengthOnPage(idx));
    return known.get(idx);
  };
  const parts = passages.flatMap((passage) => partsOf(passage, lengthOf).map((span) => ({ passage, span })));
  const ranges = rangesOf(
    parts.map(({ span }) => span),
    textOf,
  );
  const painted = new Map<Passage, Painted>();
  for (const [index, { passage }] of parts.entries()) {
    const range = ranges[index];
    if (!range) continue;
    const one = painted.get(passage) ?? { passage, ranges: [] };
    one.ranges.push(range);
    painted.set(passage, one);
  }
  return [...painted.values()];
}

/** Divides a passage into the parts of each fragment, up to one whose length is not known. */
function partsOf(passage: Passage, lengthOf: (idx: number) => number | undefined): Span[] {
  const parts: Span[] = [];
  let { start, end } = selectorsOf(passage).position;
  for (let idx = passage.target.fragment_idx; end > 0; idx += 1) {
    const length = lengthOf(idx);
    if (length === undefined) break;
    if (start < length) parts.push({ fragment_idx: idx, start, end: Math.min(end, length) });
    // A line break is between two fragments.
    start = Math.max(0, start - length - 1);
    end -= length + 1;
  }
  return parts;
}

function show(painted: readonly Painted[], currentId: string | undefined): void {
  const named = (name: string, chosen: readonly Painted[], priority: number) => {
    const group = new Highlight();
    for (const range of chosen.flatMap(({ ranges }) => ranges)) group.add(range);
    group.priority = priority;
    painter?.set(name, group);
  };
  for (const color of HIGHLIGHT_COLORS) {
    named(
      nameOf(color),
      painted.filter(({ passage }) => passage.color === color),
      0,
    );
  }
  named(
    OF_OTHERS,
    painted.filter(({ passage }) => !passage.is_mine),
    1,
  );
  named(
    CURRENT,
    painted.filter(({ passage }) => passage.id === currentId),
    2,
  );
}

/** Returns the shortest highlight at a point of the screen: the one that is drawn inside the others. */
function passageAt(painted: readonly Painted[], x: number, y: number): Passage | undefined {
  const isAt = (range: Range) =>
    [...range.getClientRects()].some(
      ({ left, right, top, bottom }) => x >= left && x <= right && y >= top && y <= bottom,
    );
  const hits = painted.filter(({ ranges }) => ranges.some(isAt));
  const lengthOf = ({ passage }: Painted) => selectorsOf(passage).quote.exact.length;
  return hits.toSorted((a, b) => lengthOf(a) - lengthOf(b))[0]?.passage;
}
