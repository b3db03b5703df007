import { type Entry, highlightOf, highlightsOf, parseDate, readingOf } from './entry.ts';
import { parseList, split } from './lists.ts';

type Row = (column: string) => string;

interface Table {
  format: string;
  /** The columns that identify the format, in lower case. */
  columns: string[];
  entry(row: Row): Entry;
}

const isTrue = (text: string) => /^(true|1|yes)$/i.test(text);

/** The known formats, the most specific first. */
export const TABLES: Table[] = [
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
    // Earlier exports have neither dates nor tags.
    columns: ['url', 'selection', 'folder'],
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
      const tags = parseList(row('document tags'));
      return {
        url: row('url'),
        title: row('title'),
        savedAt,
        state: row('location') || undefined,
        tags: tags.filter((tag) => tag !== 'favorite'),
        // Reader stores the favourites as a tag.
        is_favourite: row('location') === 'shortlist' || tags.includes('favorite'),
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
  {
    format: 'Readeck',
    columns: ['url', 'labels', 'is_archived', 'is_marked'],
    entry: (row) => ({
      url: row('url'),
      title: row('title'),
      savedAt: parseDate(row('created')),
      state: isTrue(row('is_archived')) ? 'Archive' : 'Unread',
      tags: parseList(row('labels')),
      is_favourite: isTrue(row('is_marked')),
      is_archived: isTrue(row('is_archived')),
    }),
  },
  {
    format: 'Wallabag',
    columns: ['url', 'mime type', 'creation date'],
    entry: (row) => ({
      url: row('url'),
      title: row('title'),
      savedAt: parseDate(wallabagDay(row('creation date'))),
      tags: split(row('tags'), ','),
    }),
  },
  {
    format: 'Hypothesis',
    columns: ['url', 'annotation/reply type', 'quote'],
    entry(row) {
      const created = row('creation date') || row('created at');
      const note = row('body') || row('comment');
      const highlight = highlightOf(row('quote'), { note, created });
      return {
        url: row('url'),
        savedAt: parseDate(created),
        tags: split(row('tags'), ','),
        ...(highlight ? { highlights: [highlight] } : { note }),
      };
    },
  },
  ...['url', 'link', 'href', 'address'].map(
    (column): Table => ({
      format: 'Table',
      columns: [column],
      entry: (row) => ({
        url: row(column),
        title: row('title') || row('name'),
        savedAt: parseDate(row('created') || row('date')),
        folder: row('folder') || undefined,
        tags: parseList(row('tags') || row('labels')),
        note: row('note') || row('notes'),
      }),
    }),
  ),
];

/** A row of Readwise's own export, which has no links, or of the table that it imports. Dates without a zone are UTC. */
function readwiseEntry(row: Row, columns: { title: string; date: string }): Entry {
  const raw = (column: string) => row(column).replace(/^'(?='*[=+\-@\t\r])/, '');
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

/** Wallabag writes the day first, and the hour without saying whether it is before or after noon. */
const wallabagDay = (date: string) => date.replace(/^(\d\d)\/(\d\d)\/(\d{4}).*$/, '$3-$2-$1');
