import { type Entry, momentOf, type Recognised, textsOf, UnreadableFile } from './entry.ts';

type Row = (column: string) => string;

interface Columns {
  format: string;
  /** All of them are there, in any case. */
  has: string[];
  entry(row: Row): Entry;
}

const split = (text: string, separator: string) =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter(Boolean);

/** By their columns, the most telling first. */
const KINDS: Columns[] = [
  {
    format: 'Pocket',
    has: ['url', 'time_added', 'status'],
    entry: (row) => ({
      url: row('url'),
      savedAt: momentOf(row('time_added')),
      folder: row('status') === 'archive' ? 'Archive' : 'Unread',
      tags: split(row('tags'), '|'),
    }),
  },
  {
    format: 'Instapaper',
    has: ['url', 'selection', 'folder', 'timestamp'],
    entry: (row) => ({
      url: row('url'),
      savedAt: momentOf(row('timestamp')),
      folder: row('folder') || undefined,
      tags: listed(row('tags')),
    }),
  },
  {
    format: 'Readwise Reader',
    has: ['url', 'document tags', 'saved date', 'location'],
    entry: (row) => ({
      url: row('url'),
      savedAt: momentOf(row('saved date')),
      folder: row('location') || undefined,
      tags: listed(row('document tags')),
    }),
  },
  {
    format: 'Raindrop',
    has: ['url', 'excerpt', 'folder', 'created'],
    entry: (row) => ({
      url: row('url'),
      savedAt: momentOf(row('created')),
      folder: row('folder') || undefined,
      tags: split(row('tags'), ','),
    }),
  },
  ...['url', 'link', 'href', 'address'].map(
    (column): Columns => ({
      format: 'Table',
      has: [column],
      entry: (row) => ({ url: row(column), tags: split(row('tags'), ',') }),
    }),
  ),
];

/** A list as JSON, or as Python writes it. */
function listed(text: string): string[] {
  try {
    return textsOf(JSON.parse(text));
  } catch {
    return split(text.replace(/^\[|\]$/g, ''), ',').map((tag) => tag.replace(/^['"]|['"]$/g, ''));
  }
}

/** Undefined when the first line names no column with links. */
export function readCsv(text: string): Recognised | undefined {
  const rows = rowsOf(text);
  const head: string[] | undefined = rows.next().value;
  const names = head?.map((name) => name.trim().toLowerCase());
  const kind = names && KINDS.find(({ has }) => has.every((column) => names.includes(column)));
  if (!kind) return undefined;
  const entries: Entry[] = [];
  for (const cells of rows) {
    if (cells.every((cell) => cell.trim() === '')) continue;
    entries.push(kind.entry((column) => cells[names.indexOf(column)]?.trim() ?? ''));
  }
  return { format: kind.format, entries };
}

/** As RFC 4180 has it, with commas, semicolons or tabs: whichever the first line has most of. */
function* rowsOf(text: string): Generator<string[], undefined> {
  const first = text.slice(0, text.search(/[\r\n]|$/));
  const separator =
    [',', ';', '\t'].toSorted((a, b) => first.split(b).length - first.split(a).length)[0] ?? ',';
  let cells: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      const begin = at;
      for (let isOpen = true; isOpen; ) {
        const end = text.indexOf('"', at + 1);
        if (end === -1) throw new UnreadableFile(neverCloses(text, begin));
        cell += text.slice(at + 1, end);
        isOpen = text[end + 1] === '"';
        if (isOpen) cell += '"';
        at = end + 1;
      }
    }
    let end = at;
    while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end += 1;
    cells.push(cell + text.slice(at, end));
    at = end + 1;
    if (text[end] === separator && at < text.length) continue;
    if (text[end] === separator) cells.push('');
    if (text[end] === '\r' && text[at] === '\n') at += 1;
    yield cells;
    cells = [];
  }
}

function neverCloses(text: string, at: number): string {
  const line = text.slice(0, at).split('\n').length;
  return `In line ${line} a quotation begins that never ends. The file seems to be cut off: export it again.`;
}
