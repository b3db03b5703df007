import { decodeEntities } from './entities.ts';
import { type Entry, parseDate, type Recognised, readingOf } from './entry.ts';
import { MAX_DEPTH } from './folder-paths.ts';

/** Links, headings with folder names, lists with their content, and descriptions. */
const TOKENS = /<(\/?)(a|h[1-6]|dl|ul|dt|dd)\b((?:"[^"]*"|'[^']*'|[^'"<>])*)>/gi;
const ATTRIBUTE = /([a-z_-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;

/** Files whose headings are lists of the program, by their title, and what it means to be in a list. */
const PROGRAMS: Record<string, Record<string, { favourite?: true; archived?: true; read?: true }>> = {
  'Pocket Export': { 'Read Archive': { archived: true, read: true } },
  'Readeck Bookmarks': { Favorite: { favourite: true }, Archived: { archived: true } },
};

/** Reads bookmarks in the Netscape format. Programs write it differently, and none closes all tags. */
export function readBookmarks(text: string): Recognised {
  const entries: Entry[] = [];
  const title = /<title>([^<]*)<\/title>/i.exec(text.slice(0, 2000))?.[1] ?? '';
  const lists = Object.hasOwn(PROGRAMS, title) ? PROGRAMS[title] : undefined;
  // A heading is the folder of the list that follows it, or of the links that follow it without a list.
  const open: (string | undefined)[] = [];
  let heading: string | undefined;
  let isTitle = false;
  /** The link that a description belongs to. */
  let last: Entry | undefined;
  /** Handles the text after the last token: it is the text of a heading, a link or a description. */
  let pending: { begins: number; take: (content: string) => void } | undefined;
  for (const match of text.matchAll(TOKENS)) {
    const [whole, slash, name = '', rest = ''] = match;
    const isEnd = slash === '/';
    const tag = name.toLowerCase();
    const begins = match.index + whole.length;
    // Only its own end tag ends a heading; a description ends with whatever comes next.
    pending?.take(plainText(text.slice(pending.begins, match.index)));
    pending = undefined;
    if (isEnd && tag !== 'dl' && tag !== 'ul') continue;
    if (tag === 'a') {
      const entry = entryOf(attributesOf(rest), folderOf(open, heading), lists);
      entries.push(entry);
      last = entry;
      pending = { begins, take: (content) => (entry.title = content) };
    } else if (tag === 'dl' || tag === 'ul') {
      if (isEnd) open.pop();
      // The first heading of the file, over the list of everything, is its title.
      else open.push(isTitle && tag === 'dl' ? undefined : heading);
      heading = undefined;
      last = undefined;
    } else if (tag === 'dd') {
      const entry = last;
      if (entry) pending = { begins, take: (content) => (entry.note = content) };
    } else if (tag !== 'dt') {
      // The list of an exported library is not a folder.
      last = undefined;
      isTitle = tag === 'h1';
      const isLibrary = attributesOf(rest)['data-nexus'] === 'library';
      pending = { begins, take: (content) => (heading = isLibrary ? undefined : content) };
    }
  }
  pending?.take(plainText(text.slice(pending.begins)));
  return { format: 'Bookmarks', entries };
}

function plainText(html: string): string {
  return decodeEntities(html.replace(/<[^<>]*>/g, '')).trim();
}

function folderOf(open: (string | undefined)[], heading: string | undefined): string | undefined {
  const names = [...open.slice(0, MAX_DEPTH), heading].filter((name) => name !== undefined && name !== '');
  return names.length > 0 ? names.join(' / ') : undefined;
}

/** The attributes by their names, with their entities. */
function attributesOf(text: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name = '', double, single, bare] of text.matchAll(ATTRIBUTE)) {
    attributes[name.toLowerCase()] = double ?? single ?? bare ?? '';
  }
  return attributes;
}

function entryOf(
  attributes: Record<string, string>,
  folder: string | undefined,
  lists: (typeof PROGRAMS)[string] | undefined,
): Entry {
  const { href = '', add_date, time_added, tags = '', toread } = attributes;
  const savedAt = parseDate(add_date ?? time_added);
  const { favourite, archived, read } = lists?.[folder ?? ''] ?? {};
  return {
    url: decodeEntities(href).trim(),
    savedAt,
    ...(lists ? { state: folder } : { folder }),
    // Readeck writes a comma inside a tag as an entity.
    tags: tags
      .split(',')
      .map((tag) => decodeEntities(tag).trim())
      .filter(Boolean),
    is_favourite: favourite ?? attributes['data-important'] === 'true',
    is_archived: archived ?? attributes['data-archived'] === 'true',
    reading: read || toread === '0' ? readingOf(1, savedAt) : undefined,
  };
}
