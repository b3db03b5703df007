import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { useWindowEvent } from '../ui/use-window-event.ts';
import { axisOf } from './reading-axis.ts';
import type { Target } from './visits.ts';

const GAP = 8;

const BLOCKS = 'p, h1, h2, h3, h4, h5, h6, li, pre, blockquote, figure, table, hr';

function blocksIn(column: HTMLElement): HTMLElement[] {
  return [...column.querySelectorAll<HTMLElement>(`.prose :is(${BLOCKS})`)];
}

/** The share of the text before the visible part, and the index of the block at its beginning. */
function positionIn(column: HTMLElement): { share: number; block: number } {
  const axis = axisOf(column);
  const block = blocksIn(column).findIndex((element) => axis.endOf(element.getBoundingClientRect()) > 0);
  return { share: axis.share(), block: Math.max(0, block) };
}

function elementOf(column: HTMLElement, { element, position }: Target): Element | undefined {
  const named = element === undefined ? null : column.querySelector(`[id="${CSS.escape(element)}"]`);
  return named ?? (position.block ? blocksIn(column)[position.block] : undefined);
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) < 2;
}

interface ScrollPositionOptions {
  /** Changes when the column shows another text. */
  part: string | number;
  target: Target;
  /** Whether something else scrolls, such as a search for words. */
  isLoose: boolean;
  /** Called when the person has scrolled, and not when the page or the reader has. */
  onMove: (share: number, block: number) => void;
}

/** Scrolls to the target, stays there while pictures load, and reports the position once the person scrolls. */
export function useScrollPosition(
  column: RefObject<HTMLElement | null>,
  { part, target, isLoose, onMove }: ScrollPositionOptions,
): void {
  const wanted = useRef(target);
  wanted.current = target;
  const hasMoved = useRef(false);
  const loose = useRef(isLoose);
  loose.current = isLoose;
  const expected = useRef(0);

  const offset = useCallback(() => (column.current ? axisOf(column.current).offset() : 0), [column]);
  const targetOffset = useCallback(() => {
    const element = column.current && elementOf(column.current, wanted.current);
    if (!column.current || !element) return 0;
    const axis = axisOf(column.current);
    return axis.startOf(element.getBoundingClientRect()) + axis.offset() - GAP;
  }, [column]);
  const scrollToTarget = useCallback(() => {
    if (!column.current) return;
    axisOf(column.current).scrollTo(targetOffset());
    expected.current = offset();
  }, [column, offset, targetOffset]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each text and target
  useLayoutEffect(() => {
    hasMoved.current = loose.current;
    scrollToTarget();
  }, [part, target, scrollToTarget]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has another box
  useEffect(() => {
    const element = column.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      // A different offset means that something else has scrolled, such as to a mark. That is kept.
      if (!hasMoved.current && isNear(offset(), expected.current)) scrollToTarget();
    });
    observer.observe(element);
    // Vertical text grows within its box.
    const text = element.querySelector('.prose');
    if (text) observer.observe(text);
    return () => observer.disconnect();
  }, [column, part, offset, scrollToTarget]);

  const takeOver = () => {
    hasMoved.current = true;
  };
  useWindowEvent('wheel', takeOver);
  useWindowEvent('touchmove', takeOver);
  useWindowEvent('keydown', takeOver);
  useWindowEvent('pointerdown', takeOver);

  const frame = useRef(0);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  // The events of a box that scrolls do not bubble.
  useWindowEvent(
    'scroll',
    () => {
      cancelAnimationFrame(frame.current);
      frame.current = requestAnimationFrame(() => {
        if (!column.current || isNear(offset(), expected.current)) return;
        if (!hasMoved.current && isNear(offset(), targetOffset())) {
          // A picture above has loaded, and the browser has kept the text where it was.
          expected.current = offset();
          return;
        }
        hasMoved.current = true;
        expected.current = -1;
        const { share, block } = positionIn(column.current);
        onMove(share, block);
      });
    },
    { capture: true },
  );
}
