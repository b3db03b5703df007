import type { Range } from './quote.ts';

/** A passage that goes on in the next fragment has this between the two. */
export const FRAGMENT_BREAK = '\n';

/** A text of a fragment and of those after it, so that a passage can go on from one to the next. */
export interface RunningText {
  text: string;
  /** The fragments in it, by the offset at which each begins. */
  parts: { idx: number; at: number }[];
}

/** Joins fragments that follow each other. */
export function joinFragments(fragments: readonly { idx: number; canonical_text: string }[]): RunningText {
  const parts: RunningText['parts'] = [];
  let at = 0;
  for (const { idx, canonical_text } of fragments) {
    parts.push({ idx, at });
    at += canonical_text.length + FRAGMENT_BREAK.length;
  }
  return { text: joinTexts(fragments), parts };
}

export const joinTexts = (fragments: readonly { canonical_text: string }[]) =>
  fragments.map(({ canonical_text }) => canonical_text).join(FRAGMENT_BREAK);

/**
 * Returns the text from the first fragment to the end of the one in which a range ends, or undefined when it does not end
 * within a fragment. The context of a passage does not go on into other fragments.
 */
export function textOfRange(
  fragments: readonly { canonical_text: string }[],
  { end }: Range,
): string | undefined {
  let at = 0;
  for (const [index, { canonical_text }] of fragments.entries()) {
    if (end <= at && index > 0) return undefined;
    at += canonical_text.length;
    if (end <= at) return joinTexts(fragments.slice(0, index + 1));
    at += FRAGMENT_BREAK.length;
  }
  return undefined;
}

/** Returns the fragment in which a range begins, and the range counted from there. A break at its ends is left out. */
export function locationIn({ parts }: RunningText, { start, end }: Range) {
  const isBreak = (offset: number) => parts.some(({ at }) => at === offset + FRAGMENT_BREAK.length);
  const first = isBreak(start) ? start + FRAGMENT_BREAK.length : start;
  const last = isBreak(end - FRAGMENT_BREAK.length) ? end - FRAGMENT_BREAK.length : end;
  const part = parts.findLast(({ at }) => at <= first);
  if (!part || first >= last) return undefined;
  return { fragment_idx: part.idx, start: first - part.at, end: last - part.at };
}
