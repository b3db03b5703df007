import { normalForm } from '../../contract/normal-form.ts';
/**
 * The syntax of patterns. Letters match whatever their case.
 *
 *     abc  .  \d \w \s \b  [a-z_]  [^0-9]  (a|b)  x?  x*  x+  x{2}  x{2,5}  \.
 *
 * Constructs that need backtracking (back-references, lookaround) are not part of it.
 */

export type Fits = (character: number) => boolean;

export type Node =
  | { kind: 'empty' }
  | { kind: 'edge' }
  | { kind: 'take'; fits: Fits }
  | { kind: 'sequence'; parts: Node[] }
  | { kind: 'either'; options: Node[] }
  | { kind: 'repeat'; part: Node; least: number; most: number };

export class PatternError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PatternError';
  }
}

const MOST_REPEATS = 100;

const CLASSES: Record<string, Fits> = {
  d: (c) => (c < 0x80 ? c >= 0x30 && c <= 0x39 : /\p{Nd}/u.test(String.fromCodePoint(c))),
  s: (c) => /\s/u.test(String.fromCodePoint(c)),
  w: isWordCharacter,
};

export function isWordCharacter(character: number): boolean {
  if (character < 0x80) {
    const isLetter = (character | 0x20) >= 0x61 && (character | 0x20) <= 0x7a;
    return isLetter || (character >= 0x30 && character <= 0x39) || character === 0x5f;
  }
  return /[\p{L}\p{N}\p{M}]/u.test(String.fromCodePoint(character));
}

/** Returns a character in the form that is compared, without case. */
function fold(character: number): number {
  if (character < 0x80) return character >= 0x41 && character <= 0x5a ? character + 0x20 : character;
  const lower = String.fromCodePoint(character).toLowerCase();
  return lower.codePointAt(0) ?? character;
}

export const parsePattern = (pattern: string): Node => new Parser(pattern).parse();

class Parser {
  readonly #characters: string[];
  #at = 0;

  constructor(pattern: string) {
    this.#characters = [...normalForm(pattern)];
  }

  parse(): Node {
    const node = this.#either();
    if (this.#at < this.#characters.length) throw new PatternError('a ) has no matching (');
    return node;
  }

  #peek(): string | undefined {
    return this.#characters[this.#at];
  }

  #takeIf(wanted: string): boolean {
    if (this.#peek() !== wanted) return false;
    this.#at += 1;
    return true;
  }

  #next(missing: string): string {
    const character = this.#characters[this.#at];
    if (character === undefined) throw new PatternError(missing);
    this.#at += 1;
    return character;
  }

  #either(): Node {
    const options = [this.#sequence()];
    while (this.#takeIf('|')) options.push(this.#sequence());
    const [only] = options;
    return options.length === 1 && only ? only : { kind: 'either', options };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')'; next = this.#peek()) {
      parts.push(this.#repeated(this.#atom()));
    }
    return parts.length === 0 ? { kind: 'empty' } : { kind: 'sequence', parts };
  }

  #atom(): Node {
    const character = this.#next('it ends too early');
    if (character === '(') return this.#group();
    if (character === '[') return { kind: 'take', fits: this.#set() };
    if (character === '.') return { kind: 'take', fits: (c) => c !== 0x0a };
    if (character === '\\') return this.#escape();
    if ('*+?{'.includes(character)) throw new PatternError(`${character} has nothing to repeat`);
    if ('^$'.includes(character))
      throw new PatternError(`${character} is not supported; write \\${character}`);
    return { kind: 'take', fits: literal(character) };
  }

  #group(): Node {
    if (this.#peek() === '?') {
      this.#at += 1;
      if (!this.#takeIf(':')) throw new PatternError('groups that start with (? are not supported');
    }
    const inside = this.#either();
    if (!this.#takeIf(')')) throw new PatternError('a ( is not closed');
    return inside;
  }

  #escape(): Node {
    const character = this.#next('a \\ stands at the end');
    if (character === 'b') return { kind: 'edge' };
    return { kind: 'take', fits: escaped(character) };
  }

  #set(): Fits {
    const isNegated = this.#takeIf('^');
    const fits: Fits[] = [];
    while (!this.#takeIf(']')) fits.push(this.#member());
    if (fits.length === 0) throw new PatternError('a [ ] is empty');
    return (character) => fits.some((accepts) => accepts(character)) !== isNegated;
  }

  #member(): Fits {
    const first = this.#next('a [ is not closed');
    if (first === '\\') return escaped(this.#next('a [ is not closed'));
    const hasRange = this.#peek() === '-' && this.#characters[this.#at + 1] !== ']';
    if (!hasRange) return literal(first);
    this.#at += 1;
    const last = this.#next('a [ is not closed');
    const [from, to] = [codeOf(first), codeOf(last)];
    if (last === '\\' || from > to) throw new PatternError(`the range ${first}-${last} is out of order`);
    // A range of capital letters also matches small ones, and the other way round.
    return (c) => [c, fold(c), raise(c)].some((form) => form >= from && form <= to);
  }

  #repeated(part: Node): Node {
    const bounds = this.#bounds();
    if (!bounds) return part;
    if (this.#bounds()) throw new PatternError('a repetition cannot be repeated; put it into ( )');
    return { kind: 'repeat', part, ...bounds };
  }

  #bounds(): { least: number; most: number } | undefined {
    if (this.#takeIf('?')) return { least: 0, most: 1 };
    if (this.#takeIf('*')) return { least: 0, most: Number.POSITIVE_INFINITY };
    if (this.#takeIf('+')) return { least: 1, most: Number.POSITIVE_INFINITY };
    if (!this.#takeIf('{')) return undefined;
    let inside = '';
    for (let next = this.#next('a { is not closed'); next !== '}'; next = this.#next('a { is not closed'))
      inside += next;
    const [, from, comma, to] = /^(\d{1,3})(,?)(\d{0,3})$/.exec(inside) ?? [];
    if (from === undefined) throw new PatternError(`{${inside}} is not a number of repetitions`);
    const least = Number(from);
    const most = to ? Number(to) : comma ? Number.POSITIVE_INFINITY : least;
    const isPossible = most >= least && most > 0 && (to || !comma ? most : least) <= MOST_REPEATS;
    if (!isPossible) throw new PatternError(`{${inside}} takes numbers up to ${MOST_REPEATS}, in order`);
    return { least, most };
  }
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

function raise(character: number): number {
  return String.fromCodePoint(character).toUpperCase().codePointAt(0) ?? character;
}

function literal(character: string): (other: number) => boolean {
  const wanted = fold(codeOf(character));
  return (other) => fold(other) === wanted;
}

function escaped(character: string): (other: number) => boolean {
  const inClass = CLASSES[character.toLowerCase()];
  if (inClass && /[dsw]/.test(character)) return inClass;
  if (inClass) return (other) => !inClass(other);
  if (character === 'n') return (other) => other === 0x0a;
  if (character === 't') return (other) => other === 0x09;
  if (/[\p{L}\p{N}]/u.test(character)) throw new PatternError(`\\${character} is not supported`);
  return literal(character);
}
