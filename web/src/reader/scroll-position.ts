import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { useWindowEvent } from '../ui/use-window-event.ts';

const BAR_HEIGHT = 64;

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

interface ScrollPositionOptions {
  /** Changes when the column shows another text. */
  part: string | number;
  /** The index of the block to start at. */
  startBlock: number | undefined;
  onMove: (share: number, block: number) => void;
}

/** Scrolls to the block where the person left off, and reports the position while they scroll. */
export function useScrollPosition(
  column: RefObject<HTMLElement | null>,
  { part, startBlock, onMove }: ScrollPositionOptions,
): void {
  const start = useRef(startBlock);
  start.current = startBlock;

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per part
  useLayoutEffect(() => {
    const block = start.current && column.current ? blocksIn(column.current)[start.current] : undefined;
    window.scrollTo(0, block ? block.getBoundingClientRect().top + window.scrollY - BAR_HEIGHT - 8 : 0);
  }, [part, column]);

  const frame = useRef(0);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  useWindowEvent('scroll', () => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      if (!column.current) return;
      const { share, block } = positionIn(column.current);
      onMove(share, block);
    });
  });
}
