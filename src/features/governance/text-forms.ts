import { normalForm } from '../../contract/normal-form.ts';
import type { TextRange } from '../media/text/text-range.ts';

/** A form of a text that is searched, and the mapping of its ranges to the original. */
interface TextForm {
  text: string;
  rangeIn(range: TextRange): TextRange;
}

/** Invisible characters: soft hyphens, joiners, zero-width spaces, variation selectors. */
const UNSEEN = '\\p{Default_Ignorable_Code_Point}\\p{Cf}';
/**
 * Matches what is displayed differently from how it is written: a word divided at a line end, a letter with combining
 * marks and invisible characters, invisible characters alone, and Hangul letters. Bounded, because a long run would
 * exhaust the stack of the regular expression.
 */
const SEEN_OTHERWISE = new RegExp(
  `(?<=\\p{L})[-\\u2010]\\n\\s*(?=\\p{L})|[^\\p{M}\\s${UNSEEN}][\\p{M}${UNSEEN}]{1,1000}|[${UNSEEN}]{1,1000}|[\\u1100-\\u11FF]{1,1000}`,
  'gu',
);
const unseen = new RegExp(`[${UNSEEN}]`, 'gu');

/**
 * Returns the forms of a text that are searched. In the written form, invisible characters separate words, as they do
 * in some scripts. In the displayed form they are removed, words divided at line ends are joined, and letters with
 * accents are composed. A term is found in either form.
 */
export function textFormsOf(text: string): TextForm[] {
  const written: TextForm = { text, rangeIn: (range) => range };
  const seen = asSeen(text);
  return seen ? [written, seen] : [written];
}

/** Returns the displayed form; undefined when it equals the written one. */
function asSeen(text: string): TextForm | undefined {
  // For every part that is displayed differently: its position and length in the result, and its range in the text.
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

  /** Returns the range in the text of a character of the result. */
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

/** Returns the index of the last of ascending numbers that is not above the limit, or -1. */
function lastUpTo(numbers: readonly number[], limit: number): number {
  let [low, high] = [-1, numbers.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((numbers[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}
