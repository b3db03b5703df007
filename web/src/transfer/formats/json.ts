import { hypothesisEntry, hypothesisItems, webAnnotationEntry, webAnnotationItems } from './annotations.ts';
import {
  type Entry,
  highlightOf,
  highlightsOf,
  parseDate,
  type Recognised,
  readingOf,
  tagsIn,
  textOf,
  textsOf,
  UnreadableFile,
} from './entry.ts';
import { type Fields, fieldsIn, isFields, listOf } from './fields.ts';
import { karakeepEntry, karakeepItems } from './karakeep.ts';
import { linkwardenEntry, linkwardenItems } from './linkwarden.ts';
import { nexusEntry } from './nexus.ts';
import { omnivoreEntry } from './omnivore.ts';
import { wallabagEntry, wallabagItems } from './wallabag.ts';

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
  { format: 'Karakeep', items: karakeepItems, entry: karakeepEntry },
  { format: 'Linkwarden', items: linkwardenItems, entry: linkwardenEntry },
  { format: 'Omnivore', items: (value) => listOf(value, 'url', 'savedAt', 'slug'), entry: omnivoreEntry },
  { format: 'Wallabag', items: wallabagItems, entry: wallabagEntry },
  {
    // The links are in a table of the same archive.
    format: 'Pocket',
    items: (value) => {
      const items = listOf(value, 'url', 'highlights');
      return items && listOf(items[0]?.highlights, 'quote') ? items : undefined;
    },
    entry: ({ url, title, highlights }) => ({
      url: textOf(url),
      title: textOf(title),
      highlights: highlightsOf(
        fieldsIn(highlights).map((one) => highlightOf(one.quote, { created: one.created_at })),
      ),
    }),
  },
  {
    format: 'Pinboard',
    items: (value) => listOf(value, 'href', 'description', 'extended', 'toread'),
    entry: ({ href, description, extended, time, tags }) => ({
      url: textOf(href),
      savedAt: parseDate(time),
      title: textOf(description),
      tags: textOf(tags).split(/\s+/).filter(Boolean),
      note: textOf(extended),
    }),
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
/** Firefox and Chrome write the first two. */
const DATES = ['dateAdded', 'date_added', 'createdAt', 'created_at', 'created'];
/** The folders that every profile of Firefox has. */
const FIREFOX_ROOT = /^(menu|toolbar|unfiled|mobile|root)_+$/;

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
      const isRoot = FIREFOX_ROOT.test(textOf(current.guid));
      const name = isRoot ? '' : textOf(current.name) || textOf(current.title);
      const savedAt = DATES.map((field) => parseDate(current[field])).find((date) => date !== undefined);
      if (url) entries.push({ url, savedAt, folder, title: name, tags: tagsIn(current.tags) });
      const inner = Object.values(current).filter((part) => typeof part === 'object');
      for (const part of inner.reverse())
        pending.push({ value: part, folder: url ? folder : name || folder });
    }
  }
  return entries;
}
