import { escapeText } from '../text/markup.ts';

/** The shortest line of a wrapped paragraph. Shorter lines are verses, addresses or lists. */
const SHORTEST_WRAPPED = 40;
/** The longest line that a person or a program has wrapped. A longer one is a paragraph of its own, and no title. */
const LONGEST_WRAPPED = 120;

/** Four columns before a line mean code or a drawing. The text of an RFC has three. */
const IS_INDENTED = /^(?: {4}| {0,3}\t)/;
const HAS_COLUMNS = /\S(?: {3}|\t)/;
const IS_LIST_ITEM = /^\s*(?:[-*+•]|\d+[.)])\s/;

/** Converts plain text to HTML, block by block. Its title is the first line below any columns, such as those of an RFC. */
export function readPlainText(text: string): { title: string | null; html: string } {
  const blocks = blocksOf(text);
  const titleBlock = blocks.find((lines) => !lines.some((line) => HAS_COLUMNS.test(line))) ?? blocks[0];
  const title = titleBlock?.[0]?.trim().replace(/^#+ /, '') ?? '';
  const isWhole = titleBlock?.length === 1 && title.length <= LONGEST_WRAPPED && blocks.length > 1;
  const html = blocks.filter((block) => !isWhole || block !== titleBlock).map(toHtml);
  return { title: shortened(title) || null, html: html.join('') };
}

/** Returns the lines of each block. Empty lines and form feeds separate blocks. */
function blocksOf(text: string): string[][] {
  const blocks: string[][] = [];
  let block: string[] = [];
  // PostgreSQL does not store NUL.
  for (const line of text.replaceAll('\0', '').split(/\r\n|[\r\n]/)) {
    if (line.includes('\f') || line.trim() === '') block = [];
    if (line.trim() === '') continue;
    if (block.length === 0) blocks.push(block);
    block.push(line.replace('\f', '').trimEnd());
  }
  return blocks;
}

function toHtml(lines: string[]): string {
  const isWrapped = isParagraph(lines);
  const isPreformatted =
    lines.some((line) => HAS_COLUMNS.test(line)) ||
    (!isWrapped && lines.some((line) => IS_INDENTED.test(line)));
  if (isPreformatted) return `<pre>${escapeText(lines.join('\n'))}</pre>`;
  const isUnwrapped = lines.some((line) => line.length > LONGEST_WRAPPED);
  const separator = isWrapped ? ' ' : isUnwrapped ? '</p><p>' : '<br>';
  return `<p>${lines.map((line) => escapeText(line.trim())).join(separator)}</p>`;
}

/** Whether lines are one wrapped paragraph, whose first line may have another indentation. */
function isParagraph([first = '', ...rest]: string[]): boolean {
  const lines = [first, ...rest];
  const indentations = new Set(rest.map((line) => line.length - line.trimStart().length));
  return (
    rest.length > 0 &&
    indentations.size === 1 &&
    !rest.some((line) => IS_LIST_ITEM.test(line)) &&
    lines.every((line) => line.length <= LONGEST_WRAPPED) &&
    lines.slice(0, -1).every((line) => line.trim().length >= SHORTEST_WRAPPED)
  );
}

function shortened(title: string): string {
  return title.length > LONGEST_WRAPPED ? `${title.slice(0, LONGEST_WRAPPED - 1).trimEnd()}…` : title;
}
