import { findLinks } from '../../saving/links.ts';
import type { Entry, Recognised } from './entry.ts';

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
