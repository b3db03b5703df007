import Papa from 'papaparse';
import {
  type Entry,
  highlightOf,
  highlightsOf,
  parseDate,
  type Recognised,
  readingOf,
  textsOf,
  UnreadableFile,
} from './entry.ts';

type Row = (column: string) => string;

interface Table {
  format: string;
  /** The columns that identify the format, in lower case. */
  columns: string[];
  entry(row: Row): Entry;
}

const split = (text: string, separator: string) =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter(Boolean);

const isTrue = (text: string) => /^(true|1|yes)$/i.test(text);

/** The known formats, the most specific first. */
const KINDS: Table[] = [
  {
    format: 'Pocket',
    columns: ['url', 'time_added', 'status'],
    entry(row) {
      const isArchived = row('status') === 'archive';
      const savedAt = parseDate(row('time_added'));
      return {
        url: row('url'),
        title: row('title'),
        savedAt,
        state: isArchived ? 'Archive' : 'Unread',
        tags: split(row('tags'), '|'),
        is_archived: isArchived,
        // In Pocket, to archive is to mark as read.
        reading: isArchived ? readingOf(1, savedAt) : undefined,
      };
    },
  },
  {
    format: 'Instapaper',
    columns: ['url', 'selection', 'folder', 'timestamp'],
    entry(row) {
      const folder = row('folder');
      const isState = ['Unread', 'Archive', 'Starred', ''].includes(folder);
      return {
        url: row('url'),
        title: row('title'),
        savedAt: parseDate(row('timestamp')),
        folder: isState ? undefined : folder,
        state: isState ? folder || undefined : undefined,
        tags: parseList(row('tags')),
        is_favourite: folder === 'Starred',
        is_archived: folder === 'Archive',
        note: row('selection'),
      };
    },
  },
  {
    format: 'Readwise Reader',
    columns: ['url', 'document tags', 'saved date', 'location'],
    entry(row) {
      const savedAt = parseDate(row('saved date'));
      return {
        url: row('url'),
        title: row('title'),
        savedAt,
        state: row('location') || undefined,
        tags: parseList(row('document tags')),
        is_favourite: row('location') === 'shortlist',
        is_archived: row('location') === 'archive',
        note: row('document note'),
        reading: readingOf(Number(row('reading progress')), savedAt),
      };
    },
  },
  {
    format: 'Readwise',
    columns: ['highlight', 'book title', 'highlighted at'],
    entry: (row) => readwiseEntry(row, { title: 'book title', date: 'highlighted at' }),
  },
  {
    format: 'Readwise',
    columns: ['highlight', 'title', 'url', 'date'],
    entry: (row) => readwiseEntry(row, { title: 'title', date: 'date' }),
  },
  {
    format: 'Raindrop',
    columns: ['url', 'excerpt', 'folder', 'created'],
    entry: (row) => ({
      url: row('url'),
      title: row('title'),
      savedAt: parseDate(row('created')),
      folder: row('folder') || undefined,
      tags: split(row('tags'), ','),
      is_favourite: isTrue(row('favorite')),
      note: row('note'),
      highlights: raindropHighlights(row('highlights')),
    }),
  },
  ...['url', 'link', 'href', 'address'].map(
    (column): Table => ({
      format: 'Table',
      columns: [column],
      entry: (row) => ({
        url: row(column),
        title: row('title') || row('name'),
        folder: row('folder') || undefined,
        tags: split(row('tags'), ','),
        note: row('note') || row('notes'),
      }),
    }),
  ),
];

/** A row of Readwise's own export, which has no links, or of the table that it imports. Dates without a zone are UTC. */
function readwiseEntry(row: Row, columns: { title: string; date: string }): Entry {
  const raw = (column: string) => row(column).replace(/^'(?=[=+\-@\t\r])/, '');
  const date = raw(columns.date);
  const created = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(date) ? `${date.replace(' ', 'T')}Z` : date;
  return {
    url: raw('url'),
    title: raw(columns.title),
    tags: split(raw('document tags'), ','),
    highlights: highlightsOf([
      highlightOf(raw('highlight'), { note: raw('note'), color: raw('color'), created }),
    ]),
  };
}

/** Raindrop writes all highlights of a link into one cell, each after `Highlight:`, and its note after `Note:`. */
function raindropHighlights(cell: string): Entry['highlights'] {
  const parts = cell.split(/^Highlight:/im).filter((part) => part.trim() !== '');
  return highlightsOf(
    parts.map((part) => {
      const [quote, ...note] = part.split(/^Note:/im);
      return highlightOf(quote, { note: note.join('Note:') });
    }),
  );
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
    entries: data.map((row) => kind.entry((column) => row[column]?.trim() ?? '')),
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
