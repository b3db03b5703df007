import { normalForm } from '../../../contract/normal-form.ts';

const MARKS = /[\u0300-\u036f]/g;
const ACCENTS = '[\\u0300-\\u036f]*';
/** Scripts without spaces between words. */
const UNSPACED = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]/;
const APOSTROPHES = "['\u2018\u2019]";

/**
 * Matches words at their beginning, and characters of scripts without spaces anywhere. For decomposed text (NFD), so that
 * letters are found with and without accents. Null without words.
 */
export function wordPattern(words: string[]): RegExp | null {
  if (words.length === 0) return null;
  const longestFirst = words.toSorted((a, b) => b.length - a.length);
  const spellings = longestFirst.map((word) => {
    const isSpaced = !UNSPACED.test(word);
    return (isSpaced ? '(?<![\\p{L}\\p{N}\\p{M}])' : '') + spelling(word);
  });
  return new RegExp(spellings.join('|'), 'giu');
}

/** Matches a phrase anywhere, in decomposed text. Null for a phrase of spaces. */
export function phrasePattern(phrase: string): RegExp | null {
  const words = phrase.split(/\s+/).filter((word) => word !== '');
  return words.length === 0 ? null : new RegExp(words.map(spelling).join(' '), 'giu');
}

function spelling(word: string): string {
  return [...normalForm(word, 'NFD').replace(MARKS, '')]
    .map((letter) => (/['\u2018\u2019]/.test(letter) ? APOSTROPHES : escaped(letter) + ACCENTS))
    .join('');
}

function escaped(letter: string): string {
  return /[\p{L}\p{N}\p{M}]/u.test(letter) ? letter : `\\u{${letter.codePointAt(0)?.toString(16)}}`;
}
