import type { JudgedDocument } from '../exported-document.ts';
import { quoteOf } from './quote-of.ts';

export const READWISE_HEAD = 'Highlight,Title,Author,URL,Note,Location,Date\r\n';

/** Writes the highlights of a document as rows of the table that Readwise imports. */
export function readwiseRowsOf({ highlights, ...document }: JudgedDocument): string {
  const { title, shown_title, author, url } = document;
  return highlights
    .map(({ target, note, created_at }, index) => [
      quoteOf(target).exact,
      shown_title ?? title ?? url,
      author,
      url,
      note,
      String(index + 1),
      created_at.slice(0, 19).replace('T', ' '),
    ])
    .map((row) => `${row.map(cell).join(',')}\r\n`)
    .join('');
}

/**
 * Puts an apostrophe before values that a spreadsheet would compute, and before those that already have one there, so that
 * the importer of Nexus removes exactly what was put.
 */
function cell(value: string | null): string {
  const text = value ?? '';
  const safe = /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
