import type { TextRange } from '../../media/text/text-range.ts';
import type { Token } from '../sentences.ts';

/** Matches one displayed emoji: with skin tone, joined parts, or the two letters of a flag. */
const EMOJI =
  /\p{RI}\p{RI}|\p{Extended_Pictographic}(?:\uFE0F|\p{EMod})*(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{EMod})*)*/gu;
const PART = /^(?:\p{Extended_Pictographic}|\p{RI}|\p{EMod}|\u200D|\uFE0F)/u;

export interface Emoji extends TextRange {
  text: string;
}

/** Joins adjacent tokens first, because the tokeniser splits joined emoji. */
export function emojiOf(tokens: readonly Token[]): Emoji[] {
  const found: Emoji[] = [];
  let run = { text: '', start: 0, end: 0 };
  const close = () => {
    for (const { 0: text, index } of run.text.matchAll(EMOJI))
      found.push({ text, start: run.start + index, end: run.start + index + text.length });
    run = { text: '', start: 0, end: 0 };
  };
  for (const { text, start, end, isWord } of tokens) {
    if (run.text !== '' && start !== run.end) close();
    if (isWord || !PART.test(text)) close();
    else run = run.text === '' ? { text, start, end } : { text: run.text + text, start: run.start, end };
  }
  close();
  return found;
}
