const WORDS_PER_MINUTE = 220;

/** Scripts that put no space between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORD = /[\p{L}\p{N}]+(?:['’.,-][\p{L}\p{N}]+)*/gu;

/** How many words a text has. Only scripts without spaces need the dictionary, which is fifty times slower. */
export function countWords(text: string): number {
  if (!UNSPACED.test(text)) return text.match(WORD)?.length ?? 0;
  let count = 0;
  for (const { isWordLike } of new Intl.Segmenter('und', { granularity: 'word' }).segment(text)) {
    if (isWordLike) count += 1;
  }
  return count;
}

export function readingMinutes(words: number): number {
  return Math.ceil(words / WORDS_PER_MINUTE);
}
