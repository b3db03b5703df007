import { readBookmarks } from './bookmarks.ts';
import { readCsv } from './csv.ts';
import { type Recognised, UnreadableFile } from './entry.ts';
import { readJson } from './json.ts';
import { readText } from './text.ts';
import { isZip, readZip } from './zip.ts';

/** What a file is, by what is in it; its name says nothing. */
export async function recognise(bytes: Uint8Array<ArrayBuffer>): Promise<Recognised> {
  if (bytes.byteLength === 0) throw new UnreadableFile('The file is empty.');
  if (isZip(bytes)) return recogniseArchive(bytes);
  return recogniseText(decode(bytes));
}

export function recogniseText(given: string): Recognised {
  const text = given.trimStart();
  if (text.startsWith('{') || text.startsWith('[')) {
    return readJson(text, { isLoose: true }) ?? nothing();
  }
  if (text.startsWith('<')) {
    const bookmarks = readBookmarks(text);
    return bookmarks.entries.length > 0 ? bookmarks : nothing();
  }
  const table = readCsv(text);
  if (table) return table;
  const plain = readText(text);
  return plain.entries.some(({ url }) => /^https?:/i.test(url)) ? plain : nothing();
}

async function recogniseArchive(bytes: Uint8Array<ArrayBuffer>): Promise<Recognised> {
  const formats = new Set<string>();
  const entries: Recognised['entries'] = [];
  for await (const text of readZip(bytes)) {
    const found = /^\s*[[{]/.test(text) ? readJson(text, { isLoose: false }) : readCsv(text);
    if (!found) continue;
    formats.add(found.format);
    for (const entry of found.entries) entries.push(entry);
  }
  if (entries.length === 0) nothing();
  return { format: [...formats].join(', '), entries };
}

function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const text = new TextDecoder(isUtf16 ? (first === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8').decode(bytes);
  if (!text.slice(0, 10_000).includes('\0')) return text;
  throw new UnreadableFile('This is not a file of links. Choose the file that the other program exported.');
}

function nothing(): never {
  throw new UnreadableFile(
    'There are no links in this. Choose an export of bookmarks (HTML), a table (CSV), JSON, or a text with addresses.',
  );
}
