import { findLinks } from '../../saving/links.ts';
import { readBookmarks } from './bookmarks.ts';
import { readCsv } from './csv.ts';
import { decode } from './decode.ts';
import { type Entry, type Recognised, UnreadableFile, withFileName } from './entry.ts';
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
    const found = readJson(text, { isLoose: true });
    return found && found.entries.length > 0 ? found : noLinks();
  }
  if (text.startsWith('<')) {
    const bookmarks = readBookmarks(text);
    return bookmarks.entries.length > 0 ? bookmarks : noLinks();
  }
  const table = readCsv(text);
  if (table) return table.entries.length > 0 ? table : noLinks();
  const plain = readText(text);
  return plain.entries.some(({ url }) => /^https?:/i.test(url)) ? plain : noLinks();
}

function recogniseArchive(bytes: Uint8Array): Recognised {
  const formats = new Set<string>();
  const entries: Recognised['entries'] = [];
  const files = readZip(bytes);
  const isMarkdown = ({ name }: PackedFile) => name.endsWith('.md');
  const complete = withHighlights(files.filter(isMarkdown));
  for (const { name, text } of files.filter((file) => !isMarkdown(file))) {
    const isJson = /^\s*[[{]/.test(text);
    const found = withFileName(name, () =>
      isJson ? readJson(text, { isLoose: false, complete }) : readCsv(text),
    );
    if (!found) continue;
    formats.add(found.format);
    for (const entry of found.entries) entries.push(entry);
  }
  if (entries.length === 0) noLinks();
  return { format: [...formats].join(', '), entries };
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
