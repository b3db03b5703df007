import { findLinks } from '../../saving/links.ts';
import type { Entry, Recognised } from './entry.ts';

/** Links, wherever in a line they stand. A line without one is kept, so that it can be said that it has none. */
export function readText(text: string): Recognised {
  const entries: Entry[] = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    const links = findLinks(line);
    if (links.length > 0) for (const url of links) entries.push({ url });
    else if (line.trim() !== '') entries.push({ url: line.trim() });
  }
  return { format: 'Text', entries };
}
