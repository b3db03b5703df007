import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { useWindowEvent } from '../ui/use-window-event.ts';
import type { Target } from './visits.ts';

const BAR_HEIGHT = 64;
const GAP = 8;

const BLOCKS = 'p, h1, h2, h3, h4, h5, h6, li, pre, blockquote, figure, table, hr';

function blocksIn(column: HTMLElement): HTMLElement[] {
  return [...column.querySelectorAll<HTMLElement>(`.prose :is(${BLOCKS})`)];
}

/** The share of the column above the screen, and the index of the block at its top. */
function positionIn(column: HTMLElement): { share: number; block: number } {
  const { top, height } = column.getBoundingClientRect();
  const room = Math.max(1, height - window.innerHeight + BAR_HEIGHT);
  const share = Math.min(1, Math.max(0, (BAR_HEIGHT - top) / room));
  const block = blocksIn(column).findIndex((element) => element.getBoundingClientRect().bottom > BAR_HEIGHT);
  return { share, block: Math.max(0, block) };
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

  const targetOffset = useCallback(() => {
    const element = column.current && elementOf(column.current, wanted.current);
    return element ? element.getBoundingClientRect().top + window.scrollY - BAR_HEIGHT - GAP : 0;
  }, [column]);
  const scrollToTarget = useCallback(() => {
    window.scrollTo(0, targetOffset());
    expected.current = window.scrollY;
  }, [targetOffset]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each text and target
  useLayoutEffect(() => {
    hasMoved.current = loose.current;
    scrollToTarget();
  }, [part, target, scrollToTarget]);

  useEffect(() => {
    const element = column.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      // A different offset means that something else has scrolled, such as to a mark. That is kept.
      if (!hasMoved.current && isNear(window.scrollY, expected.current)) scrollToTarget();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [column, scrollToTarget]);

  const takeOver = () => {
    hasMoved.current = true;
  };
  useWindowEvent('wheel', takeOver);
  useWindowEvent('touchmove', takeOver);
  useWindowEvent('keydown', takeOver);
  useWindowEvent('pointerdown', takeOver);

  const frame = useRef(0);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  useWindowEvent('scroll', () => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      if (!column.current || isNear(window.scrollY, expected.current)) return;
      if (!hasMoved.current && isNear(window.scrollY, targetOffset())) {
        // A picture above has loaded, and the browser has kept the text where it was.
        expected.current = window.scrollY;
        return;
      }
      hasMoved.current = true;
      expected.current = -1;
      const { share, block } = positionIn(column.current);
      onMove(share, block);
    });
  });
}
