import type { Place } from './cover.ts';

/** A text as it is looked at, and where in the original something stands that was found in it. */
export interface Reading {
  text: string;
  placeOf(place: Place): Place;
}

/** Not seen, wherever it stands: soft hyphens, joiners, spaces of no width, selectors of variants. */
const UNSEEN = '[\\p{Default_Ignorable_Code_Point}\\p{Cf}]';
/** A word that goes on in the next line, what is not seen, a letter with its marks, and letters of Hangul. */
const SEEN_OTHERWISE = new RegExp(
  `(?<=\\p{L})[-\\u2010]\\n\\s*(?=\\p{L})|[^\\p{M}\\s](?:${UNSEEN}*\\p{M})+|${UNSEEN}+|[\\u1100-\\u11FF]+`,
  'gu',
);
const unseen = new RegExp(UNSEEN, 'gu');

/**
 * The ways to read a text. As it is written, what is not seen stands between words, and so it does in some scripts. As it is
 * seen, it does not stand anywhere, a word that was divided at the end of a line is whole, and a letter is the same however
 * its accent was put on. What is to be found is found in either.
 */
export function readingsOf(text: string): Reading[] {
  const written: Reading = { text, placeOf: (place) => place };
  const seen = asSeen(text);
  return seen ? [written, seen] : [written];
}

/** A part of the text as it is seen: `at` there, and from `start` to `end` in the original. */
interface Part extends Place {
  at: number;
  isVerbatim: boolean;
}

/** Undefined where it is the same as written. */
function asSeen(text: string): Reading | undefined {
  const parts: Part[] = [];
  let result = '';
  let from = 0;
  for (const { 0: written, index } of text.matchAll(SEEN_OTHERWISE)) {
    const seen = /^[-\u2010]\n/.test(written) ? '' : written.replace(unseen, '').normalize('NFC');
    if (seen === written) continue;
    parts.push({ at: result.length, start: from, end: index, isVerbatim: true });
    result += text.slice(from, index);
    from = index + written.length;
    parts.push({ at: result.length, start: index, end: from, isVerbatim: false });
    result += seen;
  }
  if (parts.length === 0) return undefined;
  parts.push({ at: result.length, start: from, end: text.length, isVerbatim: true });
  result += text.slice(from);

  /** The part that a character belongs to: of those that begin there, the one that holds it. */
  const partAt = (at: number): Part => {
    let [low, high] = [0, parts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((parts[middle]?.at ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return parts[low] as Part;
  };
  return {
    text: result,
    placeOf({ start, end }) {
      const [first, last] = [partAt(start), partAt(end - 1)];
      return {
        start: first.isVerbatim ? first.start + start - first.at : first.start,
        end: last.isVerbatim ? last.start + end - last.at : last.end,
      };
    },
  };
}
