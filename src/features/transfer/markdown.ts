import { attribute, type Element, parseMarkup, walk } from '../media/text/markup.ts';

/** An open element, and the Markdown of its content so far. */
interface Frame {
  tag: string;
  /** The blocks of the element, or of its parent when it has no form in Markdown. */
  blocks: string[];
  inline: string;
  /** Whether the element is transparent: its content is written as content of its parent. */
  isTransparent: boolean;
  isInline: boolean;
  /** Whether an inline element contains blocks: they stay, and its mark is dropped. */
  holdsBlocks: boolean;
  /** The items of a list so far. */
  items: number;
  /** The cells of a row, or the rows of a table. */
  cells: string[];
  rows: string[][];
}

const MARKS: Record<string, string> = { em: '*', i: '*', strong: '**', b: '**', del: '~~', s: '~~' };
const CODE = new Set(['code', 'kbd', 'samp']);
const INLINE = new Set([
  ...Object.keys(MARKS),
  ...CODE,
  ...'a abbr bdi bdo cite dfn ins mark q rp rt ruby small span sub sup time u var wbr br img'.split(' '),
]);
const TABLE_PARTS = new Set(['tbody', 'thead', 'tfoot']);
/** Elements with a form in Markdown: their content is written again when they are closed. */
const FORMED = new Set([
  ...Object.keys(MARKS),
  ...CODE,
  ...'a pre hr h1 h2 h3 h4 h5 h6 ul ol li blockquote table tr td th thead tbody tfoot br img'.split(' '),
]);
/** The deepest indentation of quotes and lists. */
const DEEPEST_INDENT = 20;
/** Elements deeper than this are transparent. Each level writes its content again, which would take quadratic time. */
const DEEPEST = 64;

/** Converts sanitised HTML to Markdown in linear time. Images link to their original address; formulas are linear. */
export function markdownOf(html: string): string {
  const root = newFrame('root', []);
  const open: Frame[] = [root];
  /** The first frame that may contain text that comes before the next block. */
  let unflushed = 0;
  let raw = 0;
  let indent = 0;
  let formed = 0;
  const top = () => open.at(-1) ?? root;
  const write = (text: string) => {
    top().inline += text;
    unflushed = Math.min(unflushed, open.length - 1);
  };
  /** Starts a block. The text of the parent block, and of inline elements in between, is written first. */
  const beginBlock = () => {
    for (const frame of open.slice(unflushed)) {
      flush(frame);
      frame.holdsBlocks ||= frame.isInline;
    }
    unflushed = open.length;
  };

  walk(parseMarkup(html), {
    text: (value) => write(raw > 0 ? value : escapeMarkdown(value.replace(/\s+/g, ' '))),
    enter(element) {
      const { tagName } = element;
      if (attribute(element, 'hidden') !== undefined || attribute(element, 'aria-hidden') === 'true')
        return false;
      if (tagName === 'math') {
        write(escapeMarkdown(attribute(element, 'alttext') ?? ''));
        return false;
      }
      const isInline = INLINE.has(tagName);
      if (!isInline) beginBlock();
      const isTransparent = !FORMED.has(tagName) || formed >= DEEPEST;
      // Inline elements share the blocks of their parent, so blocks inside them are already in order.
      const blocks = isTransparent || isInline ? top().blocks : [];
      if (!isTransparent) {
        formed += 1;
        if (tagName === 'pre' || CODE.has(tagName)) raw += 1;
        if (tagName === 'li' || tagName === 'blockquote') indent += 1;
      }
      open.push(newFrame(tagName, blocks, isTransparent, isInline));
      return true;
    },
    leave(element) {
      const frame = open.pop() ?? root;
      const { tag, isTransparent } = frame;
      unflushed = Math.min(unflushed, open.length);
      if (!isTransparent) {
        formed -= 1;
        if (tag === 'pre' || CODE.has(tag)) raw -= 1;
      }
      if (frame.isInline) {
        if (frame.holdsBlocks) flush(frame);
        else write(isTransparent ? frame.inline : inlineOf(element, frame, raw > 0));
      } else if (isTransparent) flush(frame);
      else closeBlock(frame, top(), indent <= DEEPEST_INDENT);
      if (!isTransparent && (tag === 'li' || tag === 'blockquote')) indent -= 1;
    },
  });
  flush(root);
  return root.blocks.join('\n\n');
}

/** Escapes text so that it is not read as Markdown. */
export function plainMarkdown(text: string): string {
  return text
    .split('\n')
    .map((line) => paragraph(escapeMarkdown(line)))
    .join('\n\n');
}

function newFrame(tag: string, blocks: string[], isTransparent = false, isInline = false): Frame {
  return {
    tag,
    blocks,
    isTransparent,
    isInline,
    inline: '',
    holdsBlocks: false,
    items: 0,
    cells: [],
    rows: [],
  };
}

