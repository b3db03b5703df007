import type { Entry, Recognised } from './formats/entry.ts';

/** The limit of the server. */
const LONGEST_URL = 2048;
/** The most rejected entries that are shown; all are counted. */
const SHOWN_REFUSALS = 200;

export interface Folder {
  name: string;
  count: number;
}

/** The content of an import, before anything is sent. */
export interface ParsedImport {
  formats: string[];
  /** Each link once, the oldest first. */
  urls: string[];
  /** When each link was saved, in milliseconds since 1970; 0 when unknown. */
  savedAt: Float64Array;
  /** The index of the folder of each link; -1 for none. */
  folderOf: Int32Array;
  folders: Folder[];
  duplicates: number;
  refusedCount: number;
  refused: { text: string; reason: string }[];
  tagCount: number;
}

export function parseImport(files: readonly Recognised[]): ParsedImport {
  const known = new Set<string>();
  const links: { url: string; entry: Entry }[] = [];
  const refused: ParsedImport['refused'] = [];
  const tags = new Set<string>();
  let refusedCount = 0;
  let duplicates = 0;
  for (const { entries } of files) {
    for (const entry of entries) {
      for (const tag of entry.tags ?? []) tags.add(tag);
      const read = readLink(entry.url);
      if ('reason' in read) {
        refusedCount += 1;
        if (refused.length < SHOWN_REFUSALS)
          refused.push({ text: entry.url.slice(0, 200), reason: read.reason });
      } else if (known.has(read.key)) {
        duplicates += 1;
      } else {
        known.add(read.key);
        links.push({ url: entry.url, entry });
      }
    }
  }
  links.sort((a, b) => (a.entry.savedAt ?? 0) - (b.entry.savedAt ?? 0));
  return {
    formats: [...new Set(files.map(({ format }) => format))],
    urls: links.map(({ url }) => url),
    savedAt: Float64Array.from(links, ({ entry }) => entry.savedAt ?? 0),
    ...foldersOf(links),
    duplicates,
    refusedCount,
    refused,
    tagCount: tags.size,
  };
}

function readLink(text: string): { key: string } | { reason: string } {
  if (text === '') return { reason: 'Not a link, but a note or a file.' };
  if (text.length > LONGEST_URL)
    return { reason: `Longer than ${LONGEST_URL.toLocaleString('en')} characters.` };
  if (!URL.canParse(text)) return { reason: 'Not a valid link.' };
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { reason: 'Does not start with http or https.' };
  if (url.username || url.password) return { reason: 'Contains a username or password.' };
  url.hash = '';
  return { key: url.href };
}

function foldersOf(links: readonly { entry: Entry }[]): Pick<ParsedImport, 'folders' | 'folderOf'> {
  const indexes = new Map<string, number>();
  const folders: Folder[] = [];
  const folderOf = new Int32Array(links.length).fill(-1);
  for (const [index, { entry }] of links.entries()) {
    if (entry.folder === undefined) continue;
    let folderIndex = indexes.get(entry.folder);
    if (folderIndex === undefined) {
      folderIndex = folders.length;
      indexes.set(entry.folder, folderIndex);
      folders.push({ name: entry.folder, count: 0 });
    }
    folderOf[index] = folderIndex;
    const folder = folders[folderIndex];
    if (folder) folder.count += 1;
  }
  return { folders, folderOf };
}
