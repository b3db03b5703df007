import { attribute, type Element, parseMarkup, walk } from '../media/markup.ts';

/** What has been written of an element that is still open. */
interface Frame {
  tag: string;
  blocks: string[];
  inline: string;
  /** Of a list: how many it has so far. */
  items: number;
  /** Of a row of a table, and of the table. */
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
/** Deeper quotes and lists are written as deep as this: nobody reads further in, and each level costs its text again. */
const DEEPEST = 20;

/** Markdown of HTML that was sanitised. Images come from where the page had them. */
export function markdownOf(html: string): string {
  const root = newFrame('root');
  const open: Frame[] = [root];
  let raw = 0;
  let depth = 0;
  const top = () => open.at(-1) ?? root;

  walk(parseMarkup(html), {
    text(value) {
      top().inline += raw > 0 ? value : escapeMarkdown(value.replace(/\s+/g, ' '));
    },
    enter(element) {
      const { tagName } = element;
      if (attribute(element, 'hidden') !== undefined || attribute(element, 'aria-hidden') === 'true')
        return false;
      if (!INLINE.has(tagName)) flush(top());
      if (tagName === 'pre' || CODE.has(tagName)) raw += 1;
      if (tagName === 'li' || tagName === 'blockquote') depth += 1;
      open.push(newFrame(tagName));
      return true;
    },
    leave(element) {
      const frame = open.pop() ?? root;
      if (frame.tag === 'pre' || CODE.has(frame.tag)) raw -= 1;
      if (INLINE.has(frame.tag)) closeInline(element, frame, top(), raw > 0);
      else closeBlock(frame, top(), depth <= DEEPEST);
      if (frame.tag === 'li' || frame.tag === 'blockquote') depth -= 1;
    },
  });
  flush(root);
  return root.blocks.join('\n\n');
}

/** Text that is to be read as it is. */
export function plainMarkdown(text: string): string {
  return text
    .split('\n')
    .map((line) => paragraph(escapeMarkdown(line)))
    .join('\n\n');
}

function newFrame(tag: string): Frame {
  return { tag, blocks: [], inline: '', items: 0, cells: [], rows: [] };
}

/** Hands what was written inside an element to the one around it. */
function closeBlock(frame: Frame, parent: Frame, isIndented: boolean): void {
  const { tag } = frame;
  if (tag !== 'pre') flush(frame);
  const content = frame.blocks.join('\n\n');
  if (tag === 'pre') parent.blocks.push(fenced([...frame.blocks, frame.inline].join('\n')));
  else if (tag === 'hr') parent.blocks.push('---');
  else if (tag === 'td' || tag === 'th') parent.cells.push(content);
  else if (tag === 'tr') parent.rows.push(frame.cells);
  else if (TABLE_PARTS.has(tag)) parent.rows.push(...frame.rows);
  else if (tag === 'table') parent.blocks.push(...frame.blocks, table(frame.rows));
  else if (content !== '') addBlock(frame, parent, content, isIndented);
}

function addBlock(frame: Frame, parent: Frame, content: string, isIndented: boolean): void {
  const { tag } = frame;
  const heading = /^h([1-6])$/.exec(tag);
  if (heading) parent.blocks.push(`${'#'.repeat(Number(heading[1]))} ${oneLine(content)}`);
  else if (tag === 'li') parent.blocks.push(isIndented ? item(parent, content) : content);
  else if (tag === 'ul' || tag === 'ol') parent.blocks.push(frame.blocks.join('\n'));
  else if (tag === 'blockquote' && isIndented) parent.blocks.push(content.replace(/^/gm, '> '));
  else parent.blocks.push(...frame.blocks);
}

function closeInline(element: Element, frame: Frame, parent: Frame, isRaw: boolean): void {
  const { tag, inline } = frame;
  if (frame.blocks.length > 0) {
    // A link or a mark around whole blocks: they stay, and it goes.
    flush(parent);
    flush(frame);
    parent.blocks.push(...frame.blocks);
  } else if (tag === 'br') parent.inline += '  \n';
  else if (tag === 'img') parent.inline += image(element);
  else if (CODE.has(tag)) parent.inline += isRaw ? inline : code(inline);
  else if (tag === 'a') parent.inline += link(attribute(element, 'href'), inline);
  else parent.inline += marked(inline, MARKS[tag] ?? '');
}

function flush(frame: Frame): void {
  const text = frame.inline.trim();
  frame.inline = '';
  if (text !== '') frame.blocks.push(paragraph(text));
}

/** What would begin a heading, a list or a quote does not. */
function paragraph(text: string): string {
  return text.replace(/^(\d+)([.)])(?=\s)/, '$1\\$2').replace(/^([#+-])(?=\s|#)/, '\\$1');
}

function item(list: Frame, content: string): string {
  list.items += 1;
  const mark = list.tag === 'ol' ? `${list.items}. ` : '- ';
  return mark + content.replace(/\n(?!\n|$)/g, `\n${' '.repeat(mark.length)}`);
}

/** The first row is its head: Markdown has no tables without. */
function table(rows: string[][]): string {
  const width = Math.max(0, ...rows.map(({ length }) => length));
  if (width === 0) return '';
  const line = (cells: string[]) =>
    `| ${Array.from({ length: width }, (_, n) => oneLine(cells[n] ?? '').replaceAll('|', '\\|')).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(Array.from({ length: width }, () => '---')), ...body.map(line)].join('\n');
}

/** Marks stand close to what they mark. */
function marked(text: string, mark: string): string {
  const inner = text.trim();
  if (mark === '' || inner === '') return text;
  const [before = '', after = ''] = [/^\s*/.exec(text)?.[0], /\s*$/.exec(text)?.[0]];
  return `${before}${mark}${inner}${mark}${after}`;
}

function link(href: string | undefined, text: string): string {
  const inner = text.trim();
  if (!href || inner === '' || !/^(https?|mailto):/i.test(href)) return text;
  return marked(text, '').replace(inner, () => `[${inner}](${address(href)})`);
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
  return fence + room + text.replace(/\s*\n\s*/g, ' ') + room + fence;
}

function fenced(text: string): string {
  const fence = fenceFor(text, 3);
  return `${fence}\n${text.replace(/^\n|\n$/g, '')}\n${fence}`;
}

/** One longer than any run of backticks inside. */
function fenceFor(text: string, shortest: number): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
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
