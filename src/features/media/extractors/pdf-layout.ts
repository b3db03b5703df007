import { canonicalLine } from '../text/canonical-text.ts';
import { inReadingOrder, type Line, PARAGRAPH_GAP, usualDistance, usualSize } from './pdf-reading-order.ts';

/** A run of text on a page, in points from the bottom left. */
export interface TextItem {
  text: string;
  x: number;
  /** The baseline. */
  y: number;
  width: number;
  /** The size of the font. */
  size: number;
}

export interface PageLayout {
  /** In reading order. */
  lines: Line[];
  height: number;
}

/** A page with more lines is a drawing or a table. Cutting it takes time that grows with their square. */
const MOST_LINES = 1000;

/** The page's text as lines in reading order: columns one after the other, and then the footnotes of all of them. */
export function layOut(items: TextItem[], height: number): PageLayout {
  const lines = toLines(items);
  return { lines: lines.length > MOST_LINES ? lines : inReadingOrder(lines), height };
}

/** A gap of this many font sizes ends a line; a smaller one is a space. */
const LINE_GAP = 1.5;
const WORD_GAP = 0.15;
/** Baselines within this share of the font size are one line, which keeps superscripts in it. */
const SAME_LINE = 0.5;

function toLines(items: TextItem[]): Line[] {
  const rows: TextItem[][] = [];
  const sorted = items.filter(({ text }) => text.trim() !== '').toSorted((a, b) => b.y - a.y || a.x - b.x);
  for (const item of sorted) {
    const row = rows.at(-1);
    const first = row?.[0];
    const isSame = first && Math.abs(first.y - item.y) < SAME_LINE * Math.max(first.size, item.size);
    if (isSame) row.push(item);
    else rows.push([item]);
  }
  return rows.flatMap(splitRow);
}

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}]/u;

function splitRow(row: TextItem[]): Line[] {
  const rightToLeft = row.filter(({ text }) => RIGHT_TO_LEFT.test(text)).length > row.length / 2;
  const ordered = row.toSorted((a, b) => (rightToLeft ? b.x + b.width - a.x - a.width : a.x - b.x));
  const lines: Line[] = [];
  for (const { text, x, y, width, size } of ordered) {
    const last = lines.at(-1);
    const gap = last ? (rightToLeft ? last.left - x - width : x - last.right) : 0;
    if (last && gap < LINE_GAP * size) {
      const isApart = gap > WORD_GAP * size && !/\s$/.test(last.text) && !/^\s/.test(text);
      last.text += isApart ? ` ${text}` : text;
      last.left = Math.min(last.left, x);
      last.right = Math.max(last.right, x + width);
      last.size = Math.max(last.size, size);
    } else {
      lines.push({ text, left: x, right: x + width, y, size });
    }
  }
  return lines;
}

/** Headers and footers are in this share of the page at its top and bottom. */
const MARGIN = 0.12;
const FEWEST_REPEATS = 3;

/** Leaves out headers, footers and page numbers: lines in the margin that come again on other pages. */
export function withoutMargins(pages: PageLayout[]): PageLayout[] {
  const counts = new Map<string, number>();
  for (const page of pages)
    for (const key of new Set(marginKeys(page).values())) counts.set(key, (counts.get(key) ?? 0) + 1);
  const needed = Math.max(FEWEST_REPEATS, pages.length / 4);
  return pages.map((page) => {
    const keys = marginKeys(page);
    const isRepeated = (line: Line) => (counts.get(keys.get(line) ?? '') ?? 0) >= needed;
    const lines = page.lines.filter((line) => !isRepeated(line));
    // A page that has nothing else has its text there.
    return lines.length === 0 ? page : { ...page, lines };
  });
}

/** The lines in the margins of a page. Numbers differ from page to page. */
function marginKeys({ lines, height }: PageLayout): Map<Line, string> {
  const inMargin = lines.filter(({ y }) => y < height * MARGIN || y > height * (1 - MARGIN));
  return new Map(
    inMargin.map((line) => [
      line,
      `${Math.round(line.y / 4)} ${line.text.trim().replace(/\d+|\b[ivxlc]+\b/gi, '#')}`,
    ]),
  );
}

/** An indent of this many font sizes begins a paragraph. */
const INDENT = 0.8;

/** The paragraphs of a page. Words that were divided at the end of a line are whole again. */
export function paragraphsOf({ lines }: PageLayout): string[] {
  const usual = usualDistance(lines);
  const paragraphs: string[] = [];
  for (const [index, line] of lines.entries()) {
    const above = lines[index - 1];
    const last = paragraphs.length - 1;
    const text = line.text.trim();
    if (!above || beginsParagraph(above, line, usual)) paragraphs.push(text);
    else paragraphs[last] = joined(paragraphs[last] ?? '', text);
  }
  return paragraphs;
}

function beginsParagraph(above: Line, line: Line, usual: number): boolean {
  const distance = above.y - line.y;
  if (Math.abs(above.size - line.size) > 0.15 * line.size) return true;
  // The next column continues the paragraph, unless a sentence has ended or the last line is a short one.
  if (distance <= 0) return /[.!?:]\P{L}*$/u.test(above.text) || isShort(above, line);
  if (distance > usual * PARAGRAPH_GAP) return true;
  return line.left - above.left > INDENT * line.size && !/-$/.test(above.text.trim());
}

function isShort(above: Line, line: Line): boolean {
  return above.right - above.left < 0.8 * (line.right - line.left);
}

function joined(text: string, next: string): string {
  const isDivided = /\p{L}[-\u00ad\u2010]$/u.test(text) && /^\p{Ll}/u.test(next);
  return isDivided ? text.slice(0, -1) + next : `${text} ${next}`;
}

/** Titles of PDFs that programs wrote, and not people. */
const USELESS_TITLE = /^(untitled|microsoft word\b.*|.*\.(docx?|tex|dvi|pdf|indd|pages|odt|qxd|rtf))$/i;

export function isUsefulTitle(title: string | null): title is string {
  return title !== null && title.trim().length > 1 && !USELESS_TITLE.test(title.trim());
}

const LONGEST_TITLE = 200;

/** The title of a first page: its largest lines, if they are larger than the text and lie in its upper half. */
export function titleOf({ lines, height }: PageLayout): string | null {
  const usual = usualSize(lines);
  const largest = Math.max(0, ...lines.map(({ size }) => size));
  if (largest < usual * 1.2) return null;
  const first = lines.findIndex(({ size, y }) => size > largest * 0.95 && y > height / 2);
  if (first === -1) return null;
  let title = '';
  for (const line of lines.slice(first)) {
    if (line.size < largest * 0.95) break;
    title = title === '' ? line.text.trim() : joined(title, line.text.trim());
  }
  const isTitle = title.length <= LONGEST_TITLE && /\p{L}{2}/u.test(title);
  return isTitle ? canonicalLine(title) : null;
}
