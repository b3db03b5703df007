import { type Entry, parseDate, type Recognised } from './entry.ts';

/** Links, headings with folder names, and lists with their content. */
const TOKENS = /<(\/?)(a|h[1-6]|dl|ul)\b((?:"[^"]*"|'[^']*'|[^'">])*)>/gi;
const ATTRIBUTE = /([a-z_-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;

/** Reads bookmarks in the Netscape format. Programs write it differently, and none closes all tags. */
export function readBookmarks(text: string): Recognised {
  const entries: Entry[] = [];
  // A heading is the folder of the list that follows it, or of the links that follow it without a list.
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

function entryOf(attributes: Record<string, string>, folder: string | undefined): Entry {
  const { href = '', add_date, time_added, tags = '' } = attributes;
  return {
    url: href.trim(),
    savedAt: parseDate(add_date ?? time_added),
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
