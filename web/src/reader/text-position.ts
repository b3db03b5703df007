import { axisOf, type ReadingAxis } from './reading-axis.ts';
import type { Target } from './visits.ts';

/** The distance from the beginning of the visible text to the line whose position is the place. */
const LINE = 8;
const TOLERANCE = 2;

/** Their order is part of stored places, so no kind of element may be added. */
const BLOCKS = 'p, h1, h2, h3, h4, h5, h6, li, pre, blockquote, figure, table, hr';

/** A position in the text: a block, and the share of the way from its beginning to the next block. */
export interface Anchor {
  element: Element;
  block: number;
  offset: number;
}

function blocksIn(column: HTMLElement): HTMLElement[] {
  return [...column.querySelectorAll<HTMLElement>(`.prose :is(${BLOCKS})`)];
}

const startOf = (axis: ReadingAxis, element: Element) => axis.startOf(element.getBoundingClientRect());

/** Returns the distance from the beginning of a block to the next one, or to the end of the text. */
function lengthOf(column: HTMLElement, axis: ReadingAxis, blocks: readonly Element[], block: number): number {
  const start = blocks[block] ? startOf(axis, blocks[block]) : 0;
  const next = blocks.slice(block + 1).find((element) => startOf(axis, element) > start + 1);
  const text = column.querySelector('.prose');
  const end = next ? startOf(axis, next) : text ? axis.endOf(text.getBoundingClientRect()) : start;
  return Math.max(1, end - start);
}

/** Returns the index of the last block that begins before a line; -1 for none. Not all are measured: there may be thousands. */
function lastBefore(axis: ReadingAxis, blocks: readonly Element[], line: number): number {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const element = blocks[middle];
    if (element && startOf(axis, element) <= line) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Returns the anchor at the line. Undefined before the first block. Long blocks and text outside of blocks have an offset. */
export function anchorIn(column: HTMLElement): Anchor | undefined {
  const axis = axisOf(column);
  const blocks = blocksIn(column);
  const block = lastBefore(axis, blocks, LINE + TOLERANCE);
  const element = blocks[block];
  if (!element) return undefined;
  const offset = (LINE - startOf(axis, element)) / lengthOf(column, axis, blocks, block);
  return { element, block, offset: Math.min(1, Math.max(0, offset)) };
}

/** Returns the scroll offset that brings an anchor back to the line. Undefined when its block is not on the page. */
export function offsetOfAnchor(column: HTMLElement, { element, block, offset }: Anchor): number | undefined {
  if (!element.isConnected) return undefined;
  const axis = axisOf(column);
  const length = lengthOf(column, axis, blocksIn(column), block);
  return axis.offset() + startOf(axis, element) + offset * length - LINE;
}

/**
 * Returns the scroll offset of a target. A block that the text no longer has, because it was extracted anew, is replaced by
 * the share that was read or, when that is not known, by the last one.
 */
export function offsetOfTarget(column: HTMLElement, { element, position, share }: Target): number {
  const axis = axisOf(column);
  const offsetOf = (one: Element) => axis.offset() + startOf(axis, one) - LINE;
  const named = element === undefined ? null : column.querySelector(`[id="${CSS.escape(element)}"]`);
  if (named) return offsetOf(named);
  const { block = 0, offset = 0 } = position;
  if (block === 0 && offset === 0) return 0;
  const blocks = blocksIn(column);
  const found = blocks[block];
  if (found) return offsetOf(found) + offset * lengthOf(column, axis, blocks, block);
  if (share !== undefined) return axis.offsetOfShare(share);
  const last = blocks.at(-1);
  return last ? offsetOf(last) : 0;
}
