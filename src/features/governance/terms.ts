import type { Place } from './cover.ts';

/**
 * A word, a letter of a script that puts no space between words, or a sign. Characters that are not seen (a soft hyphen, a
 * joiner) belong to the word they are in, so that they hide nothing.
 */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const ATOM = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}\\p{Cf}_])+|[^\\s]`, 'gu');

function normalised(atom: string): string {
  return atom
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .toLowerCase();
}

interface Term {
  rest: string[];
}

export interface Terms {
  /** Where any of the terms stands, in order; places may overlap. */
  find(text: string): Place[];
}

/** Terms as whole words in sequence, whatever their case and the white space between them. One pass over the text. */
export function compileTerms(terms: readonly string[]): Terms {
  const byFirst = new Map<string, Term[]>();
  let longest = 0;
  for (const term of terms) {
    const [first, ...rest] = [...term.matchAll(ATOM)].map(([atom]) => normalised(atom));
    if (!first) continue;
    byFirst.set(first, [...(byFirst.get(first) ?? []), { rest }]);
    longest = Math.max(longest, rest.length + 1);
  }

  return {
    find(text) {
      const places: Place[] = [];
      /** The last atoms, so many that the longest term fits. */
      let recent: { word: string; start: number; end: number }[] = [];
      const matchFirst = () => {
        const [first] = recent;
        if (!first) return;
        for (const { rest } of byFirst.get(first.word) ?? []) {
          const last = recent[rest.length];
          if (last && rest.every((word, index) => recent[index + 1]?.word === word))
            places.push({ start: first.start, end: last.end });
        }
      };
      if (byFirst.size === 0) return places;
      for (const { 0: atom, index } of text.matchAll(ATOM)) {
        const word = normalised(atom);
        if (word === '') continue;
        recent.push({ word, start: index, end: index + atom.length });
        if (recent.length < longest) continue;
        matchFirst();
        recent = recent.slice(1);
      }
      for (; recent.length > 0; recent = recent.slice(1)) matchFirst();
      return places;
    },
  };
}
