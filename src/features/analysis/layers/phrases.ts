import type { TextRange } from '../../media/text/text-range.ts';
import type { Token } from '../sentences.ts';

interface FoundPhrase<Sign extends string> extends TextRange {
  label: string;
  sign: Sign;
  /** Whether the sentence starts with it. */
  isFirst: boolean;
}

/** Finds fixed expressions in sentences. Of two that start at the same word, the longer one counts. */
export function createPhrases<Sign extends string>(expressions: Record<Sign, string>) {
  const byFirst = new Map<string, { words: string[]; sign: Sign }[]>();
  for (const [sign, list] of Object.entries(expressions) as [Sign, string][]) {
    for (const expression of list.split(',')) {
      const words = expression.trim().split(' ');
      const [first = ''] = words;
      byFirst.set(first, [...(byFirst.get(first) ?? []), { words, sign }]);
    }
  }
  for (const phrases of byFirst.values()) phrases.sort((a, b) => b.words.length - a.words.length);

  return {
    find(tokens: readonly Token[]): FoundPhrase<Sign>[] {
      const found: FoundPhrase<Sign>[] = [];
      for (let index = 0; index < tokens.length; index++) {
        const phrase = byFirst
          .get(tokens[index]?.normal ?? '')
          ?.find(({ words }) => words.every((word, offset) => tokens[index + offset]?.normal === word));
        const [first, last] = phrase ? [tokens[index], tokens[index + phrase.words.length - 1]] : [];
        if (!phrase || !first || !last) continue;
        const label = phrase.words.join(' ');
        found.push({ label, sign: phrase.sign, start: first.start, end: last.end, isFirst: index === 0 });
        index += phrase.words.length - 1;
      }
      return found;
    },
  };
}
