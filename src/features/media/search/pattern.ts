import { normalForm } from '../../../contract/normal-form.ts';
import { INVISIBLE, UNSPACED, withoutInvisible } from './characters.ts';

const MARKS = /[\u0300-\u036f]/g;
/** Accents and invisible characters after a letter. */
const IGNORED = `[\\u0300-\\u036f${INVISIBLE}]*`;
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`);
/** The beginning of a word. A soft hyphen divides no word. Few are looked at, because a text may have any number of them. */
const WORD_START = `(?<![\\p{L}\\p{N}\\p{M}][${INVISIBLE}]{0,3})`;
const APOSTROPHES = "['\u2018\u2019]";

/**
 * Matches words at their beginning, and characters of scripts without spaces anywhere. For decomposed text (NFD), so that
 * letters are found with and without accents. Null without words.
 */
export function wordPattern(words: string[]): RegExp | null {
  if (words.length === 0) return null;
  const longestFirst = words.toSorted((a, b) => b.length - a.length);
  const spellings = longestFirst.map((word) => (HAS_UNSPACED.test(word) ? '' : WORD_START) + spelling(word));
  return new RegExp(spellings.join('|'), 'giu');
}

/** Matches a phrase anywhere, in decomposed text. Null for a phrase of spaces. */
export function phrasePattern(phrase: string): RegExp | null {
  const words = withoutInvisible(phrase)
    .split(/\s+/)
    .filter((word) => word !== '');
  return words.length === 0 ? null : new RegExp(words.map(spelling).join(' '), 'giu');
}

function spelling(word: string): string {
  return [...normalForm(withoutInvisible(word), 'NFD').replace(MARKS, '')]
    .map((letter) => (/['\u2018\u2019]/.test(letter) ? APOSTROPHES : escaped(letter) + IGNORED))
    .join('');
}

function escaped(letter: string): string {
  return /[\p{L}\p{N}\p{M}]/u.test(letter) ? letter : `\\u{${letter.codePointAt(0)?.toString(16)}}`;
}
