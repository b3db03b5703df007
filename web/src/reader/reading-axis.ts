/** The height of the reader's bar, with a margin. */
export const BAR_HEIGHT = 64;

/** The box in which vertical text scrolls. */
export const VERTICAL_TEXT = '.vertical-text';

/** The axis along which a text is read: down the window, or across the box of vertical text. */
export interface ReadingAxis {
  /** How far the text is scrolled. */
  offset: () => number;
  scrollTo: (offset: number) => void;
  /** The length of the text that is visible. */
  length: number;
  /** The share of the text before the visible part. */
  share: () => number;
  /** The offset at which this share of the text is before the visible part. */
  offsetOfShare: (share: number) => number;
  /** The largest offset. */
  end: () => number;
  /** The distance from the beginning of the visible text to where a box begins. */
  startOf: (box: DOMRect) => number;
  /** The distance from the beginning of the visible text to where a box ends. */
  endOf: (box: DOMRect) => number;
}

/** Returns the axis of the text in a column. */
export function axisOf(column: Element): ReadingAxis {
  const box = column.querySelector<HTMLElement>(VERTICAL_TEXT);
  return box ? acrossBox(box) : downWindow(column);
}

function downWindow(column: Element): ReadingAxis {
  const length = window.innerHeight - BAR_HEIGHT;
  return {
    offset: () => window.scrollY,
    scrollTo: (offset) => window.scrollTo(0, offset),
    length,
    share() {
      const { top, height } = column.getBoundingClientRect();
      return clamp((BAR_HEIGHT - top) / Math.max(1, height - length));
    },
    offsetOfShare(share) {
      const { top, height } = column.getBoundingClientRect();
      return window.scrollY + top - BAR_HEIGHT + share * Math.max(1, height - length);
    },
    end: () => document.documentElement.scrollHeight - window.innerHeight,
    startOf: ({ top }) => top - BAR_HEIGHT,
    endOf: ({ bottom }) => bottom - BAR_HEIGHT,
  };
}

function acrossBox(box: HTMLElement): ReadingAxis {
  const isRightToLeft = getComputedStyle(box).writingMode === 'vertical-rl';
  const edges = box.getBoundingClientRect();
  const length = box.clientWidth;
  // The offset of a box that begins at the right is negative.
  const offset = () => Math.abs(box.scrollLeft);
  return {
    offset,
    scrollTo(to) {
      window.scrollTo(0, 0);
      box.scrollLeft = isRightToLeft ? -to : to;
    },
    length,
    share: () => clamp(offset() / Math.max(1, box.scrollWidth - length)),
    offsetOfShare: (share) => share * (box.scrollWidth - length),
    end: () => box.scrollWidth - length,
    startOf: ({ left, right }) => (isRightToLeft ? edges.right - right : left - edges.left),
    endOf: ({ left, right }) => (isRightToLeft ? edges.right - left : right - edges.left),
  };
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share));
}

/** Scrolls the text of the reader by a share of what is visible. */
export function scrollText(share: number): void {
  const column = document.querySelector('.reader-column');
  const axis = column && axisOf(column);
  if (axis) axis.scrollTo(axis.offset() + axis.length * share);
  else window.scrollBy({ top: window.innerHeight * share });
}
