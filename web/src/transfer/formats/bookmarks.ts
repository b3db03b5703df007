import { type Entry, momentOf, type Recognised } from './entry.ts';

/** Whatever matters in a file of bookmarks: links, headings that name folders, and lists that hold them. */
const TOKENS = /<(\/?)(a|h[1-6]|dl|ul)\b((?:"[^"]*"|'[^']*'|[^'">])*)>/gi;
const ATTRIBUTE = /([a-z_-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;

/** Browsers, Pocket, Raindrop, Karakeep and Linkwarden write it, each a little differently; none closes all it opens. */
export function readBookmarks(text: string): Recognised {
  const entries: Entry[] = [];
  // A heading names the list that follows it; what stands in no list is named by the heading before it.
  const open: (string | undefined)[] = [];
  let heading: string | undefined;
  let headingBegins: number | undefined;
  for (const match of text.matchAll(TOKENS)) {
    const [whole, slash, name = '', rest = ''] = match;
    const isEnd = slash === '/';
    const tag = name.toLowerCase();
    if (tag === 'a' && !isEnd) {
      entries.push(entryOf(attributesOf(rest), folderOf(open, heading)));
    } else if (tag === 'dl' || tag === 'ul') {
      if (isEnd) open.pop();
      else open.push(heading);
      heading = undefined;
    } else if (tag !== 'a' && !isEnd) {
      headingBegins = match.index + whole.length;
    } else if (tag !== 'a' && headingBegins !== undefined) {
      heading = decodeEntities(text.slice(headingBegins, match.index).replace(/<[^>]*>/g, '')).trim();
      headingBegins = undefined;
    }
  }
  return { format: 'Bookmarks', entries };
}

/** The title of the whole file is no folder. */
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

function entryOf(attributes: Record<string, string>, folder: string | undefined): Entry {
  const { href = '', add_date, time_added, tags = '' } = attributes;
  return {
    url: href.trim(),
    savedAt: momentOf(add_date ?? time_added),
    folder,
    tags: tags
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
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
