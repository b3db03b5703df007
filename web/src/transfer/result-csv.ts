import Papa from 'papaparse';
import type { ImportItem } from './import-item.ts';

const COLUMNS = ['url', 'outcome', 'media_id', 'error_code', 'error_message'];

/** All links with their results, as CSV. Values that a spreadsheet would compute are escaped. */
export function resultCsv(items: readonly ImportItem[]): string {
  const rows = items.map((item) =>
    item.outcome === 'invalid'
      ? [item.url, item.outcome, '', item.error.code, item.error.message]
      : [item.url, item.outcome, item.media_id, '', ''],
  );
  return `${Papa.unparse([COLUMNS, ...rows], { escapeFormulae: true })}\r\n`;
}
