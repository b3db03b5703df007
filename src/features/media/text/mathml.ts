import {
  attribute,
  type Element,
  escapeAttribute,
  escapeText,
  isElement,
  isMathMl,
  type Node,
  textOf,
} from './markup.ts';
import { styledLetters } from './math-letters.ts';
import { linearForm, type MathNode } from './math-text.ts';

const words = (text: string) => new Set(text.split(' '));

const TOKENS = words('mi mn mo ms mtext mspace');

/** Elements that may have any number of children. */
const ROWS = words('mrow msqrt mstyle merror mpadded mphantom mmultiscripts mtable');

/** Elements with a fixed number of children. With any other number they are shown as a row. */
const ARITY: Record<string, number> = {
  mfrac: 2,
  mroot: 2,
  msub: 2,
  msup: 2,
  msubsup: 3,
  munder: 2,
  mover: 2,
  munderover: 3,
};

const DROPPED = words('annotation annotation-xml mglyph malignmark maligngroup');

const BOOLEAN = /^(true|false)$/;
/** Short lengths only, so that a formula cannot cover other parts of the page. */
const LENGTH =
  /^[+-]?(\d{1,2}(\.\d{1,4})?|\.\d{1,4})(em|ex)$|^[+-]?\d{1,3}(\.\d{1,4})?(px|pt|%)$|^0$|^(negative)?(very){0,2}(thin|medium|thick)mathspace$/;
const COUNT = /^\d{1,3}$/;

/** Allowed attributes by element, and the pattern of their value. Colours are dropped, because the reader has its own. */
const ATTRIBUTES: Record<string, Record<string, RegExp>> = {
  '*': { dir: /^(ltr|rtl)$/, displaystyle: BOOLEAN, scriptlevel: /^[+-]?\d$/ },
  mi: { mathvariant: /^normal$/ },
  mo: {
    form: /^(prefix|infix|postfix)$/,
    fence: BOOLEAN,
    separator: BOOLEAN,
    stretchy: BOOLEAN,
    symmetric: BOOLEAN,
    largeop: BOOLEAN,
    movablelimits: BOOLEAN,
    lspace: LENGTH,
    rspace: LENGTH,
    minsize: LENGTH,
    maxsize: LENGTH,
  },
  mspace: { width: LENGTH, height: LENGTH, depth: LENGTH },
  mpadded: { width: LENGTH, height: LENGTH, depth: LENGTH, lspace: LENGTH, voffset: LENGTH },
  mfrac: { linethickness: LENGTH },
  munder: { accentunder: BOOLEAN },
  mover: { accent: BOOLEAN },
  munderover: { accent: BOOLEAN, accentunder: BOOLEAN },
  mtd: { columnalign: /^(left|right)$/, columnspan: COUNT, rowspan: COUNT },
};

/** Real formulas are far smaller. Deeper ones would exceed the stack, here and in browsers. */
const MAX_DEPTH = 100;
const MAX_NODES = 20_000;
const MAX_SOURCE = 10_000;
/** The longest linear form of a formula that fits every screen. */
const NARROW = 20;

/**
 * Returns the safe HTML of a formula: MathML Core with an `alttext` that holds its linear form. A formula that is too large
 * is shown as the text that it contains.
 */
export function formulaHtml(math: Element): string {
  const tree = readFormula(math);
  if (!tree) {
    const source = textOf(math.childNodes).slice(0, MAX_SOURCE);
    return source && `<code>${escapeText(source)}</code>`;
  }
  const text = linearForm(tree.children);
  if (text === '' && !hasContent(tree)) return '';
  const display = attribute(math, 'display') === 'block' ? ' display="block"' : '';
  // A formula that is wider than the screen scrolls on its own, and the keyboard scrolls only what can have the focus.
  const focus = text.length > NARROW ? ' tabindex="0"' : '';
  return `<math${display}${focus} alttext="${escapeAttribute(text)}">${tree.children.map(toHtml).join('')}</math>`;
}

/** Returns the linear form of a formula, such as `x^2 + 1`. */
export function formulaText(math: Element): string {
  const tree = readFormula(math);
  return tree ? linearForm(tree.children) : textOf(math.childNodes).slice(0, MAX_SOURCE);
}

function hasContent({ children }: MathNode): boolean {
  return children.some(
    (child) =>
      child.text !== '' || (child.name !== 'mspace' && child.name !== 'mphantom' && hasContent(child)),
  );
}

function toHtml({ name, attributes, text, children }: MathNode): string {
  const written = attributes.map(([key, value]) => ` ${key}="${escapeAttribute(value)}"`).join('');
  return `<${name}${written}>${escapeText(text)}${children.map(toHtml).join('')}</${name}>`;
}