/** Moves the content of an element to its parent. */
function closeBlock(frame: Frame, parent: Frame, isIndented: boolean): void {
  const { tag, blocks } = frame;
  if (tag === 'pre') return void parent.blocks.push(fenced([...blocks, frame.inline].join('\n')));
  flush(frame);
  if (tag === 'hr') parent.blocks.push('---');
  else if (tag === 'td' || tag === 'th') parent.cells.push(blocks.join('\n\n'));
  else if (tag === 'tr') parent.rows.push(frame.cells);
  else if (TABLE_PARTS.has(tag)) append(parent.rows, frame.rows);
  else if (tag === 'table') {
    append(parent.blocks, blocks);
    const written = table(frame.rows);
    if (written !== '') parent.blocks.push(written);
  } else if (blocks.length > 0) addBlock(frame, parent, isIndented);
}

function addBlock({ tag, blocks }: Frame, parent: Frame, isIndented: boolean): void {
  const content = blocks.join(tag === 'ul' || tag === 'ol' ? '\n' : '\n\n');
  const level = /^h([1-6])$/.exec(tag)?.[1];
  if (level) parent.blocks.push(`${'#'.repeat(Number(level))} ${oneLine(content)}`);
  else if (tag === 'li' && isIndented) parent.blocks.push(item(parent, content));
  else if (tag === 'blockquote' && isIndented) parent.blocks.push(content.replace(/^/gm, '> '));
  else parent.blocks.push(content);
}

/** Appends in a loop: more than a hundred thousand arguments of `push` overflow the stack. */
function append<T>(list: T[], more: T[]): void {
  for (const each of more) list.push(each);
}

function inlineOf(element: Element, { tag, inline }: Frame, isRaw: boolean): string {
  if (tag === 'br') return '  \n';
  if (tag === 'img') return image(element);
  if (CODE.has(tag)) return isRaw ? inline : code(inline);
  if (tag === 'a') return link(attribute(element, 'href'), inline);
  return marked(inline, MARKS[tag] ?? '');
}

function flush(frame: Frame): void {
  const text = frame.inline.trim();
  frame.inline = '';
  if (text !== '') frame.blocks.push(paragraph(text));
}

/** Escapes what would start a heading, a list or a quote. */
function paragraph(text: string): string {
  return text.replace(/^(\d+)([.)])(?=\s)/, '$1\\$2').replace(/^([#+-])(?=\s|#)/, '\\$1');
}

function item(list: Frame, content: string): string {
  list.items += 1;
  const mark = list.tag === 'ol' ? `${list.items}. ` : '- ';
  return mark + content.replace(/\n(?!\n|$)/g, `\n${' '.repeat(mark.length)}`);
}

/**
 * Writes a table. The first row is the head, because Markdown has no tables without one. Only the head is as wide as
 * the widest row; padding all rows would take the width times their number.
 */
function table(rows: string[][]): string {
  const width = rows.reduce((widest, { length }) => Math.max(widest, length), 0);
  if (width === 0) return '';
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const [head = [], ...body] = rows.map((cells) => cells.map((cell) => oneLine(cell).replaceAll('|', '\\|')));
  const padding = Array<string>(width - head.length).fill('');
  return [line([...head, ...padding]), line(Array<string>(width).fill('---')), ...body.map(line)].join('\n');
}

/** Puts marks directly around text, without white space inside. */
function marked(text: string, mark: string): string {
  return mark === '' ? text : around(text, (inner) => `${mark}${inner}${mark}`);
}

function link(href: string | undefined, text: string): string {
  if (!href || !/^(https?|mailto):/i.test(href)) return text;
  return around(text, (inner) => `[${inner}](${address(href)})`);
}

/** Keeps white space at both ends outside the marks. */
function around(text: string, wrap: (inner: string) => string): string {
  const inner = text.trim();
  if (inner === '') return text;
  const start = text.length - text.trimStart().length;
  return text.slice(0, start) + wrap(inner) + text.slice(start + inner.length);
}

function image(element: Element): string {
  const source = attribute(element, 'src') ?? '';
  const original = /^\/media\/images\?url=(.+)$/.exec(source)?.[1];
  const alt = escapeMarkdown(oneLine(attribute(element, 'alt') ?? ''));
  return original === undefined ? alt : `![${alt}](${address(decodeURIComponent(original))})`;
}

function code(text: string): string {
  if (text.trim() === '') return text;
  const fence = fenceFor(text, 1);
  const room = /^`|`$/.test(text) ? ' ' : '';
  const line = text.replace(/\s+/g, (space) => (space.includes('\n') ? ' ' : space));
  return fence + room + line + room + fence;
}

function fenced(text: string): string {
  const fence = fenceFor(text, 3);
  return `${fence}\n${text.replace(/^\n|\n$/g, '')}\n${fence}`;
}

/** Returns a fence that is longer than any run of backticks inside. */
function fenceFor(text: string, shortest: number): string {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return '`'.repeat(Math.max(shortest, longest + 1));
}

function address(url: string): string {
  return url.replace(/[()\s<>]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>~]/g, '\\$&');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

export function headingOf(level: number, text: string): string {
  return `${'#'.repeat(level)} ${plainMarkdown(oneLine(text))}\n\n`;
}
