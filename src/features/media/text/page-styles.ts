import type { CssNode, List } from 'css-tree';
import generate from 'css-tree/generator';
import parse from 'css-tree/parser';
import { ident, property } from 'css-tree/utils';
import walk from 'css-tree/walker';

/** A rule for a page of a book, made of what is allowed. */
export interface PageRule {
  selector: string;
  /** The elements, classes and ids that the selector needs: `p`, `.b-x`, `#n-x`. */
  needs: string[];
  declarations: string;
  /** The images that it shows. */
  images: string[];
}

/** Finds the images of a style. */
export interface StyleImages {
  /** Returns the name under which a book has an image, and its URL; undefined for what is not an image of the book. */
  find(url: string): { name: string; url: string } | undefined;
}

const words = (text: string) => new Set(text.split(' '));

/** Properties that place, size, colour and set text. None loads, animates, or adds text or behaviour. */
const PROPERTIES = words(
  'background background-attachment background-clip background-color background-image background-origin ' +
    'background-position background-repeat background-size border border-bottom border-bottom-color ' +
    'border-bottom-left-radius border-bottom-right-radius border-bottom-style border-bottom-width border-collapse ' +
    'border-color border-left border-left-color border-left-style border-left-width border-radius border-right ' +
    'border-right-color border-right-style border-right-width border-spacing border-style border-top border-top-color ' +
    'border-top-left-radius border-top-right-radius border-top-style border-top-width border-width bottom box-shadow ' +
    'box-sizing clear clip color column-count column-gap columns direction display float font font-family font-size ' +
    'font-stretch font-style font-variant font-weight height hyphens left letter-spacing line-break line-height ' +
    'list-style-position list-style-type margin margin-bottom margin-left margin-right margin-top max-height max-width ' +
    'min-height min-width object-fit object-position opacity outline overflow overflow-wrap overflow-x overflow-y padding ' +
    'padding-bottom padding-left padding-right padding-top position right ruby-align ruby-position tab-size table-layout ' +
    'text-align text-align-last text-combine-upright text-decoration text-decoration-color text-decoration-line ' +
    'text-decoration-style text-emphasis text-emphasis-color text-emphasis-position text-emphasis-style text-indent ' +
    'text-justify text-orientation text-shadow text-transform top transform transform-origin unicode-bidi vertical-align ' +
    'visibility white-space width word-break word-spacing word-wrap writing-mode z-index',
);

const WITH_IMAGE = words('background background-image');

const FUNCTIONS = words(
  'rgb rgba hsl hsla calc min max clamp rect translate translatex translatey rotate scale scalex scaley skew skewx skewy ' +
    'matrix linear-gradient radial-gradient repeating-linear-gradient repeating-radial-gradient',
);

const VALUES = words(
  'Identifier Number Dimension Percentage Hash String Operator Function Url Parentheses Value',
);

/** Keywords that would let a page out of its box, or scroll within it. */
const REFUSED: Record<string, RegExp> = {
  position: /^(?!static$|relative$|absolute$)/,
  overflow: /^(?!visible$|hidden$|clip$)/,
  'overflow-x': /^(?!visible$|hidden$|clip$)/,
  'overflow-y': /^(?!visible$|hidden$|clip$)/,
};

/** Units of length, and those that take their place: a page has no window, and its size is that of its container. */
const UNITS: Record<string, string> = {
  ...Object.fromEntries(
    [...words('px em ex ch pt pc in cm mm q deg rad grad turn')].map((unit) => [unit, unit]),
  ),
  vw: 'cqw',
  vh: 'cqh',
  vmin: 'cqmin',
  vmax: 'cqmax',
};
const ROOT_FONT_SIZE = 16;
const LARGEST_NUMBER = 1_000_000;

const PSEUDO_CLASSES = words(
  'empty first-child first-of-type last-child last-of-type nth-child nth-last-child nth-last-of-type nth-of-type only-child ' +
    'only-of-type',
);
const PSEUDO_ELEMENTS = words('first-letter first-line');
const COMBINATORS = new Set([' ', '>', '+', '~']);

