import { findLinks } from '../../saving/links.ts';
import { readBookmarks } from './bookmarks.ts';
import { readCsv } from './csv.ts';
import { type Entry, type Recognised, UnreadableFile } from './entry.ts';
import { readJson } from './json.ts';
import { withHighlights } from './omnivore.ts';
import { isZip, type PackedFile, readZip } from './zip.ts';

/** Recognises the format of a file by its content. */
export function recognise(bytes: Uint8Array): Recognised {
  if (bytes.byteLength === 0) throw new UnreadableFile('The file is empty.');
  if (isZip(bytes)) return recogniseArchive(bytes);
  return recogniseText(decode(bytes));
}

export function recogniseText(given: string): Recognised {
  const text = given.trimStart();
  if (text.startsWith('{') || text.startsWith('[')) {
    return readJson(text, { isLoose: true }) ?? noLinks();
  }
  if (text.startsWith('<')) {
    const bookmarks = readBookmarks(text);
    return bookmarks.entries.length > 0 ? bookmarks : noLinks();
  }
  const table = readCsv(text);
  if (table) return table;
  const plain = readText(text);
  return plain.entries.some(({ url }) => /^https?:/i.test(url)) ? plain : noLinks();
}

function recogniseArchive(bytes: Uint8Array): Recognised {
  const formats = new Set<string>();
  const entries: Recognised['entries'] = [];
  const files = readZip(bytes);
  const isMarkdown = ({ name }: PackedFile) => name.endsWith('.md');
  const complete = withHighlights(files.filter(isMarkdown));
  for (const { text } of files.filter((file) => !isMarkdown(file))) {
    const found = /^\s*[[{]/.test(text) ? readJson(text, { isLoose: false, complete }) : readCsv(text);
    if (!found) continue;
    formats.add(found.format);
    for (const entry of found.entries) entries.push(entry);
  }
  if (entries.length === 0) noLinks();
  return { format: [...formats].join(', '), entries };
}

function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const text = new TextDecoder(isUtf16 ? (first === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8').decode(bytes);
  if (!text.slice(0, 10_000).includes('\0')) return text;
  throw new UnreadableFile('This file contains no links. Choose a file that another program exported.');
}

function noLinks(): never {
  throw new UnreadableFile(
    'No links found. Choose a bookmarks file (HTML), a CSV or JSON export, or a text with links.',
  );
}

/** Reads links from text. A line without a link becomes an entry, too, so that it can be reported. */
export function readText(text: string): Recognised {
  const entries: Entry[] = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    const links = findLinks(line);
    if (links.length > 0) for (const url of links) entries.push({ url });
    else if (line.trim() !== '') entries.push({ url: line.trim() });
  }
  return { format: 'Text', entries };
}
