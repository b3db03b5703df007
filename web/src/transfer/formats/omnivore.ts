import { textOf } from './entry.ts';
import type { Fields } from './fields.ts';
import type { PackedFile } from './zip.ts';

/** Returns a function that adds the highlights of an item of Omnivore, which are in a file that is named after the item. */
export function withHighlights(files: PackedFile[]): (item: Fields) => Fields {
  const bySlug = new Map(files.map(({ name, text }) => [name.replace(/^highlights\/|\.md$/g, ''), text]));
  return (item) => {
    const text = bySlug.get(textOf(item.slug));
    return text === undefined ? item : { ...item, highlights: passagesIn(text) };
  };
}

/** Reads the quotes of a Markdown text. What follows a quote is its note. */
export function passagesIn(text: string): { quote: string; note: string }[] {
  const passages: { quote: string; note: string }[] = [];
  let isInQuote = false;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const quoted = /^\s*>\s?(.*)$/.exec(line)?.[1];
    const passage = passages.at(-1);
    if (quoted !== undefined && (!isInQuote || !passage)) passages.push({ quote: quoted, note: '' });
    else if (quoted !== undefined && passage) passage.quote += `\n${quoted}`;
    else if (passage && !/^\s*(#|-{3,}\s*$)/.test(line)) passage.note += `${line}\n`;
    isInQuote = quoted !== undefined;
  }
  // Omnivore ends a quote with a link to itself.
  return passages.map(({ quote, note }) => ({
    quote: quote.replace(/\s*\[⤴️?\]\([^)]*\)\s*$/u, ''),
    note: note.trim(),
  }));
}
