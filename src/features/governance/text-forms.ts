import { normalForm } from '../../contract/normal-form.ts';
import type { TextRange } from '../media/text/text-range.ts';

/** A text as it is looked at, and where in the original something stands that was found in it. */
export interface TextForm {
  text: string;
  rangeIn(range: TextRange): TextRange;
}

/** Not seen, wherever it stands: soft hyphens, joiners, spaces of no width, selectors of variants. */
const UNSEEN = '\\p{Default_Ignorable_Code_Point}\\p{Cf}';
/**
 * A word that goes on in the next line, a letter with its marks and what is not seen, the latter alone, and letters of Hangul.
 * Bounded, because a long run would take the whole stack of the regular expression.
 */
const SEEN_OTHERWISE = new RegExp(
  `(?<=\\p{L})[-\\u2010]\\n\\s*(?=\\p{L})|[^\\p{M}\\s${UNSEEN}][\\p{M}${UNSEEN}]{1,1000}|[${UNSEEN}]{1,1000}|[\\u1100-\\u11FF]{1,1000}`,
  'gu',
);
const unseen = new RegExp(`[${UNSEEN}]`, 'gu');

/**
 * The ways to read a text. As it is written, what is not seen stands between words, and so it does in some scripts. As it is
 * seen, it does not stand anywhere, a word that was divided at the end of a line is whole, and a letter is the same however
 * its accent was put on. What is to be found is found in either.
 */
export function textFormsOf(text: string): TextForm[] {
  const written: TextForm = { text, rangeIn: (range) => range };
  const seen = asSeen(text);
  return seen ? [written, seen] : [written];
}

/** Undefined where it is the same as written. */
function asSeen(text: string): TextForm | undefined {
  // Of every part that is seen otherwise: where it is in the result, how long it is there, and where it was.
  const at: number[] = [];
  const lengths: number[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let result = '';
  let done = 0;
  for (const { 0: written, index } of text.matchAll(SEEN_OTHERWISE)) {
    const seen = /^[-\u2010]\n/.test(written) ? '' : normalForm(written.replace(unseen, ''));
    if (seen === written) continue;
    result += text.slice(done, index);
    done = index + written.length;
    at.push(result.length);
    lengths.push(seen.length);
    starts.push(index);
    ends.push(done);
    result += seen;
  }
  if (at.length === 0) return undefined;

  /** Where a character of the result was, from its first unit to behind its last. */
  const originOf = (position: number): TextRange => {
    const part = lastUpTo(at, position);
    const behind = position - (at[part] ?? 0) - (lengths[part] ?? 0);
    if (behind < 0) return { start: starts[part] ?? 0, end: ends[part] ?? 0 };
    const start = (ends[part] ?? 0) + behind;
    return { start, end: start + 1 };
  };
  return {
    text: result + text.slice(done),
    rangeIn: ({ start, end }) => ({ start: originOf(start).start, end: originOf(end - 1).end }),
  };
}

/** The index of the last of some ascending numbers that is not above the limit, or -1. */
function lastUpTo(numbers: readonly number[], limit: number): number {
  let [low, high] = [-1, numbers.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((numbers[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}
