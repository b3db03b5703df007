import { type Entry, momentOf, type Recognised, textsOf, UnreadableFile } from './entry.ts';

type Fields = Record<string, unknown>;

interface Shape {
  format: string;
  /** Undefined when it is something else. */
  read(value: unknown): Entry[] | undefined;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown) => (typeof value === 'string' ? value.trim() : '');
const fieldsIn = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

/** A list of objects that all look like its first. */
function listOf(value: unknown, has: string[], entry: (item: Fields) => Entry): Entry[] | undefined {
  const items = fieldsIn(value);
  const [first] = items;
  if (!first || !has.every((name) => name in first)) return undefined;
  return items.map(entry);
}

const SHAPES: Shape[] = [
  {
    format: 'Nexus',
    read: (value) =>
      isFields(value) && value.format === 'nexus-export'
        ? fieldsIn(value.documents).map(({ url, added_at }) => ({
            url: text(url),
            savedAt: momentOf(added_at),
          }))
        : undefined,
  },
  {
    format: 'Karakeep',
    read: (value) =>
      isFields(value)
        ? listOf(value.bookmarks, ['content', 'createdAt'], ({ content, createdAt, tags, archived }) => ({
            url: isFields(content) ? text(content.url) : '',
            savedAt: momentOf(createdAt),
            folder: archived === true ? 'Archive' : undefined,
            tags: textsOf(tags),
          }))
        : undefined,
  },
  {
    format: 'Linkwarden',
    read: (value) =>
      isFields(value) && fieldsIn(value.collections).some(({ links }) => Array.isArray(links))
        ? fieldsIn(value.collections).flatMap(({ name, links }) =>
            fieldsIn(links).map(({ url, createdAt, importDate, tags }) => ({
              url: text(url),
              savedAt: momentOf(importDate ?? createdAt),
              folder: text(name) || undefined,
              tags: textsOf(tags),
            })),
          )
        : undefined,
  },
  {
    format: 'Omnivore',
    read: (value) =>
      listOf(value, ['url', 'savedAt', 'slug'], ({ url, savedAt, state, labels }) => ({
        url: text(url),
        savedAt: momentOf(savedAt),
        folder: text(state) || undefined,
        tags: textsOf(labels),
      })),
  },
  {
    format: 'Wallabag',
    read: (value) =>
      listOf(value, ['url', 'is_archived'], ({ url, given_url, created_at, is_archived, tags }) => ({
        url: text(url) || text(given_url),
        savedAt: momentOf(created_at),
        folder: is_archived ? 'Archive' : 'Unread',
        tags: textsOf(tags),
      })),
  },
  {
    format: 'Readeck',
    read: (value) =>
      isFields(value) && 'URL' in value && 'Labels' in value
        ? [
            {
              url: text(value.URL),
              savedAt: momentOf(value.Created),
              folder: value.IsArchived === true ? 'Archive' : 'Unread',
              tags: textsOf(value.Labels),
            },
          ]
        : undefined,
  },
];

export interface JsonOptions {
  /** Whether links are looked for in what no known program writes. */
  isLoose: boolean;
}

export function readJson(content: string, { isLoose }: JsonOptions): Recognised | undefined {
  const value = parse(content);
  for (const { format, read } of SHAPES) {
    const entries = read(value);
    if (entries) return { format, entries };
  }
  const entries = isLoose ? looseEntries(value) : [];
  return entries.length > 0 ? { format: 'JSON', entries } : undefined;
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    throw new UnreadableFile(
      'The file begins like JSON and breaks off, or has a fault inside. Export it again, whole.',
    );
  }
}

const ADDRESSES = ['url', 'uri', 'href', 'link', 'URL'];

/** Every object that has an address, however deep: the backups of browsers, and whatever else there is. */
function looseEntries(value: unknown): Entry[] {
  const entries: Entry[] = [];
  const left: { value: unknown; folder: string | undefined }[] = [{ value, folder: undefined }];
  for (let next = left.pop(); next; next = left.pop()) {
    const { value: current, folder } = next;
    if (Array.isArray(current)) {
      for (let n = current.length - 1; n >= 0; n--) left.push({ value: current[n], folder });
    } else if (isFields(current)) {
      const url = ADDRESSES.map((name) => text(current[name])).find((given) => /^https?:\/\//i.test(given));
      if (url) entries.push({ url, folder });
      const name = text(current.name) || text(current.title) || folder;
      const inner = Object.values(current).filter((part) => typeof part === 'object');
      for (const part of inner.reverse()) left.push({ value: part, folder: url ? folder : name });
    }
  }
  return entries;
}
