import Papa from 'papaparse';
import { type Entry, parseDate, type Recognised, textsOf, UnreadableFile } from './entry.ts';

type Row = (column: string) => string;

interface Table {
  format: string;
  /** The columns that identify the format, in lower case. The first one has the links. */
  columns: [url: string, ...others: string[]];
  /** The column with the time of saving. */
  savedAt?: string;
  folder?: (row: Row) => string;
  tags: (row: Row) => string[];
}

const split = (text: string, separator: string) =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter(Boolean);

/** The known formats, the most specific first. */
const KINDS: Table[] = [
  {
    format: 'Pocket',
    columns: ['url', 'time_added', 'status'],
    savedAt: 'time_added',
    folder: (row) => (row('status') === 'archive' ? 'Archive' : 'Unread'),
    tags: (row) => split(row('tags'), '|'),
  },
  {
    format: 'Instapaper',
    columns: ['url', 'selection', 'folder', 'timestamp'],
    savedAt: 'timestamp',
    folder: (row) => row('folder'),
    tags: (row) => parseList(row('tags')),
  },
  {
    format: 'Readwise Reader',
    columns: ['url', 'document tags', 'saved date', 'location'],
    savedAt: 'saved date',
    folder: (row) => row('location'),
    tags: (row) => parseList(row('document tags')),
  },
  {
    format: 'Raindrop',
    columns: ['url', 'excerpt', 'folder', 'created'],
    savedAt: 'created',
    folder: (row) => row('folder'),
    tags: (row) => split(row('tags'), ','),
  },
  ...['url', 'link', 'href', 'address'].map(
    (column): Table => ({ format: 'Table', columns: [column], tags: (row) => split(row('tags'), ',') }),
  ),
];

function entryOf({ columns: [url], savedAt, folder, tags }: Table, row: Row): Entry {
  return {
    url: row(url),
    savedAt: savedAt ? parseDate(row(savedAt)) : undefined,
    folder: folder?.(row) || undefined,
    tags: tags(row),
  };
}

/** Parses a list in JSON or Python syntax. */
function parseList(text: string): string[] {
  try {
    return textsOf(JSON.parse(text));
  } catch {
    return split(text.replace(/^\[|\]$/g, ''), ',').map((tag) => tag.replace(/^['"]|['"]$/g, ''));
  }
}

/** Returns undefined when the header has no column with links. */
export function readCsv(text: string): Recognised | undefined {
  const { fields = [] } = parse(text, { preview: 1 }).meta;
  const kind = KINDS.find(({ columns }) => columns.every((column) => fields.includes(column)));
  if (!kind) return undefined;
  const { data, errors } = parse(text);
  const unclosed = errors.find(({ code }) => code === 'MissingQuotes');
  if (unclosed) {
    const line = text.slice(0, unclosed.index).split('\n').length;
    throw new UnreadableFile(
      `A quote in line ${line} is never closed. The file seems to be incomplete. Export it again.`,
    );
  }
  return {
    format: kind.format,
    entries: data.map((row) => entryOf(kind, (column) => row[column]?.trim() ?? '')),
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
