const WORDS_PER_MINUTE = 220;

/**
 * Matches the first letter of each word. Vowel signs and accents (`\p{M}`), as in Hindi, and the joiners of Persian continue a
 * word, and so does one mark between letters, as in `don't`. Matching whole words overflows the stack on a long `a.a.a.a…`.
 */
const WORD_START = /(?<![\p{L}\p{N}\p{M}\u200c\u200d]['’.,-]?)[\p{L}\p{N}]/gu;

/**
 * Scripts without spaces between words, and their average number of letters per word. Finding the actual words needs a
 * dictionary (`Intl.Segmenter`), which took longer than the rest of an extraction.
 */
const UNSPACED: [RegExp, number][] = [
  [/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu, 2],
  [/[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu, 5],
];

/** Returns the approximate number of words. */
export function countWords(text: string): number {
  let unspaced = 0;
  let spaced = text;
  for (const [letter, perWord] of UNSPACED) {
    const count = spaced.match(letter)?.length ?? 0;
    if (count === 0) continue;
    unspaced += count / perWord;
    spaced = spaced.replace(letter, ' ');
  }
  return Math.round(unspaced) + (spaced.match(WORD_START)?.length ?? 0);
}

export function readingMinutes(words: number): number {
  return Math.ceil(words / WORDS_PER_MINUTE);
}
