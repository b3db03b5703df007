import { QUOTE_CONTEXT } from '../../contract/highlights.ts';

/** A passage and the characters around it. */
export interface Quote {
  exact: string;
  prefix: string;
  suffix: string;
}

/** A range of a fragment's canonical text, in UTF-16 code units. */
export interface Range {
  start: number;
  end: number;
}

/** Quotes a range of a text. The context never begins or ends within a character. */
export function quoteAt(text: string, { start, end }: Range): Quote {
  const from = Math.max(0, start - QUOTE_CONTEXT);
  const to = Math.min(text.length, end + QUOTE_CONTEXT);
  return {
    exact: text.slice(start, end),
    prefix: text.slice(splitsCharacter(text, from) ? from + 1 : from, start),
    suffix: text.slice(end, splitsCharacter(text, to) ? to - 1 : to),
  };
}

/** Whether a range begins or ends within a character. */
export function cutsCharacter(text: string, { start, end }: Range): boolean {
  return splitsCharacter(text, start) || splitsCharacter(text, end);
}

/** Whether an offset is between the two halves of a surrogate pair. */
function splitsCharacter(text: string, offset: number): boolean {
  return isIn(text.charCodeAt(offset - 1), 0xd800) && isIn(text.charCodeAt(offset), 0xdc00);
}

const isIn = (code: number, first: number) => code >= first && code < first + 0x400;
