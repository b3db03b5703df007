import type { Sentence } from './sentences.ts';

/**
 * In English, a third to a half of all words are among these; in other languages, words that look the same (`die`,
 * `in`, `was`) are a tenth at most.
 */
const FUNCTION_WORDS = new Set(
  (
    'the be is are was were been am to of and a an in that have has had it for not on with he she as you do did at this ' +
    'but his her by from they we say or will my one all would there their what so up out if about who get which go me ' +
    'when make can like no him just them your than then its our these those over because could should i us how where ' +
    "why n't 's very into more some only other"
  ).split(' '),
);
const [NONE, ALL] = [0.15, 0.3];

/** Measures how much of a text is English: from 0 to 1. */
export function createEnglishMeter() {
  let [words, known] = [0, 0];
  return {
    read(sentence: Sentence): void {
      words += sentence.words.length;
      for (const { normal } of sentence.words) if (FUNCTION_WORDS.has(normal)) known += 1;
    },
    share(): number {
      if (words === 0) return 0;
      return Math.min(1, Math.max(0, (known / words - NONE) / (ALL - NONE)));
    },
  };
}
