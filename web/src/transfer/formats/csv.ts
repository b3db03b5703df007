import Papa from 'papaparse';
import { type Recognised, UnreadableFile } from './entry.ts';
import { TABLES } from './tables.ts';

/** Returns undefined when the header has no column with links. */
export function readCsv(text: string): Recognised | undefined {
  const { fields = [] } = parse(text, { preview: 1 }).meta;
  const table = TABLES.find(({ columns }) => columns.every((column) => fields.includes(column)));
  if (!table) return undefined;
  const { data, errors } = parse(text);
  const unclosed = errors.find(({ code }) => code === 'MissingQuotes');
  if (unclosed) {
    const line = text.slice(0, unclosed.index).split('\n').length;
    throw new UnreadableFile(
      `A quote in line ${line} is never closed. The file seems to be incomplete. Export it again.`,
    );
  }
  return {
    format: table.format,
    entries: data.map((row) => table.entry((column) => row[column]?.trim() ?? '')),
  };
}

function parse(text: string, options: { preview?: number } = {}) {
  return Papa.parse<Record<string, string>>(text, {
    header: true,
    delimiter: delimiterOf(text),
    transformHeader: (name) => name.trim().toLowerCase(),
    skipEmptyLines: 'greedy',
    ...options,
  });
}

/** The delimiter that occurs most often in the header. */
function delimiterOf(text: string): string {
  const header = text.slice(0, text.search(/[\r\n]|$/));
  const [delimiter = ','] = [',', ';', '\t'].toSorted(
    (a, b) => header.split(b).length - header.split(a).length,
  );
  return delimiter;
}
