import { normalForm } from '../../../contract/normal-form.ts';
import type { TextMatch } from '../../../contract/search.ts';
import { beginningOf, findPassages, type Passage } from './passages.ts';
import { phrasePattern, wordPattern } from './pattern.ts';

interface PassagesTask {
  /** The pieces of each hit's text, in reading order. */
  hits: string[][];
  words: string[];
  most: number;
}

/** A passage and the index of its piece. */
type PiecePassage = Passage & { piece: number };

interface MatchesTask {
  fragments: { idx: number; canonical_text: string }[];
  sought: { phrase: string } | { words: string[] };
  /** Only later matches are wanted. */
  after: Pick<TextMatch, 'fragment_idx' | 'start'> | null;
  most: number;
}

/** The tasks of search, which run in text processes. */
export const searchWork = {
  /** Finds the best passages of each hit. A hit without any has the beginning of its text, with no words. */
  'search.passages'({ hits, words, most }: PassagesTask): PiecePassage[][] {
    return hits.map((pieces) => {
      const found = pieces.flatMap((text, piece) =>
        findPassages(text, words, most).map((passage) => ({ ...passage, piece })),
      );
      const beginning = beginningOf(pieces[0] ?? '');
      if (found.length === 0)
        return beginning.length === 0 ? [] : [{ snippet: beginning, offset: 0, words: 0, piece: 0 }];
      // The sort is stable: equals stay in reading order, with headings of a piece first.
      return found.sort((a, b) => b.words - a.words).slice(0, most);
    });
  },

  /** Finds all matches in the texts of fragments, in order. */
  'search.matches'({ fragments, sought, after, most }: MatchesTask): TextMatch[] {
    const pattern = 'phrase' in sought ? phrasePattern(sought.phrase) : wordPattern(sought.words);
    const found: TextMatch[] = [];
    if (!pattern) return found;
    for (const { idx, canonical_text } of fragments) {
      let lineStart = 0;
      for (const line of canonical_text.split('\n')) {
        const spelled = normalForm(line, 'NFD');
        for (const { index, 0: match } of spelled.matchAll(pattern)) {
          const start = lineStart + composedIndex(line, spelled, index);
          if (after?.fragment_idx === idx && start <= after.start) continue;
          const end = lineStart + composedIndex(line, spelled, index + match.length);
          found.push({ fragment_idx: idx, start, end });
          if (found.length === most) return found;
        }
        lineStart += line.length + 1;
      }
    }
    return found;
  },
};

/** The index in a line of an index in its decomposed form. */
function composedIndex(line: string, spelled: string, index: number): number {
  return line.length === spelled.length ? index : normalForm(spelled.slice(0, index)).length;
}
