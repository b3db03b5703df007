import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useWindowEvent } from '../ui/use-window-event.ts';
import { axisOf } from './reading-axis.ts';

/** An element counts as passed a little before it is at the very beginning of the visible text. */
const AHEAD = 24;

/** Returns the last index up to which a condition holds, with few checks: a book can have thousands of pages. */
function lastIndexWhere<T>(values: readonly T[], holds: (value: T) => boolean): number {
  let [low, high] = [-1, values.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(values[middle] as T)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Returns the index of the last element that the reader has passed in a text; -1 for none. `ids` are in the order of the
 * text; an undefined one is the beginning of the text. `part` changes when the column shows another text.
 */
export function useLastPassed(
  column: RefObject<HTMLElement | null>,
  ids: readonly (string | undefined)[],
  part: string,
): number {
  const [passed, setPassed] = useState(-1);
  const latest = useRef(ids);
  latest.current = ids;
  const measure = useCallback(() => {
    if (!column.current) return;
    const axis = axisOf(column.current);
    const isPassed = (id: string | undefined) => {
      if (id === undefined) return true;
      const element = document.getElementById(id);
      return element ? axis.startOf(element.getBoundingClientRect()) < AHEAD : false;
    };
    setPassed(lastIndexWhere(latest.current, isPassed));
  }, [column]);
  const frame = useRef(0);
  const measureSoon = useCallback(() => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(measure);
  }, [measure]);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text, or other elements in it
  useLayoutEffect(measureSoon, [part, ids.length, measureSoon]);
  useWindowEvent('scroll', measureSoon, { capture: true });
  useWindowEvent('resize', measureSoon);
  return Math.min(passed, ids.length - 1);
}
