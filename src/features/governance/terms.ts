import { normalForm } from '../../contract/normal-form.ts';
import type { TextRange } from '../media/text/text-range.ts';
import { textFormsOf } from './text-forms.ts';

/** A word, a letter of a script that puts no space between words, or a sign. A longer word would exhaust the stack. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const ATOM = new RegExp(`[${UNSPACED}]|[[\\p{L}\\p{N}\\p{M}_]--[${UNSPACED}]]{1,100000}|\\S`, 'gv');
const ACCENTS_AND_UNSEEN = /[\u0300-\u036F\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
/** No term is as long. */
const LONGEST_WORD = 1000;

/** The same for all ways to write it: whatever its case, its accents, its width, and what is not seen. */
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

interface Term {
  rest: string[];
}

export interface Terms {
  /** Where any of the terms stands, in order; ranges may overlap. */
  find(text: string): TextRange[];
}

/** Terms as whole words in sequence, whatever white space is between them. One pass over the text. */
export function compileTerms(terms: readonly string[]): Terms {
  const byFirst = new Map<string, Term[]>();
  let longest = 0;
  for (const term of terms) {
    const seen = textFormsOf(term).at(-1)?.text ?? '';
    const [first, ...rest] = [...seen.matchAll(ATOM)].map(([atom]) => normalised(atom));
    if (!first) continue;
    byFirst.set(first, [...(byFirst.get(first) ?? []), { rest }]);
    longest = Math.max(longest, rest.length + 1);
  }

  return {
    find(text) {
      const ranges: TextRange[] = [];
      /** The last atoms, so many that the longest term fits. */
      let recent: { word: string; start: number; end: number }[] = [];
      const matchFirst = () => {
        const [first] = recent;
        if (!first) return;
        for (const { rest } of byFirst.get(first.word) ?? []) {
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
