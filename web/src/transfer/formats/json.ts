import { hypothesisEntry, hypothesisItems, webAnnotationEntry, webAnnotationItems } from './annotations.ts';
import {
  type Entry,
  highlightOf,
  highlightsOf,
  parseDate,
  type Recognised,
  readingOf,
  textOf,
  textsOf,
  UnreadableFile,
} from './entry.ts';
import { type Fields, fieldsIn, isFields, listOf } from './fields.ts';
import { nexusEntry } from './nexus.ts';

interface Shape {
  format: string;
  /** Returns undefined when the value has another format. */
  items(value: unknown): Fields[] | undefined;
  entry(item: Fields): Entry;
}

const SHAPES: Shape[] = [
  {
    format: 'Nexus',
    items: (value) =>
      isFields(value) && value.format === 'nexus-export' ? fieldsIn(value.documents) : undefined,
    entry: nexusEntry,
  },
  { format: 'Web Annotations', items: webAnnotationItems, entry: webAnnotationEntry },
  { format: 'Hypothesis', items: hypothesisItems, entry: hypothesisEntry },
  {
    format: 'Karakeep',
    items: (value) => (isFields(value) ? withListNames(value) : undefined),
    entry: ({ content, createdAt, title, tags, archived, favourited, note, lists, highlights }) => ({
      url: isFields(content) ? textOf(content.url) : '',
      savedAt: parseDate(createdAt),
      title: textOf(title),
      state: archived === true ? 'Archive' : undefined,
      tags: [...textsOf(tags), ...textsOf(lists)],
      is_favourite: favourited === true,
      is_archived: archived === true,
      note: textOf(note),
      highlights: highlightsOf(
        fieldsIn(highlights).map((one) => highlightOf(one.text, { ...one, created: one.createdAt })),
      ),
    }),
  },
  {
    format: 'Linkwarden',
    items: (value) => {
      const collections = isFields(value) ? fieldsIn(value.collections) : [];
      if (!collections.some(({ links }) => Array.isArray(links))) return undefined;
      const pinned = new Set(fieldsIn(isFields(value) ? value.pinnedLinks : []).map(({ id }) => id));
      return collections.flatMap(({ name, links }) =>
        fieldsIn(links).map((link) => ({
          ...link,
          collection: name,
          isPinned: pinned.has(link.id) || fieldsIn(link.pinnedBy).length > 0,
        })),
      );
    },
    entry: ({ url, name, description, createdAt, importDate, tags, collection, isPinned, highlights }) => ({
      url: textOf(url),
      savedAt: parseDate(importDate ?? createdAt),
      title: textOf(name),
      folder: textOf(collection) || undefined,
      tags: textsOf(tags),
      is_favourite: isPinned === true,
      note: textOf(description),
      highlights: highlightsOf(
        fieldsIn(highlights).map((one) =>
          highlightOf(one.text, { note: one.comment, color: one.color, created: one.createdAt }),
        ),
      ),
    }),
  },
  {
    format: 'Omnivore',
    items: (value) => listOf(value, 'url', 'savedAt', 'slug'),
    entry: ({ url, savedAt, title, state, labels, readingProgress, highlights }) => ({
      url: textOf(url),
      savedAt: parseDate(savedAt),
      title: textOf(title),
      state: textOf(state) || undefined,
      tags: textsOf(labels),
      is_archived: state === 'Archived',
      reading: readingOf(Number(readingProgress) / 100, parseDate(savedAt)),
      // From the file of its highlights, which is in the same archive.
      highlights: highlightsOf(fieldsIn(highlights).map((one) => highlightOf(one.quote, one))),
    }),
  },
  {
    format: 'Wallabag',
    items: (value) => listOf(value, 'url', 'is_archived'),
    entry: ({ url, given_url, created_at, title, is_archived, is_starred, tags, annotations }) => {
      const savedAt = parseDate(created_at);
      return {
        url: textOf(url) || textOf(given_url),
        savedAt,
        title: textOf(title),
        state: is_archived ? 'Archive' : 'Unread',
        tags: textsOf(tags),
        is_favourite: Boolean(is_starred),
        is_archived: Boolean(is_archived),
        // In Wallabag, to archive is to mark as read.
        reading: is_archived ? readingOf(1, savedAt) : undefined,
        highlights: highlightsOf(
          fieldsIn(annotations).map((one) =>
            highlightOf(one.quote, { note: one.text, created: one.created_at }),
          ),
        ),
      };
    },
  },
  {
    format: 'Readeck',
    items: (value) => listOf([value], 'URL', 'Labels'),
    entry: ({ URL: url, Title, Created, IsArchived, IsMarked, Labels, ReadProgress, Annotations }) => ({
      url: textOf(url),
      savedAt: parseDate(Created),
      title: textOf(Title),
      state: IsArchived === true ? 'Archive' : 'Unread',
      tags: textsOf(Labels),
      is_favourite: IsMarked === true,
      is_archived: IsArchived === true,
      reading: readingOf(Number(ReadProgress) / 100, parseDate(Created)),
      highlights: highlightsOf(fieldsIn(Annotations).map((one) => highlightOf(one.text, one))),
    }),
  },
];

/** The bookmarks of Karakeep, with the names of their lists, which become tags. */
function withListNames(value: Fields): Fields[] | undefined {
  const bookmarks = listOf(value.bookmarks, 'content', 'createdAt');
  const names = new Map(fieldsIn(value.lists).map(({ id, name }) => [id, name]));
  return bookmarks?.map((bookmark) => ({
    ...bookmark,
    lists: Array.isArray(bookmark.lists) ? bookmark.lists.map((id) => names.get(id)) : [],
  }));
}

interface JsonOptions {
  /** Whether links are searched in unknown formats, too. */
  isLoose: boolean;
  /** Completes each item of a known format. */
  complete?: (item: Fields) => Fields;
}

export function readJson(content: string, { isLoose, complete = (item) => item }: JsonOptions) {
  const value = parse(content);
  for (const { format, items, entry } of SHAPES) {
    const found = items(value);
    if (found) return { format, entries: found.map((item) => entry(complete(item))) } satisfies Recognised;
  }
  const entries = isLoose ? looseEntries(value) : [];
  return entries.length > 0 ? ({ format: 'JSON', entries } satisfies Recognised) : undefined;
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
      const url = ADDRESSES.map((name) => textOf(current[name])).find((given) => /^https?:\/\//i.test(given));
      const name = textOf(current.name) || textOf(current.title);
      if (url) entries.push({ url, folder, title: name, tags: tagsIn(current.tags) });
      const inner = Object.values(current).filter((part) => typeof part === 'object');
      for (const part of inner.reverse())
        pending.push({ value: part, folder: url ? folder : name || folder });
    }
  }
  return entries;
}

/** Firefox writes tags as one text. */
function tagsIn(value: unknown): string[] {
  return typeof value === 'string' ? textsOf(value.split(',')) : textsOf(value);
}