/** Reads the allowed part of a formula. Undefined when it is too deep or too large. */
function readFormula(math: Element): MathNode | undefined {
  let nodes = 0;

  function count(depth: number): void {
    nodes += 1;
    if (depth > MAX_DEPTH || nodes > MAX_NODES) throw new FormulaTooLarge();
  }

  function childrenOf(parent: Element, depth: number, within = parent.tagName): MathNode[] {
    const children: MathNode[] = [];
    for (const child of parent.childNodes) {
      const node = read(child, depth + 1, within);
      if (node) children.push(node);
    }
    return children;
  }

  function read(node: Node, depth: number, within: string): MathNode | undefined {
    count(depth);
    if (!isElement(node)) {
      // Text belongs into token elements. Elsewhere it is an error of the page, and is kept.
      const text = textOf([node]);
      return text === '' ? undefined : token('mtext', text);
    }
    if (!isMathMl(node)) {
      const text = textOf(node.childNodes);
      return text === '' ? undefined : token('mtext', text);
    }
    const name = node.tagName;
    if (DROPPED.has(name)) return undefined;
    if (TOKENS.has(name)) return readToken(node);
    if (name === 'none' || name === 'mprescripts') {
      if (within === 'mmultiscripts') return row(name, []);
      return name === 'none' ? row('mrow', []) : undefined;
    }
    // Both show their first child and describe it with the others.
    if (name === 'semantics' || name === 'maction') return first(node, depth, within);
    if (name === 'mfenced') return readFenced(node, childrenOf(node, depth, 'mrow'));
    if (name === 'mtr' || name === 'mlabeledtr') {
      if (within !== 'mtable') return row('mrow', childrenOf(node, depth, 'mrow'));
      const cells = childrenOf(node, depth, 'mtr');
      return row(
        'mtr',
        cells.map((cell) => (cell.name === 'mtd' ? cell : row('mtd', [cell]))),
        node,
      );
    }
    if (name === 'mtd' && within === 'mtr') return row('mtd', childrenOf(node, depth), node);
    const children = childrenOf(node, depth);
    if (name === 'menclose') return readEnclosed(node, children);
    if (name === 'mtable') {
      const rows = children.map((child) =>
        child.name === 'mtr' ? child : row('mtr', [row('mtd', [child])]),
      );
      alignColumns(rows, node);
      return row('mtable', rows, node);
    }
    if (ROWS.has(name) || (Object.hasOwn(ARITY, name) && ARITY[name] === children.length))
      return row(name, children, node);
    return row('mrow', children);
  }

  function first(parent: Element, depth: number, within: string): MathNode | undefined {
    for (const child of parent.childNodes) {
      const node = isElement(child) ? read(child, depth + 1, within) : undefined;
      if (node) return node;
    }
    return undefined;
  }

  try {
    return row('math', childrenOf(math, 0, 'mrow'));
  } catch (error) {
    if (error instanceof FormulaTooLarge) return undefined;
    throw error;
  }
}

class FormulaTooLarge extends Error {}

function token(name: string, text: string, element?: Element): MathNode {
  return { name, text, attributes: element ? attributesOf(name, element) : [], children: [] };
}

function row(name: string, children: MathNode[], element?: Element): MathNode {
  return { name, text: '', attributes: element ? attributesOf(name, element) : [], children };
}

/** Keeps only the text of a token element, because HTML may occur in it. */
function readToken(element: Element): MathNode {
  const { tagName } = element;
  if (tagName === 'mspace') return token(tagName, '', element);
  const text = textOf(element.childNodes);
  return token(tagName, styledLetters(text, attribute(element, 'mathvariant')), element);
}

/** Converts `mfenced`, which browsers no longer show, to a row with its fences and separators. */
function readFenced(element: Element, children: MathNode[]): MathNode {
  const separators = [...(attribute(element, 'separators') ?? ',').replace(/\s/g, '')];
  const content = children.flatMap((child, index) => {
    const separator = separators[Math.min(index, separators.length) - 1] ?? separators.at(-1);
    return index > 0 && separator ? [operator(separator, 'infix', 'separator'), child] : [child];
  });
  const open = (attribute(element, 'open') ?? '(').trim().slice(0, 10);
  const close = (attribute(element, 'close') ?? ')').trim().slice(0, 10);
  return row('mrow', [
    ...(open ? [operator(open, 'prefix', 'fence')] : []),
    ...content,
    ...(close ? [operator(close, 'postfix', 'fence')] : []),
  ]);
}

/** Converts lines above and below, which browsers show only as accents. Boxes and strikes are dropped. */
function readEnclosed(element: Element, children: MathNode[]): MathNode {
  const notation = attribute(element, 'notation') ?? '';
  const content = children.length === 1 && children[0] ? children[0] : row('mrow', children);
  const line = (text: string): MathNode => ({
    name: 'mo',
    text,
    attributes: [['stretchy', 'true']],
    children: [],
  });
  if (/^\s*top\s*$/.test(notation)) return row('mover', [content, line('‾')]);
  if (/^\s*bottom\s*$/.test(notation)) return row('munder', [content, line('_')]);
  return row('mrow', children);
}

/** Writes the alignment of columns to their cells, where a style sheet can use it. */
function alignColumns(rows: MathNode[], table: Element): void {
  const columns = attribute(table, 'columnalign')?.trim().split(/\s+/) ?? [];
  for (const { children } of rows) {
    for (const [index, { attributes }] of children.entries()) {
      const align = columns[Math.min(index, columns.length - 1)] ?? '';
      const isAligned = attributes.some(([key]) => key === 'columnalign');
      if (!isAligned && /^(left|right)$/.test(align)) attributes.push(['columnalign', align]);
    }
  }
}

function operator(text: string, form: string, property: 'fence' | 'separator'): MathNode {
  return {
    name: 'mo',
    text,
    attributes: [
      ['form', form],
      [property, 'true'],
    ],
    children: [],
  };
}

function attributesOf(name: string, element: Element): [string, string][] {
  const allowed = { ...ATTRIBUTES['*'], ...ATTRIBUTES[name] };
  const kept = element.attrs
    .filter((attr) => Object.hasOwn(allowed, attr.name) && allowed[attr.name]?.test(attr.value))
    .map((attr): [string, string] => [attr.name, attr.value]);
  // Temml writes the alignment as a class.
  const align =
    name === 'mtd' ? /\btml-(left|right)\b/.exec(attribute(element, 'class') ?? '')?.[1] : undefined;
  if (align) kept.push(['columnalign', align]);
  return kept;
}
