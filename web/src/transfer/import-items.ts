import Papa from 'papaparse';

/** The result of one imported link. */
export type ImportItem = { url: string } & (
  | { outcome: 'created' | 'duplicate'; media_id: string }
  | { outcome: 'invalid'; error: { code: string; message: string } }
);

export const COUNTED = ['done', 'created', 'duplicate', 'invalid'] as const;
export type Counts = Record<(typeof COUNTED)[number], number>;

export function countItems(items: readonly ImportItem[]): Counts {
  const counts = { done: items.length, created: 0, duplicate: 0, invalid: 0 };
  for (const { outcome } of items) counts[outcome] += 1;
  return counts;
}

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
