/** A piece of a line that no wide gap interrupts. */
export interface Line {
  text: string;
  left: number;
  right: number;
  y: number;
  size: number;
}

/** Returns the lines of a page in reading order: columns one after the other, and then the footnotes of all of them. */
export function inReadingOrder(lines: Line[]): Line[] {
  const [body, notes] = splitFootnotes(lines);
  return [...inOrder(body, COLUMN), ...inOrder(notes, NOTE)];
}

/** The type of footnotes is at least this much smaller than that of the text. */
const NOTE_SIZE = 0.92;
/** The width of the strips in which lines are looked for below others, in points. */
const STRIP = 10;

/**
 * Separates the footnotes: lines in smaller type with nothing but such lines below them. A sentence that continues in the
 * next column is not interrupted by them.
 */
function splitFootnotes(lines: Line[]): [Line[], Line[]] {
  const smaller = NOTE_SIZE * usualSize(lines);
  const small = new Set(lines.filter(({ size }) => size < smaller));
  const lowest = new Map<number, number>();
  for (const line of lines) {
    if (small.has(line)) continue;
    for (const strip of stripsOf(line)) lowest.set(strip, Math.min(lowest.get(strip) ?? line.y, line.y));
  }
  const isNote = (line: Line) =>
    small.has(line) && stripsOf(line).every((strip) => line.y < (lowest.get(strip) ?? 0));
  const notes = new Set(lines.filter(isNote));
  return [lines.filter((line) => !notes.has(line)), [...notes]];
}

const MOST_STRIPS = 1000;

/** The vertical strips of the page that a line crosses. */
function stripsOf({ left, right }: Line): number[] {
  const first = Math.floor(left / STRIP);
  const count = Math.min(MOST_STRIPS, Math.floor(right / STRIP) - first + 1);
  return Array.from({ length: Math.max(0, count) }, (_, index) => first + index);
}

export function usualSize(lines: Line[]): number {
  const sizes = lines.map(({ size }) => size).sort((a, b) => a - b);
  return sizes[Math.floor(sizes.length / 2)] ?? 0;
}

/** A column has at least this many lines, which are at least this wide in font sizes. */
interface ColumnRule {
  lines: number;
  width: number;
}

/** Fewer lines are a label beside a value, narrower ones the cells of a table. */
const COLUMN: ColumnRule = { lines: 3, width: 8 };
const NOTE: ColumnRule = { lines: 1, width: 8 };
const CELL: ColumnRule = { lines: 1, width: 0 };

/**
 * Orders lines by cutting the page: at a gutter that no line crosses, left before right; otherwise at the widest gap
 * between lines, top before bottom. A table is cut into its rows, and those into cells. What cannot be cut is read line by
 * line.
 */
function inOrder(lines: Line[], rule: ColumnRule): Line[] {
  const ordered: Line[] = [];
  const stack = [{ lines, rule }];
  for (let part = stack.pop(); part; part = stack.pop()) {
    const { rule } = part;
    const columns = cutAtGutter(part.lines, rule);
    const rows = columns && rule === COLUMN ? tableRows(...columns) : undefined;
    const parts = rows ?? columns ?? cutBetweenLines(part.lines);
    const next = parts?.map((lines) => ({ lines, rule: rows ? CELL : rule }));
    if (next) stack.push(...next.reverse());
    else ordered.push(...part.lines.toSorted((a, b) => b.y - a.y || a.left - b.left));
  }
  return ordered;
}

function cutAtGutter(lines: Line[], rule: ColumnRule): [Line[], Line[]] | undefined {
  const byLeft = lines.toSorted((a, b) => a.left - b.left);
  let right = Number.NEGATIVE_INFINITY;
  for (const [index, line] of byLeft.entries()) {
    if (index > 0 && line.left - right > line.size) {
      const [first, second] = [byLeft.slice(0, index), byLeft.slice(index)];
      if (isColumn(first, rule) && isColumn(second, rule)) return [first, second];
    }
    right = Math.max(right, line.right);
  }
  return undefined;
}

/** Whether lines are text below one another, and not the cells of a table. */
function isColumn(lines: Line[], rule: ColumnRule): boolean {
  if (new Set(lines.map(({ y }) => Math.round(y))).size < rule.lines) return false;
  const widths = lines.map(({ left, right, size }) => (right - left) / size).sort((a, b) => a - b);
  return (widths[Math.floor(widths.length / 2)] ?? 0) > rule.width;
}

/** The paragraphs of two columns begin at the same heights at least this often in a table, and seldom in an article. */
const FEWEST_ROWS = 3;

/** Returns the rows of a table with cells of several lines, of which the columns are given. Undefined for other columns. */
function tableRows(first: Line[], second: Line[]): Line[][] | undefined {
  const [tops, others] = [topsOf(first), topsOf(second)];
  const isTable =
    tops.length >= FEWEST_ROWS &&
    tops.length === others.length &&
    tops.every((top, index) => Math.abs(top - (others[index] ?? 0)) < 1);
  if (!isTable) return undefined;
  const all = [...first, ...second];
  return tops.map((top, index) => {
    const below = tops[index + 1] ?? Number.NEGATIVE_INFINITY;
    return all.filter(({ y }) => y < top + 1 && y >= below + 1);
  });
}

/** The baselines of the first line of each block, from the top. A gap between lines separates blocks. */
function topsOf(lines: Line[]): number[] {
  const byTop = lines.toSorted((a, b) => b.y - a.y);
  const usual = usualDistance(byTop);
  return byTop.flatMap(({ y }, index) => {
    const above = byTop[index - 1]?.y ?? Number.POSITIVE_INFINITY;
    return above - y > usual * PARAGRAPH_GAP ? [y] : [];
  });
}

function cutBetweenLines(lines: Line[]): [Line[], Line[]] | undefined {
  const byTop = lines.toSorted((a, b) => b.y - a.y);
  let widest = { gap: 0, index: 0 };
  for (const [index, line] of byTop.entries()) {
    const above = byTop[index - 1];
    const gap = above ? above.y - line.y - Math.max(above.size, line.size) : 0;
    if (gap > widest.gap + 0.01) widest = { gap, index };
  }
  if (widest.index === 0) return undefined;
  return [byTop.slice(0, widest.index), byTop.slice(widest.index)];
}

/** A gap of this many times the usual distance of lines separates paragraphs, and rows of a table. */
export const PARAGRAPH_GAP = 1.35;

/** The distance between most lines. */
export function usualDistance(lines: Line[]): number {
  const distances = lines
    .map((line, index) => (lines[index - 1]?.y ?? line.y) - line.y)
    .filter((distance) => distance > 1)
    .sort((a, b) => a - b);
  return distances[Math.floor(distances.length / 2)] ?? 0;
}
