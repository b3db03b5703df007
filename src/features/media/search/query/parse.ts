import { NexusError } from '../../../../contract/errors.ts';
import { MAX_QUERY } from '../../../../contract/wire.ts';
import { CONDITION_NAMES, conditionNamed, readCondition } from './conditions.ts';
import { combine, type Query } from './tree.ts';
import { isUnfinishedWord } from './words.ts';

const MOST_TERMS = 50;
const MOST_DEPTH = 20;

export interface ParseOptions {
  /** Whether the last word is complete. Otherwise it may be the beginning of a word, because people search while they type. */
  lastWordIsWhole?: boolean | undefined;
}

/** Phones write curly quotation marks. */
const QUOTE = /["“”„]/;
const SPACE = /\s/;

/**
 * Parses a query, by recursive descent:
 *
 *     any   = all { "or" all }
 *     all   = term { term }
 *     term  = "-" term | "(" any ")" | name ":" value | quoted | word
 *     value = quoted | word
 *
 * Words without a letter or digit are left out. A quotation mark that is not closed goes to the end. Throws
 * `E_INVALID_QUERY` with the position of the mistake, in UTF-16 code units.
 */
export function parseQuery(text: string, { lastWordIsWhole = false }: ParseOptions = {}): Query {
  let at = 0;
  let terms = 0;
  let depth = 0;

  if (text.length > MAX_QUERY) refuse(MAX_QUERY, `A query has at most ${MAX_QUERY} characters.`);

  function skipSpace(): void {
    while (SPACE.test(text[at] ?? '')) at += 1;
  }

  /** Whether the word `or` is next. */
  function isOr(): boolean {
    return /^or(?=\s|[()"“”„]|$)/i.test(text.slice(at, at + 3));
  }

  /** Calls `read` one level deeper. */
  function nested<T>(start: number, read: () => T): T {
    depth += 1;
    if (depth > MOST_DEPTH)
      refuse(start, `Parentheses and minus signs may be nested ${MOST_DEPTH} levels deep.`);
    const result = read();
    depth -= 1;
    return result;
  }

  function readAny(): Query | undefined {
    const parts: Query[] = [];
    for (;;) {
      const part = readAll();
      if (part) parts.push(part);
      if (!isOr()) return combine('any', parts);
      const start = at;
      at += 2;
      skipSpace();
      if (at === text.length || text[at] === ')' || isOr())
        refuse(start, 'Something must follow “or”. To search for the word itself, write "or".');
    }
  }

  function readAll(): Query | undefined {
    const parts: Query[] = [];
    const start = at;
    for (skipSpace(); at < text.length && text[at] !== ')'; skipSpace()) {
      if (isOr()) {
        if (at === start || text.slice(start, at).trim() === '')
          refuse(at, 'Something must come before “or”. To search for the word itself, write "or".');
        break;
      }
      const part = readTerm();
      if (part) parts.push(part);
    }
    return combine('all', parts);
  }

  function readTerm(): Query | undefined {
    const start = at;
    if (text[at] === '-' && /^-[\p{L}\p{N}("“”„]/u.test(text.slice(at, at + 3))) {
      at += 1;
      const of = nested(start, readTerm);
      return of && { type: 'not', of };
    }
    if (text[at] === '(') return nested(start, readGroup);
    const name = /^(\p{L}+):/u.exec(text.slice(at, at + 40))?.[1];
    if (name !== undefined) {
      const condition = readNamed(name, start);
      if (condition) return condition;
    }
    if (QUOTE.test(text[at] ?? '')) return toWords(readQuoted(), start, true);
    return toWords(readWord(), start, false);
  }

  function readGroup(): Query | undefined {
    const start = at;
    at += 1;
    skipSpace();
    if (text[at] === ')') refuse(start, 'There is nothing between these parentheses.');
    const inside = readAny();
    if (text[at] !== ')') refuse(start, 'This parenthesis is not closed.');
    at += 1;
    return inside;
  }

  /** Reads a condition. Undefined if it is a word that contains a colon, such as an address or the start of a title. */
  function readNamed(given: string, start: number): Query | undefined {
    const end = start + given.length + 1;
    const name = conditionNamed(given);
    const next = text[end];
    if (!name) {
      if (next === undefined || SPACE.test(next) || text.startsWith('//', end) || next === ')')
        return undefined;
      const known = CONDITION_NAMES.map((one) => `${one}:`).join(', ');
      refuse(
        start,
        `There is no ${given}: here. Nexus knows ${known}. To search for the words, put them in quotation marks.`,
      );
    }
    at = end;
    const value = QUOTE.test(next ?? '') ? readQuoted() : readWord();
    countTerm(start);
    const condition = readCondition(name, value);
    if (typeof condition === 'string') refuse(value === '' ? start : end, condition);
    return condition;
  }

  /** Reads to the closing quotation mark. A backslash keeps the quotation mark or backslash after it. */
  function readQuoted(): string {
    let read = '';
    for (at += 1; at < text.length; at += 1) {
      const next = text[at + 1] ?? '';
      if (text[at] === '\\' && (next === '\\' || QUOTE.test(next))) at += 1;
      else if (QUOTE.test(text[at] ?? '')) break;
      read += text[at];
    }
    at += 1;
    at = Math.min(at, text.length);
    return read;
  }

  /** Reads to a space, a quotation mark, or a parenthesis that is closed but not opened in it. */
  function readWord(): string {
    const start = at;
    let open = 0;
    for (; at < text.length; at += 1) {
      const character = text[at] ?? '';
      if (SPACE.test(character) || QUOTE.test(character)) break;
      if (character === '(') open += 1;
      if (character === ')' && --open < 0) break;
    }
    return text.slice(start, at);
  }

  function toWords(given: string, start: number, isPhrase: boolean): Query | undefined {
    if (!/[\p{L}\p{N}]/u.test(given)) return undefined;
    countTerm(start);
    const isUnfinished =
      !lastWordIsWhole &&
      !isPhrase &&
      at === text.length &&
      text[start - 1] !== '-' &&
      isUnfinishedWord(given);
    return { type: 'words', text: given, isPhrase, isUnfinished };
  }

  function countTerm(start: number): void {
    terms += 1;
    if (terms > MOST_TERMS) refuse(start, `A query has at most ${MOST_TERMS} words and conditions.`);
  }

  const query = readAny();
  if (at < text.length) refuse(at, 'This parenthesis closes nothing.');
  return query ?? { type: 'none' };
}

function refuse(position: number, message: string): never {
  throw new NexusError('E_INVALID_QUERY', message, { details: { position } });
}
