import { normalForm } from '../../../src/contract/normal-form.ts';

/** A text node and its text, or a formula and its linear form. */
export interface TextRun<Node> {
  node: Node;
  text: string;
  /** The range of a formula: it is marked as a whole. */
  whole?: TextRange<Node>;
}

/** A range of the page, as the DOM has it: the offset is a character of a text node, or a child of an element. */
interface TextRange<Node> {
  start: { node: Node; offset: number };
  end: { node: Node; offset: number };
}

/** The part of the DOM that is used here. */
export interface PageNode {
  nodeType: number;
  nodeName: string;
  nodeValue: string | null;
  firstChild: PageNode | null;
  nextSibling: PageNode | null;
  parentNode: PageNode | null;
  namespaceURI?: string | null;
  getAttribute?(name: string): string | null;
}

const TEXT = 3;
const ELEMENT = 1;
const HTML = 'http://www.w3.org/1999/xhtml';
/** Elements whose text is not in the canonical text. */
const SILENT = new Set('HEAD NOEMBED NOFRAMES SCRIPT STYLE TEMPLATE TITLE TEXTAREA'.split(' '));

/** Returns the readable text nodes and formulas of an element, in order. Not recursive, because documents may be nested very deep. */
export function textRunsIn<Node extends PageNode>(root: Node): TextRun<Node>[] {
  const runs: TextRun<Node>[] = [];
  let node: PageNode | null = root.firstChild;
  while (node && node !== root) {
    if (node.nodeType === TEXT) runs.push({ node: node as Node, text: node.nodeValue ?? '' });
    const formula = formulaIn(node);
    if (formula !== undefined)
      runs.push({ node: node as Node, text: formula, whole: rangeAround(node as Node) });
    else if (node.firstChild && isReadable(node)) {
      node = node.firstChild;
      continue;
    }
    while (node && node !== root && !node.nextSibling) node = node.parentNode;
    if (node && node !== root) node = node.nextSibling;
  }
  return runs;
}

/** Returns the linear form of a formula; undefined for any other node. */
function formulaIn(node: PageNode): string | undefined {
  if (node.nodeType !== ELEMENT || node.nodeName.toUpperCase() !== 'MATH') return undefined;
  return node.getAttribute?.('alttext') ?? '';
}

/** Returns the range from before a node to after it. */
function rangeAround<Node extends PageNode>(node: Node): TextRange<Node> {
  const parent = node.parentNode as Node;
  let offset = 0;
  for (let child = parent.firstChild; child && child !== node; child = child.nextSibling) offset += 1;
  return { start: { node: parent, offset }, end: { node: parent, offset: offset + 1 } };
}

function isReadable(element: PageNode): boolean {
  if (element.nodeType !== ELEMENT || SILENT.has(element.nodeName.toUpperCase())) return false;
  if (element.namespaceURI && element.namespaceURI !== HTML) return false;
  return element.getAttribute?.('hidden') == null && element.getAttribute?.('aria-hidden') !== 'true';
}

/**
 * Creates a function that maps a range of the canonical text to a range of the page. Both have the same letters in the same
 * order, and differ only in white space and Unicode composition, so decomposed letters are counted. Returns undefined when
 * the text on the page is not the same. With `isReordered`, the text of the range is then looked for: the lines of a PDF
 * page may be in another order, and it may have headers.
 */
export function createRangeFinder<Node>(
  runs: readonly TextRun<Node>[],
  canonicalText: string,
  { isReordered = false } = {},
) {
  const before = lettersBefore(canonicalText);
  const starts: number[] = [];
  let letters = 0;
  for (const { text } of runs) {
    starts.push(letters);
    letters += countLetters(text);
  }

  /** Finds the character that contains a letter. */
  function characterAt(letter: number): { run: number; offset: number; size: number } | undefined {
    const run = lastAtMost(starts, letter);
    const { text } = runs[run] ?? { text: '' };
    let count = starts[run] ?? 0;
    for (let offset = 0; offset < text.length; ) {
      const size = sizeAt(text, offset);
      count += lettersAt(text, offset);
      if (count > letter) return { run, offset, size };
      offset += size;
    }
    return undefined;
  }

  /** The letters of the page, decomposed. The index of each is its number. */
  let pageLetters: string | undefined;

  /** Finds the letters of a range elsewhere on the page: the same occurrence of its text as in the canonical text. */
  function findElsewhere(start: number, end: number): { first: number; last: number } | undefined {
    const wanted = spelled(canonicalText.slice(start, end));
    if (wanted.length > LONGEST_SOUGHT) return undefined;
    pageLetters ??= spelled(runs.map(({ text }) => text).join(''));
    const earlier = spelled(canonicalText.slice(0, start)).split(wanted).length - 1;
    const found = [...pageLetters.matchAll(dividedAnywhere(wanted))];
    const match = found[Math.min(earlier, found.length - 1)];
    return match && { first: match.index, last: match.index + match[0].length - 1 };
  }

  function rangeOf(first: number, last: number): { text: string; range: TextRange<Node> } | undefined {
    const [from, to] = [characterAt(first), characterAt(last)];
    const [startRun, endRun] = [runs[from?.run ?? -1], runs[to?.run ?? -1]];
    if (!from || !to || !startRun || !endRun) return undefined;
    const stop = to.offset + to.size;
    const parts = runs.slice(from.run, to.run + 1).map(({ text }, index, all) => {
      const isLast = index === all.length - 1;
      return text.slice(index === 0 ? from.offset : 0, isLast ? stop : text.length);
    });
    const range = {
      start: startRun.whole?.start ?? { node: startRun.node, offset: from.offset },
      end: endRun.whole?.end ?? { node: endRun.node, offset: stop },
    };
    return { text: parts.join(''), range };
  }

  return (start: number, end: number): TextRange<Node> | undefined => {
    if (!(start >= 0 && start < end && end <= canonicalText.length)) return undefined;
    const [first, last] = [before[start] ?? 0, (before[end] ?? 0) - 1];
    if (last < first) return undefined;
    const expected = rangeOf(first, last);
    if (expected && bare(expected.text) === bare(canonicalText.slice(start, end))) return expected.range;
    const elsewhere = isReordered ? findElsewhere(start, end) : undefined;
    return elsewhere && rangeOf(elsewhere.first, elsewhere.last)?.range;
  };
}

