import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { HIGHLIGHT_COLORS, selectorsOf } from '../../../src/contract/highlight-selectors.ts';
import { requestFragment } from '../analysis/fragment-requests.ts';
import { createTexts, elementOf, rangesOf, scrollToRange } from '../analysis/marks.ts';
import type { Highlight as Passage } from '../api/types.ts';
import { useWindowEvent } from '../ui/use-window-event.ts';

/** Undefined in browsers without the CSS Custom Highlight API, which show no colours in the text. */
const painter = 'highlights' in CSS && typeof Highlight === 'function' ? CSS.highlights : undefined;

const nameOf = (color: string) => `nexus-highlight-${color}`;
const OF_OTHERS = 'nexus-highlight-shared';
const CURRENT = 'nexus-highlight-current';
const NAMES = [...HIGHLIGHT_COLORS.map(nameOf), OF_OTHERS, CURRENT];

interface Painted {
  passage: Passage;
  range: Range;
}

interface PaintOptions {
  mediaId: string;
  passages: readonly Passage[] | undefined;
  /** The opened highlight. */
  currentId: string | undefined;
  /** Whether the page scrolls to it now, once. */
  isToShow: boolean;
  onOpen: (id: string) => void;
  /** Called before the page scrolls to the opened highlight. */
  onLeave: () => void;
}

/** Paints highlights in the text, scrolls to the opened one, and opens those that are clicked. */
export function usePaintedHighlights(options: PaintOptions): void {
  const { mediaId, passages, currentId, isToShow, onOpen, onLeave } = options;
  const queryClient = useQueryClient();
  const painted = useRef<Painted[]>([]);
  const leave = useRef(onLeave);
  leave.current = onLeave;
  const shownId = useRef<string>(undefined);

  useEffect(() => {
    const [page] = document.querySelectorAll('.pdf-pages, .transcript, .reader-layout, .reader-column');
    if (!passages || !page) return;
    const placed = passages.filter(({ is_placed }) => is_placed);
    const spans = placed.map((passage) => {
      const { start, end } = selectorsOf(passage).position;
      return { fragment_idx: passage.target.fragment_idx, start, end };
    });
    let isOver = false;
    let frame = 0;
    const paintSoon = () => {
      cancelAnimationFrame(frame);
      if (!isOver) frame = requestAnimationFrame(paint);
    };
    const textOf = createTexts(queryClient, mediaId, paintSoon);
    const paint = () => {
      const ranges = rangesOf(spans, textOf);
      painted.current = placed.flatMap((passage, index) => {
        const range = ranges[index];
        return range ? [{ passage, range }] : [];
      });
      show(painted.current, currentId);
      const current = painted.current.find(({ passage }) => passage.id === currentId);
      if (!current || !isToShow || shownId.current === currentId) return;
      shownId.current = currentId;
      leave.current();
      scrollToRange(current.range);
    };
    const current = placed.find(({ id }) => id === currentId);
    if (currentId === undefined) shownId.current = undefined;
    else if (current && !elementOf(current.target.fragment_idx)) requestFragment(current.target.fragment_idx);
    paint();
    // Another chapter is opened, or another page is drawn.
    const observer = new MutationObserver(paintSoon);
    observer.observe(page, { childList: true, subtree: true });
    return () => {
      isOver = true;
      observer.disconnect();
      cancelAnimationFrame(frame);
      for (const name of NAMES) painter?.delete(name);
    };
  }, [queryClient, mediaId, passages, currentId, isToShow]);

  useWindowEvent('click', (event) => {
    const target = event.target as Element;
    if (target.closest('a, button, input, .side-panel') || !getSelection()?.isCollapsed) return;
    const hit = passageAt(painted.current, event.clientX, event.clientY);
    if (hit) onOpen(hit.id);
  });
}

function show(painted: readonly Painted[], currentId: string | undefined): void {
  const named = (name: string, chosen: readonly Painted[], priority: number) => {
    const group = new Highlight(...chosen.map(({ range }) => range));
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
  const hits = painted.filter(({ range }) =>
    [...range.getClientRects()].some(
      ({ left, right, top, bottom }) => x >= left && x <= right && y >= top && y <= bottom,
    ),
  );
  const lengthOf = ({ passage }: Painted) => selectorsOf(passage).quote.exact.length;
  return hits.toSorted((a, b) => lengthOf(a) - lengthOf(b))[0]?.passage;
}
