import type { ImportItem } from './import-item.ts';

/** Every link and what became of it, for a spreadsheet. */
export function resultCsv(items: readonly ImportItem[]): string {
  const rows = items.map((item) =>
    item.outcome === 'invalid'
      ? [item.url, item.outcome, '', item.error.code, item.error.message]
      : [item.url, item.outcome, item.media_id, '', ''],
  );
  return [['url', 'outcome', 'media_id', 'error_code', 'error_message'], ...rows]
    .map((cells) => `${cells.map(cell).join(',')}\r\n`)
    .join('');
}

/** What a spreadsheet would compute is marked as text. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
