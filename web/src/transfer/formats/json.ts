import { type Entry, parseDate, type Recognised, textsOf, UnreadableFile } from './entry.ts';

type Fields = Record<string, unknown>;

interface Shape {
  format: string;
  /** Returns undefined when the value has another format. */
  items(value: unknown): Fields[] | undefined;
  entry(item: Fields): Entry;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown) => (typeof value === 'string' ? value.trim() : '');
const fieldsIn = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

/** Returns a list of objects, if the first one has the given fields. */
function listOf(value: unknown, ...names: string[]): Fields[] | undefined {
  const items = fieldsIn(value);
  const [first] = items;
  return first && names.every((name) => name in first) ? items : undefined;
}

const SHAPES: Shape[] = [
  {
    format: 'Nexus',
    items: (value) =>
      isFields(value) && value.format === 'nexus-export' ? fieldsIn(value.documents) : undefined,
    entry: ({ url, added_at }) => ({ url: text(url), savedAt: parseDate(added_at) }),
  },
  {
    format: 'Karakeep',
    items: (value) => (isFields(value) ? listOf(value.bookmarks, 'content', 'createdAt') : undefined),
    entry: ({ content, createdAt, tags, archived }) => ({
      url: isFields(content) ? text(content.url) : '',
      savedAt: parseDate(createdAt),
      folder: archived === true ? 'Archive' : undefined,
      tags: textsOf(tags),
    }),
  },
  {
    format: 'Linkwarden',
    items: (value) => {
      const collections = isFields(value) ? fieldsIn(value.collections) : [];
      if (!collections.some(({ links }) => Array.isArray(links))) return undefined;
      return collections.flatMap(({ name, links }) => fieldsIn(links).map((link) => ({ ...link, name })));
    },
    entry: ({ url, createdAt, importDate, tags, name }) => ({
      url: text(url),
      savedAt: parseDate(importDate ?? createdAt),
      folder: text(name) || undefined,
      tags: textsOf(tags),
    }),
  },
  {
    format: 'Omnivore',
    items: (value) => listOf(value, 'url', 'savedAt', 'slug'),
    entry: ({ url, savedAt, state, labels }) => ({
      url: text(url),
      savedAt: parseDate(savedAt),
      folder: text(state) || undefined,
      tags: textsOf(labels),
    }),
  },
  {
    format: 'Wallabag',
    items: (value) => listOf(value, 'url', 'is_archived'),
    entry: ({ url, given_url, created_at, is_archived, tags }) => ({
      url: text(url) || text(given_url),
      savedAt: parseDate(created_at),
      folder: is_archived ? 'Archive' : 'Unread',
      tags: textsOf(tags),
    }),
  },
  {
    format: 'Readeck',
    items: (value) => listOf([value], 'URL', 'Labels'),
    entry: ({ URL: url, Created, IsArchived, Labels }) => ({
      url: text(url),
      savedAt: parseDate(Created),
      folder: IsArchived === true ? 'Archive' : 'Unread',
      tags: textsOf(Labels),
    }),
  },
];

interface JsonOptions {
  /** Whether links are searched in unknown formats, too. */
  isLoose: boolean;
}

export function readJson(content: string, { isLoose }: JsonOptions): Recognised | undefined {
  const value = parse(content);
  for (const { format, items, entry } of SHAPES) {
    const found = items(value);
    if (found) return { format, entries: found.map(entry) };
  }
  const entries = isLoose ? looseEntries(value) : [];
  return entries.length > 0 ? { format: 'JSON', entries } : undefined;
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    throw new UnreadableFile('The file is not valid JSON, or it is incomplete. Export it again.');
  }
}

const ADDRESSES = ['url', 'uri', 'href', 'link', 'URL'];

/** Finds every object with a link, at any depth. */
function looseEntries(value: unknown): Entry[] {
  const entries: Entry[] = [];
  const pending: { value: unknown; folder: string | undefined }[] = [{ value, folder: undefined }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value: current, folder } = next;
    if (Array.isArray(current)) {
      for (let n = current.length - 1; n >= 0; n--) pending.push({ value: current[n], folder });
    } else if (isFields(current)) {
      const url = ADDRESSES.map((name) => text(current[name])).find((given) => /^https?:\/\//i.test(given));
      if (url) entries.push({ url, folder });
      const name = text(current.name) || text(current.title) || folder;
      const inner = Object.values(current).filter((part) => typeof part === 'object');
      for (const part of inner.reverse()) pending.push({ value: part, folder: url ? folder : name });
    }
  }
  return entries;
}
