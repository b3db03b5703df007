import { type Entry, parseDate, type Recognised, readingOf } from './entry.ts';

/** Links, headings with folder names, lists with their content, and descriptions. */
const TOKENS = /<(\/?)(a|h[1-6]|dl|ul|dt|dd)\b((?:"[^"]*"|'[^']*'|[^'">])*)>/gi;
const ATTRIBUTE = /([a-z_-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;

/** Reads bookmarks in the Netscape format. Programs write it differently, and none closes all tags. */
export function readBookmarks(text: string): Recognised {
  const entries: Entry[] = [];
  const isPocket = /<title>Pocket Export<\/title>/i.test(text.slice(0, 2000));
  // A heading is the folder of the list that follows it, or of the links that follow it without a list.
  const open: (string | undefined)[] = [];
  let heading: string | undefined;
  /** The link that a description belongs to. */
  let last: Entry | undefined;
  /** Takes the text after the last token, as that of a heading, a link or a description. */
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
      const entry = entryOf(attributesOf(rest), folderOf(open, heading), isPocket);
      entries.push(entry);
      last = entry;
      pending = { begins, take: (content) => (entry.title = content) };
    } else if (tag === 'dl' || tag === 'ul') {
      if (isEnd) open.pop();
      else open.push(heading);
      heading = undefined;
      last = undefined;
    } else if (tag === 'dd') {
      const entry = last;
      if (entry) pending = { begins, take: (content) => (entry.note = content) };
    } else if (tag !== 'dt') {
      // The list of an exported library is not a folder.
      last = undefined;
      const isLibrary = attributesOf(rest)['data-nexus'] === 'library';
      pending = { begins, take: (content) => (heading = isLibrary ? undefined : content) };
    }
  }
  pending?.take(plainText(text.slice(pending.begins)));
  return { format: 'Bookmarks', entries };
}

function plainText(html: string): string {
  return decodeEntities(html.replace(/<[^>]*>/g, '')).trim();
}

/** The path of folders. The title of the whole file is not a folder. */
function folderOf(open: (string | undefined)[], heading: string | undefined): string | undefined {
  const names = [...open, heading].filter((name) => name !== undefined && name !== '');
  return names[0] === 'Bookmarks' || names[0] === 'Bookmarks Menu' ? join(names.slice(1)) : join(names);
}

const join = (names: (string | undefined)[]) => (names.length > 0 ? names.join(' / ') : undefined);

function attributesOf(text: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name = '', double, single, bare] of text.matchAll(ATTRIBUTE)) {
    attributes[name.toLowerCase()] = decodeEntities(double ?? single ?? bare ?? '');
  }
  return attributes;
}

function entryOf(attributes: Record<string, string>, folder: string | undefined, isPocket: boolean): Entry {
  const { href = '', add_date, time_added, tags = '', toread } = attributes;
  const savedAt = parseDate(add_date ?? time_added);
  const isPocketArchive = isPocket && folder === 'Read Archive';
  return {
    url: href.trim(),
    savedAt,
    ...(isPocket ? { state: folder } : { folder }),
    tags: tags
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
    is_favourite: attributes['data-important'] === 'true',
    is_archived: isPocketArchive || attributes['data-archived'] === 'true',
    reading: isPocketArchive || toread === '0' ? readingOf(1, savedAt) : undefined,
  };
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined;
    if (code === undefined) return ENTITIES[String(name).toLowerCase()] ?? whole;
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });
}
