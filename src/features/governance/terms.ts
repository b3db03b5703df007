import { normalForm } from '../../contract/normal-form.ts';
import type { TextRange } from '../media/text/text-range.ts';
import { textFormsOf } from './text-forms.ts';

/** Matches a word, a letter of a script without spaces, or a symbol. Bounded: longer runs exhaust the stack. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const ATOM = new RegExp(`[${UNSPACED}]|[[\\p{L}\\p{N}\\p{M}_]--[${UNSPACED}]]{1,100000}|\\S`, 'gv');
const ACCENTS_AND_UNSEEN = /[\u0300-\u036F\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
/** Longer than any term. */
const LONGEST_WORD = 1000;

/** Returns a form that is equal for all spellings: case, accents, width and invisible characters do not matter. */
function normalised(atom: string): string {
  const bare = atom.replace(ACCENTS_AND_UNSEEN, '');
  if (bare.length > LONGEST_WORD) return bare;
  return normalForm(bare, 'NFKD')
    .replace(ACCENTS_AND_UNSEEN, '')
    .replace(/\p{Pd}/gu, '-')
    .replace(/[‘’]/g, "'")
    .toUpperCase()
    .toLowerCase();
}

/** Finds terms as sequences of whole words, whatever white space is between them, in one pass over the text. */
export function compileTerms(terms: readonly string[]) {
  /** The words that follow the first word of a term. */
  const byFirst = new Map<string, string[][]>();
  let longest = 0;
  for (const term of terms) {
    const seen = textFormsOf(term).at(-1)?.text ?? '';
    const [first, ...rest] = [...seen.matchAll(ATOM)].map(([atom]) => normalised(atom));
    if (!first) continue;
    byFirst.set(first, [...(byFirst.get(first) ?? []), rest]);
    longest = Math.max(longest, rest.length + 1);
  }

  return {
    /** Returns the ranges of all terms, in order; they may overlap. */
    find(text: string): TextRange[] {
      const ranges: TextRange[] = [];
      /** The last atoms, enough for the longest term. */
      let recent: { word: string; start: number; end: number }[] = [];
      const matchFirst = () => {
        const [first] = recent;
        if (!first) return;
        for (const rest of byFirst.get(first.word) ?? []) {
          const last = recent[rest.length];
          if (last && rest.every((word, index) => recent[index + 1]?.word === word))
            ranges.push({ start: first.start, end: last.end });
        }
      };
      if (byFirst.size === 0) return ranges;
      for (const { 0: atom, index } of text.matchAll(ATOM)) {
        const word = normalised(atom);
        if (word === '') continue;
        recent.push({ word, start: index, end: index + atom.length });
        if (recent.length < longest) continue;
        matchFirst();
        recent = recent.slice(1);
      }
      for (; recent.length > 0; recent = recent.slice(1)) matchFirst();
      return ranges;
    },
  };
}