/** A range of the canonical text. */
export interface Span {
  start: number;
  end: number;
}

/**
 * Creates a function that maps letters of the page to a range of the canonical text: the inverse of `createRangeFinder`.
 * `first` and `end` are the numbers of letters before the range and up to its end. White space at the ends is left out.
 * Returns undefined for a range without letters, and when the text on the page is not the same.
 */
export function createSpanFinder<Node>(
  runs: readonly TextRun<Node>[],
  canonicalText: string,
  { isReordered = false } = {},
) {
  const before = lettersBefore(canonicalText);
  const pageLetters = spelled(runs.map(({ text }) => text).join(''));
  const canonicalLetters = spelled(canonicalText);

  /** The offset of the character that contains a letter. */
  const startOf = (letter: number) => {
    const offset = lastAtMost(before, letter);
    return sizeAt(canonicalText, offset - 1) === 2 ? offset - 1 : offset;
  };
  const spanOf = (first: number, end: number): Span | undefined => {
    const [start, last] = [startOf(first), startOf(end - 1)];
    return last < start ? undefined : { start, end: last + sizeAt(canonicalText, last) };
  };

  return (first: number, end: number): Span | undefined => {
    const wanted = pageLetters.slice(first, end);
    if (wanted === '') return undefined;
    if (canonicalLetters.startsWith(wanted, first)) return spanOf(first, end);
    if (!isReordered) return undefined;
    const earlier = pageLetters.slice(0, first).split(wanted).length - 1;
    let index = canonicalLetters.indexOf(wanted);
    for (let count = 0; count < earlier && index >= 0; count++) {
      const next = canonicalLetters.indexOf(wanted, index + 1);
      if (next < 0) break;
      index = next;
    }
    return index < 0 ? undefined : spanOf(index, index + wanted.length);
  };
}

/** The number of letters before a position: a text node and an offset in it, or a run before which it is. */
export function lettersUpTo<Node>(runs: readonly TextRun<Node>[], run: number, offset: number): number {
  const text = runs[run]?.text ?? '';
  const whole = runs.slice(0, run).reduce((sum, one) => sum + countLetters(one.text), 0);
  return whole + countLetters(text.slice(0, offset));
}

/** Longer ranges are looked for only where they should be. */
const LONGEST_SOUGHT = 500;

/** The letters of a text, decomposed. */
function spelled(text: string): string {
  return normalForm(text.replace(SPACES, ''), 'NFD');
}

/** Matches letters that a hyphen may divide anywhere, as at the end of a line. */
function dividedAnywhere(letters: string): RegExp {
  const escaped = [...letters].map((letter) => letter.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&'));
  return new RegExp(escaped.join('[-\\u00ad\\u2010]?'), 'gu');
}

/** White space as in the canonical text, and NUL, which it drops. */
const SPACE = /[\s\u0085\0]/;
const SPACES = /[\s\u0085\0]+/g;

function bare(text: string): string {
  return normalForm(text.replace(SPACES, ''));
}

function sizeAt(text: string, offset: number): number {
  return (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
}

/** The number of decomposed letters of a character: 0 for white space, 2 for é. */
function lettersAt(text: string, offset: number): number {
  const code = text.codePointAt(offset) ?? 0;
  if (code > 0x20 && code < 0x7f) return 1;
  const character = String.fromCodePoint(code);
  return SPACE.test(character) ? 0 : normalForm(character, 'NFD').length;
}

function countLetters(text: string): number {
  let count = 0;
  for (let offset = 0; offset < text.length; offset += sizeAt(text, offset)) count += lettersAt(text, offset);
  return count;
}

/** The number of letters before every offset of the text. */
function lettersBefore(text: string): Uint32Array {
  const before = new Uint32Array(text.length + 1);
  let count = 0;
  for (let offset = 0; offset < text.length; ) {
    const size = sizeAt(text, offset);
    before.fill(count, offset, offset + size);
    count += lettersAt(text, offset);
    offset += size;
  }
  before[text.length] = count;
  return before;
}

/** The index of the last of ascending numbers that is at most `wanted`. */
function lastAtMost(numbers: ArrayLike<number>, wanted: number): number {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((numbers[middle] ?? 0) <= wanted) low = middle;
    else high = middle - 1;
  }
  return low;
}
