const WORDS_PER_MINUTE = 220;

const WORD = /[\p{L}\p{N}]+(?:['’.,-][\p{L}\p{N}]+)*/gu;

/**
 * Scripts without spaces between words, and the mean number of letters of a word. Finding the words needs a dictionary
 * (`Intl.Segmenter`), which took longer than the rest of the extraction.
 */
const UNSPACED: [RegExp, number][] = [
  [/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu, 2],
  [/[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu, 5],
];

/** Counts the words of a text, precisely enough for a reader. */
export function countWords(text: string): number {
  let unspaced = 0;
  let spaced = text;
  for (const [letter, perWord] of UNSPACED) {
    const count = spaced.match(letter)?.length ?? 0;
    if (count === 0) continue;
    unspaced += count / perWord;
    spaced = spaced.replace(letter, ' ');
  }
  return Math.round(unspaced) + (spaced.match(WORD)?.length ?? 0);
}

export function readingMinutes(words: number): number {
  return Math.ceil(words / WORDS_PER_MINUTE);
}
