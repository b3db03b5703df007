import { detailsOf, mergeEntries } from './details.ts';
import type { Details, Entry, Recognised } from './formats/entry.ts';

/** The limit of the server. */
const LONGEST_URL = 2048;
/** The most rejected entries that are shown; all are counted. */
const SHOWN_REFUSALS = 200;

export interface Folder {
  name: string;
  count: number;
  /** Whether the person made it. Otherwise it is a list of the program, such as its archive. */
  isOwn: boolean;
}

/** The number of details that are imported with the links. */
export interface Kept {
  tags: number;
  favourites: number;
  archived: number;
  finished: number;
  notes: number;
  highlights: number;
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
  /** The other details of each link; null for none. */
  details: (Details | null)[];
  kept: Kept;
  duplicates: number;
  refusedCount: number;
  refused: { text: string; reason: string }[];
}

/** The entries of the same link. */
type Entries = [Entry, ...Entry[]];

export function parseImport(files: readonly Recognised[]): ParsedImport {
  const links = new Map<string, Entries>();
  const unlinked: Entry[] = [];
  const refused: ParsedImport['refused'] = [];
  let refusedCount = 0;
  let duplicates = 0;
  const refuse = (text: string, reason: string) => {
    refusedCount += 1;
    if (refused.length < SHOWN_REFUSALS) refused.push({ text: text.slice(0, 200), reason });
  };
  for (const { entries } of files) {
    for (const entry of entries) {
      if (entry.url === '' && entry.highlights?.length) {
        unlinked.push(entry);
        continue;
      }
      const read = readLink(entry.url);
      if ('reason' in read) {
        refuse(entry.url, read.reason);
        continue;
      }
      const known = links.get(read.key);
      if (known && !entry.highlights?.length) duplicates += 1;
      if (known) known.push(entry);
      else links.set(read.key, [entry]);
    }
  }
  for (const text of joinByTitle(links, unlinked)) {
    refuse(
      text,
      'Highlights without a link. Choose the file with the links, too, such as the export of Readwise Reader.',
    );
  }
  const sorted = [...links.values()].map(mergeEntries).sort((a, b) => (a.savedAt ?? 0) - (b.savedAt ?? 0));
  const details = sorted.map(detailsOf);
  return {
    formats: [...new Set(files.map(({ format }) => format))],
    urls: sorted.map(({ url }) => url),
    savedAt: Float64Array.from(sorted, ({ savedAt }) => savedAt ?? 0),
    ...foldersOf(sorted),
    details,
    kept: countKept(details),
    duplicates,
    refusedCount,
    refused,
  };
}

/** Adds highlights without a link to the link with the same title. Returns the titles that no link has. */
function joinByTitle(links: ReadonlyMap<string, Entries>, unlinked: readonly Entry[]): string[] {
  if (unlinked.length === 0) return [];
  const titleKey = (title: string | undefined) => (title ?? '').replace(/\s+/g, ' ').trim().toLowerCase();
  const byTitle = new Map(
    [...links.values()].map((entries) => [titleKey(mergeEntries(entries).title), entries]),
  );
  const homeless: string[] = [];
  for (const entry of unlinked) {
    const entries = entry.title ? byTitle.get(titleKey(entry.title)) : undefined;
    if (entries) entries.push(entry);
    else homeless.push(entry.title ?? '');
  }
  return homeless;
}

function countKept(details: readonly (Details | null)[]): Kept {
  const tags = new Set<string>();
  const kept = { tags: 0, favourites: 0, archived: 0, finished: 0, notes: 0, highlights: 0 };
  for (const one of details) {
    for (const tag of one?.tags ?? []) tags.add(tag.toLowerCase());
    kept.favourites += one?.is_favourite ? 1 : 0;
    kept.archived += one?.is_archived ? 1 : 0;
    kept.finished += one?.reading?.finished_at ? 1 : 0;
    kept.notes += one?.note ? 1 : 0;
    kept.highlights += one?.highlights?.length ?? 0;
  }
  return { ...kept, tags: tags.size };
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

function foldersOf(links: readonly Entry[]): Pick<ParsedImport, 'folders' | 'folderOf'> {
  const indexes = new Map<string, number>();
  const folders: Folder[] = [];
  const folderOf = new Int32Array(links.length).fill(-1);
  for (const [index, { folder: own, state }] of links.entries()) {
    const name = own ?? state;
    if (name === undefined) continue;
    let folderIndex = indexes.get(name);
    if (folderIndex === undefined) {
      folderIndex = folders.length;
      indexes.set(name, folderIndex);
      folders.push({ name, count: 0, isOwn: own !== undefined });
    }
    folderOf[index] = folderIndex;
    const folder = folders[folderIndex];
    if (folder) folder.count += 1;
  }
  return { folders, folderOf };
}
