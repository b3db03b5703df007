import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { useWindowEvent } from '../ui/use-window-event.ts';
import { axisOf } from './reading-axis.ts';
import { type Anchor, anchorIn, offsetOfAnchor, offsetOfTarget } from './text-position.ts';
import type { Target } from './visits.ts';

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) < 2;
}

/** Whether the text has become too short for a scroll offset, so that the browser has scrolled to its end. */
function isCutOff(column: HTMLElement, offset: number): boolean {
  const axis = axisOf(column);
  return axis.offset() < offset && isNear(axis.offset(), axis.end());
}

interface ScrollPositionOptions {
  /** Changes when the column shows another text. */
  part: string | number;
  target: Target;
  /** Whether something else scrolls, such as a search for words. */
  isLoose: boolean;
  /** Called when the person has scrolled, and not when the page or the reader has. */
  onMove: (share: number, position: { block: number; offset?: number }) => void;
}

/**
 * Scrolls to the target, and stays there while pictures load. Once the person scrolls, reports the position, and keeps the
 * text in its place when the layout changes: another font size or width, a turned phone, a picture that loads late.
 */
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
  /** The anchor at the beginning of the visible text, and its scroll offset. */
  const seen = useRef<{ anchor: Anchor | undefined; at: number }>(undefined);

  const offset = useCallback(() => (column.current ? axisOf(column.current).offset() : 0), [column]);
  const look = useCallback(() => {
    seen.current = column.current ? { anchor: anchorIn(column.current), at: offset() } : undefined;
  }, [column, offset]);
  const scrollToTarget = useCallback(() => {
    if (!column.current) return;
    axisOf(column.current).scrollTo(offsetOfTarget(column.current, wanted.current));
    expected.current = offset();
    look();
  }, [column, offset, look]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each text and target
  useLayoutEffect(() => {
    hasMoved.current = loose.current;
    scrollToTarget();
  }, [part, target, scrollToTarget]);

  const keepText = useCallback(() => {
    const { anchor, at } = seen.current ?? {};
    const wantedOffset = anchor && column.current && offsetOfAnchor(column.current, anchor);
    // At another offset, something else has scrolled since, such as to a mark. That is kept.
    const isHere =
      at !== undefined && column.current && (isNear(at, offset()) || isCutOff(column.current, at));
    if (anchor && column.current && wantedOffset != null && isHere) {
      axisOf(column.current).scrollTo(wantedOffset);
      seen.current = { anchor, at: offset() };
    } else look();
  }, [column, offset, look]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has another box
  useEffect(() => {
    const element = column.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      if (hasMoved.current) keepText();
      // A different offset means that something else has scrolled. That is kept.
      else if (isNear(offset(), expected.current)) scrollToTarget();
    });
    observer.observe(element);
    // Vertical text grows within its box.
    const text = element.querySelector('.prose');
    if (text) observer.observe(text);
    return () => observer.disconnect();
  }, [column, part, offset, scrollToTarget, keepText]);

  const takeOver = () => {
    hasMoved.current = true;
  };
  useWindowEvent('wheel', takeOver);
  useWindowEvent('touchmove', takeOver);
  useWindowEvent('keydown', takeOver);
  useWindowEvent('pointerdown', takeOver);

  const frame = useRef(0);
  const report = () => {
    if (!column.current || isNear(offset(), expected.current)) return;
    hasMoved.current = true;
    expected.current = -1;
    // At the same offset, only the layout can have changed, and the text is about to be brought back.
    if (!seen.current || !isNear(seen.current.at, offset())) look();
    const { block = 0, offset: within = 0 } = seen.current?.anchor ?? {};
    const rounded = Math.round(within * 100) / 100;
    onMove(axisOf(column.current).share(), { block, ...(rounded > 0.02 && { offset: rounded }) });
  };
  // The events of a box that scrolls do not bubble.
  useWindowEvent(
    'scroll',
    () => {
      cancelAnimationFrame(frame.current);
      frame.current = requestAnimationFrame(report);
    },
    { capture: true },
  );
  // A page that is left right after scrolling has no further frame. In the capture phase, before the place is sent.
  useWindowEvent('pagehide', report, { capture: true });
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
}
