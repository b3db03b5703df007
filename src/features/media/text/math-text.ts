import { plainLetters } from './math-letters.ts';

/** An element of a sanitised formula. A token element has text, any other has children. */
export interface MathNode {
  name: string;
  attributes: [string, string][];
  text: string;
  children: MathNode[];
}

/** A piece of a row. `big` is an operator such as ∑ with its limits: it applies to what follows. */
interface Item {
  text: string;
  kind: 'operand' | 'script' | 'big' | 'fraction' | 'open' | 'close' | 'operator' | 'separator' | 'space';
}

const OPEN = /^[([{⟨⌈⌊〈]$/;
const CLOSE = /^[)\]}⟩⌉⌋〉]$/;
const BAR = /^[|‖∣∥]$/;
const POSTFIX = /^([!′″‴⁗'%°]|!!)$/;
const BIG = /^[∑∏∐∫∬∭∮⋃⋂⨁⨂⨄⋁⋀]$|^(lim|max|min|sup|inf|limsup|liminf|argmax|argmin)$/;
const DOTS = /^[.…⋯⋮⋱∞∅]+$/;
const PRIMES = /^[′″‴⁗'’]+$/;
/** Relations at which equations are aligned. */
const RELATION = /^([=<>≤≥≠≈≡∼≃≅→⇒⇔∈⊂⊆])\s*/;

/** Combining marks for accents above a letter. */
const ACCENTS: Record<string, string> = {
  '^': '\u0302',
  ˆ: '\u0302',
  '\u0302': '\u0302',
  '~': '\u0303',
  '˜': '\u0303',
  '∼': '\u0303',
  '\u0303': '\u0303',
  '¯': '\u0304',
  ˉ: '\u0304',
  '‾': '\u0304',
  '\u0305': '\u0304',
  '˙': '\u0307',
  '.': '\u0307',
  '¨': '\u0308',
  '→': '\u20d7',
  '⃗': '\u20d7',
};
/** Braces and lines that group what they stand at. */
const BRACES = /^[⏞⏟︷︸⎴⎵_]$/;
const ROOTS: Record<string, string> = { 3: '∛', 4: '∜' };

/** Returns the linear form of a formula, which is searched, quoted and read aloud: `x^2`, `(a+b)/2`, `∑_(i=1)^n`. */
export function linearForm(nodes: MathNode[]): string {
  return join(itemsOf(nodes), true).replace(/\s+/g, ' ').trim();
}

/** Returns the items of a row. Rows within it are part of it. */
function itemsOf(nodes: MathNode[]): Item[] {
  const flat = nodes.flatMap(withoutRows);
  const items: Item[] = [];
  for (let index = 0; index < flat.length; index++) {
    const node = flat[index];
    if (!node) continue;
    if (node.name === 'mtable') {
      const opener = items.at(-1);
      const closer = flat[index + 1];
      const isFenced = opener !== undefined && (opener.kind === 'open' || BAR.test(opener.text));
      const isMatrix = isFenced && /^[([]$/.test(opener.text) && /^[)\]]$/.test(closer?.text ?? '');
      if (isMatrix) {
        items.pop();
        index += 1;
      }
      items.push({ text: tableText(node, isFenced && !isMatrix, isMatrix), kind: 'operand' });
    } else {
      const item = itemOf(node);
      if (item) items.push(item);
    }
  }
  return items;
}

const ROWS = new Set(['mrow', 'mstyle', 'mpadded', 'merror', 'mtd', 'mtr']);

function withoutRows(node: MathNode): MathNode[] {
  return ROWS.has(node.name) ? node.children.flatMap(withoutRows) : [node];
}

function itemOf(node: MathNode): Item | undefined {
  const { name, children } = node;
  const text = plainLetters(node.text).replace(/\s+/g, ' ');
  if (name === 'mo') return operatorOf(text, node);
  if (name === 'mspace') return isWide(node) ? { text: ' ', kind: 'space' } : undefined;
  if (name === 'ms') return { text: `"${text}"`, kind: 'operand' };
  if (name === 'mi' && BIG.test(text)) return { text, kind: 'big' };
  if (name === 'mi' || name === 'mn' || name === 'mtext')
    return text === '' ? undefined : { text, kind: 'operand' };
  if (name === 'mfrac') return fractionOf(node);
  if (name === 'msqrt') return { text: `√${scriptText(itemsOf(children))}`, kind: 'script' };
  if (name === 'mroot') {
    const [base, index] = children as [MathNode, MathNode];
    const degree = scriptText(itemsOf([index]));
    return { text: `${ROOTS[degree] ?? `^${degree}√`}${scriptText(itemsOf([base]))}`, kind: 'script' };
  }
  if (name === 'mmultiscripts') return multiscriptsOf(children);
  if (name === 'mphantom' || name === 'none' || name === 'mprescripts') return undefined;
  return scriptsOf(node);
}

function operatorOf(text: string, node: MathNode): Item | undefined {
  const form = node.attributes.find(([key]) => key === 'form')?.[1];
  // Function application.
  if (text === '\u2061') return { text: ' ', kind: 'space' };
  if (text === '' || /^[\u2062-\u2064\u200b]+$/.test(text)) return undefined;
  if (OPEN.test(text) || (BAR.test(text) && form === 'prefix')) return { text, kind: 'open' };
  if (CLOSE.test(text) || POSTFIX.test(text) || (BAR.test(text) && form === 'postfix'))
    return { text, kind: 'close' };
  if (BIG.test(text)) return { text, kind: 'big' };
  if (text === ',' || text === ';') return { text, kind: 'separator' };
  if (BAR.test(text) || DOTS.test(text) || /^\p{L}+$/u.test(text)) return { text, kind: 'operand' };
  return { text, kind: 'operator' };
}

/** Whether a space is wider than nothing. */
function isWide(node: MathNode): boolean {
  return node.attributes.some(
    ([key, value]) => key === 'width' && /^\+?(\d*\.?\d*[1-9]|[1-9]|very|thin|medium|thick)/.test(value),
  );
}

function fractionOf({ children, attributes }: MathNode): Item {
  const [over, under] = children as [MathNode, MathNode];
  const isBinomial = attributes.some(([key, value]) => key === 'linethickness' && /^0(\D|$)/.test(value));
  return { text: `${factor(over)}${isBinomial ? ' choose ' : '/'}${factor(under)}`, kind: 'fraction' };
}

function scriptsOf({ name, children }: MathNode): Item | undefined {
  // Each child is read once: reading one twice at every level would take exponential time.
  const [base, first, second] = children.map((child) => itemsOf([child]));
  if (!base || !first) return undefined;
  const isBig = base.length === 1 && base[0]?.kind === 'big';
  const text = group(base, (kind) => kind !== 'script' && kind !== 'fraction');
  const mark = name === 'mover' || name === 'munder' ? join(first, false) : '';
  if (BRACES.test(mark)) return { text, kind: 'operand' };
  const accent = name === 'mover' && /^\p{L}$/u.test(text) ? ACCENTS[mark] : undefined;
  if (accent) return { text: text + accent, kind: 'operand' };
  if (name === 'mover' && /^[¯ˉ‾]$/.test(mark))
    return { text: `overline(${join(base, false).trim()})`, kind: 'operand' };
  const [below, above] = name === 'msup' || name === 'mover' ? [[], first] : [first, second];
  return { text: text + lowered(below) + raised(above), kind: isBig ? 'big' : 'script' };
}

function multiscriptsOf(children: MathNode[]): Item {
  const [base, ...scripts] = children;
  const split = scripts.findIndex(({ name }) => name === 'mprescripts');
  const pairs = (nodes: MathNode[]) =>
    nodes.map((node, index) => (index % 2 === 0 ? lowered : raised)(itemsOf([node]))).join('');
  const after = pairs(split < 0 ? scripts : scripts.slice(0, split));
  const before = pairs(split < 0 ? [] : scripts.slice(split + 1));
  const text = group(base ? itemsOf([base]) : [], (kind) => kind === 'operand');
  return { text: `${before}${before && text ? ' ' : ''}${text}${after}`, kind: 'script' };
}

function lowered(items: Item[] = []): string {
  const text = scriptText(items);
  return text && `_${text}`;
}

/** Returns a superscript. A prime follows its letter directly. */
function raised(items: Item[] = []): string {
  const text = scriptText(items);
  return text === '' || PRIMES.test(text) ? text : `^${text}`;
}

/** Returns the text of a script or of what a root contains, in parentheses unless it is a single item. */
function scriptText(items: Item[]): string {
  return group(items, (kind) => kind !== 'script' && kind !== 'fraction');
}

/** Returns the numerator or denominator of a fraction. */
function factor(node: MathNode): string {
  return group(itemsOf([node]), (kind) => kind !== 'fraction');
}

function group(items: Item[], isAtomic: (kind: Item['kind']) => boolean): string {
  const text = join(items, false).trim();
  const [item] = items;
  if (!item || (items.length === 1 && isAtomic(item.kind) && !/\s/.test(text)) || isBracketed(items))
    return text;
  return `(${text})`;
}

/** Whether the first bracket is closed by the last one. */
function isBracketed(items: Item[]): boolean {
  if (items[0]?.kind !== 'open' || items.at(-1)?.kind !== 'close') return false;
  let depth = 0;
  return items.every(({ kind, text }, index) => {
    if (kind === 'open') depth += 1;
    if (kind === 'close' && !POSTFIX.test(text)) depth -= 1;
    return depth > 0 || index === items.length - 1;
  });
}

/** Writes a matrix as `[a, b; c, d]`, and aligned equations line by line. */
function tableText(table: MathNode, isFenced: boolean, isMatrix: boolean): string {
  const rows = table.children.map((row) =>
    row.children.map((cell) => join(itemsOf(cell.children), true).trim()),
  );
  const isAligned =
    !isFenced && !isMatrix && rows.some((cells) => cells.slice(1).some((cell) => RELATION.test(cell)));
  const isLines = isAligned || (!isMatrix && !isFenced && rows.every((cells) => cells.length <= 1));
  const text = rows
    .map((cells) => (isAligned ? alignedLine(cells) : cells.join(', ')))
    .filter((line) => !isLines || line !== '')
    .join('; ');
  return isLines || isFenced ? text : `[${text}]`;
}

function alignedLine(cells: string[]): string {
  return cells
    .map((cell) => cell.replace(RELATION, '$1 '))
    .filter((cell) => cell !== '')
    .join(' ');
}

const VALUES = new Set<Item['kind']>(['operand', 'script', 'fraction']);

/** Joins the items of a row. `isSpaced` writes spaces around operators, as in `a + b`. */
function join(items: Item[], isSpaced: boolean): string {
  let text = '';
  let previous: Item | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = items[index] as Item;
    const next = items.slice(index + 1, index + 3).find(({ kind }) => kind !== 'space');
    if (item.kind === 'space') {
      if (text !== '' && !text.endsWith(' ')) text += ' ';
      continue;
    }
    const followsValue = previous !== undefined && (VALUES.has(previous.kind) || previous.kind === 'close');
    if (item.kind === 'operator') {
      const isInfix = isSpaced && followsValue && next !== undefined && item.text !== '/';
      text = isInfix ? `${text.trimEnd()} ${item.text} ` : text + item.text;
    } else if (item.kind === 'separator') {
      text = `${text.trimEnd()}${item.text}${isSpaced && next ? ' ' : ''}`;
    } else {
      const isBeside =
        followsValue || (next !== undefined && (VALUES.has(next.kind) || next.kind === 'open'));
      const written = item.kind === 'fraction' && isBeside ? `(${item.text})` : item.text;
      text += (needsSpace(previous, item, text) ? ' ' : '') + written;
    }
    previous = item;
  }
  return text;
}

/** Whether two neighbours would be read as one word, number or script. */
function needsSpace(previous: Item | undefined, item: Item, text: string): boolean {
  if (!previous || text.endsWith(' ') || item.kind === 'close') return false;
  if (previous.kind === 'big') return item.kind !== 'operator';
  if (item.kind === 'fraction' || item.kind === 'open') return false;
  if (previous.kind === 'script') return true;
  if (!VALUES.has(previous.kind) && previous.kind !== 'close') return false;
  if (item.kind === 'big') return true;
  const [before, after] = [text.at(-1) ?? '', item.text.at(0) ?? ''];
  if (!/[\p{L}\p{N}]/u.test(before) || !/[\p{L}\p{N}]/u.test(after)) return false;
  if (/\d/.test(before) && /\d/.test(after)) return true;
  return /^\p{L}{2,}/u.test(previous.text) || /^\p{L}{2,}/u.test(item.text);
}