/** Replacements for elements that a fragment has under another name. They count as one element, as before. */
const ELEMENTS: Record<string, string> = {
  html: 'div:where(.page-root)',
  body: 'div:where(.page-body)',
  div: 'div:where(:not(.page-root,.page-body))',
  svg: 'img',
};

const LONGEST_SHEET = 1024 * 1024;
const MOST_RULES = 20_000;

/** Returns the class under which a class of a book is in a fragment, apart from those of the app. */
export function bookClass(name: string): string {
  return `b-${name.replace(/[^A-Za-z0-9-]/g, (character) => `_${character.codePointAt(0)?.toString(16)}`)}`;
}

/** Parses a style sheet; undefined for one that is too long, or nested too deeply. */
export function parseSheet(css: string, context = 'stylesheet'): CssNode | undefined {
  if (css.length > LONGEST_SHEET) return undefined;
  try {
    return parse(css, { context });
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns the addresses that a sheet imports. */
export function importsOf(sheet: CssNode): string[] {
  const found: string[] = [];
  for (const node of childrenOf(sheet)) {
    if (node.type !== 'Atrule' || node.name !== 'import' || node.prelude?.type !== 'AtrulePrelude') continue;
    const [first] = node.prelude.children.toArray();
    if (first?.type === 'String' || first?.type === 'Url') found.push(first.value);
  }
  return found;
}

/** Returns the rules of a sheet for every screen: neither those of one device, nor of printers or widths. */
export function screenRules(sheet: CssNode): Extract<CssNode, { type: 'Rule' }>[] {
  const rules: Extract<CssNode, { type: 'Rule' }>[] = [];
  const collect = (node: CssNode) => {
    for (const child of childrenOf(node)) {
      if (child.type === 'Rule' && rules.length < MOST_RULES) rules.push(child);
      if (child.type === 'Atrule' && child.name === 'media' && child.block && isForScreens(child.prelude))
        collect(child.block);
    }
  };
  collect(sheet);
  return rules;
}

function isForScreens(query: CssNode | null): boolean {
  return query === null || /^(all|screen|only screen)$/i.test(generate(query).trim());
}

function childrenOf(node: CssNode): CssNode[] {
  return 'children' in node && node.children ? (node.children as List<CssNode>).toArray() : [];
}

/** Returns what is allowed of the rules of a sheet. */
export function pageRules(sheet: CssNode, images: StyleImages): PageRule[] {
  const rules: PageRule[] = [];
  for (const rule of screenRules(sheet)) {
    const kept = allowedDeclarations(rule.block, images);
    if (kept.declarations === '' || rule.prelude.type !== 'SelectorList') continue;
    for (const selector of childrenOf(rule.prelude)) {
      const allowed = allowedSelector(selector);
      if (allowed) rules.push({ ...allowed, ...kept });
    }
  }
  return rules;
}

type PageStyle = Pick<PageRule, 'declarations' | 'images'>;

/** Whether a style attribute can stand in a rule without ending it, or taking in what follows. */
function isPlain(style: string): boolean {
  return !/[{}"'\\/<@]/.test(style) && !/[()]/.test(style.replace(/\([^()]*\)/g, ''));
}

/**
 * Returns what is allowed of each style attribute. Parses plain ones together: a page may have thousands, and the parser
 * takes 80 µs to start.
 */
export function pageStyles(styles: string[], images: StyleImages): PageStyle[] {
  const plain = styles.filter(isPlain);
  const sheet = parseSheet(plain.map((style) => `a{${style}}`).join(''));
  const rules = sheet ? childrenOf(sheet) : [];
  const isWhole = rules.length === plain.length;
  const together = new Map(plain.map((style, index) => [style, rules[index]]));
  return styles.map((style) => {
    const rule = isWhole ? together.get(style) : undefined;
    return rule?.type === 'Rule' ? allowedDeclarations(rule.block, images) : pageStyle(style, images);
  });
}

function pageStyle(style: string, images: StyleImages): PageStyle {
  const list = parseSheet(style, 'declarationList');
  return list ? allowedDeclarations(list, images) : { declarations: '', images: [] };
}

function allowedSelector(selector: CssNode): Pick<PageRule, 'selector' | 'needs'> | undefined {
  const needs: string[] = [];
  let text = '';
  for (const node of childrenOf(selector)) {
    const part = selectorPart(node, needs);
    if (part === undefined) return undefined;
    text += part;
  }
  return text === '' ? undefined : { selector: text, needs };
}

function selectorPart(node: CssNode, needs: string[]): string | undefined {
  if (node.type === 'Combinator') return COMBINATORS.has(node.name) ? node.name : undefined;
  if (node.type === 'ClassSelector') {
    const name = `.${bookClass(ident.decode(node.name))}`;
    needs.push(name);
    return name;
  }
  if (node.type === 'IdSelector') {
    const id = `n-${ident.decode(node.name)}`;
    needs.push(`#${id}`);
    return `#${ident.encode(id)}`;
  }
  if (node.type === 'TypeSelector') return elementPart(node.name.toLowerCase(), needs);
  if (node.type === 'PseudoElementSelector')
    return PSEUDO_ELEMENTS.has(node.name) ? `::${node.name}` : undefined;
  if (node.type !== 'PseudoClassSelector') return undefined;
  if (node.name === 'root') return '.page-root';
  if (PSEUDO_ELEMENTS.has(node.name)) return `::${node.name}`;
  if (!PSEUDO_CLASSES.has(node.name)) return undefined;
  const text = generate(node);
  return /^:[a-z-]+(\([-+\dn\sa-z]*\))?$/.test(text) && !text.includes(' of ') ? text : undefined;
}

function elementPart(name: string, needs: string[]): string | undefined {
  if (name === '*') return name;
  if (!/^[a-z][a-z0-9]*$/.test(name)) return undefined;
  if (Object.hasOwn(ELEMENTS, name)) return ELEMENTS[name];
  needs.push(name);
  return name;
}

function allowedDeclarations(block: CssNode, images: StyleImages): Pick<PageRule, 'declarations' | 'images'> {
  const kept: string[] = [];
  const shown: string[] = [];
  for (const node of childrenOf(block)) {
    if (node.type !== 'Declaration' || node.value.type !== 'Value') continue;
    const { basename: name, hack } = property(node.property.toLowerCase());
    if (!PROPERTIES.has(name) || hack !== '') continue;
    const found: string[] = [];
    const value = allowedValue(name, node.value, images, found);
    if (value === undefined) continue;
    kept.push(`${name}:${value}${node.important ? '!important' : ''}`);
    shown.push(...found);
  }
  return { declarations: kept.join(';'), images: shown };
}

/** Returns a value as it is written; undefined for one with a part that is not allowed. Adds its images to `found`. */
function allowedValue(
  name: string,
  value: CssNode,
  images: StyleImages,
  found: string[],
): string | undefined {
  if (name === 'position' && generate(value) === 'fixed') return 'absolute';
  let isAllowed = true;
  walk(value, (node) => {
    isAllowed &&= VALUES.has(node.type) && isAllowedPart(name, node);
    if (!isAllowed || node.type !== 'Url') return;
    const image = WITH_IMAGE.has(name) ? images.find(node.value) : undefined;
    if (!image) {
      isAllowed = false;
      return;
    }
    node.value = image.url;
    found.push(image.name);
  });
  if (!isAllowed) return undefined;
  const text = generate(value);
  return /[<>{};@\\]/.test(text) ? undefined : text;
}

function isAllowedPart(name: string, node: CssNode): boolean {
  if (node.type === 'Function') return FUNCTIONS.has(node.name.toLowerCase());
  if (node.type === 'Identifier') return !REFUSED[name]?.test(node.name.toLowerCase());
  if (node.type === 'Number' || node.type === 'Percentage')
    return Math.abs(Number(node.value)) <= LARGEST_NUMBER;
  if (node.type !== 'Dimension') return true;
  const number = Number(node.value);
  if (Math.abs(number) > LARGEST_NUMBER) return false;
  const unit = node.unit.toLowerCase();
  if (unit === 'rem') {
    node.value = String(Math.round(number * ROOT_FONT_SIZE * 1000) / 1000);
    node.unit = 'px';
    return true;
  }
  const allowed = UNITS[unit];
  if (allowed === undefined) return false;
  node.unit = allowed;
  return true;
}
