import { type Entry, highlightOf, highlightsOf, parseDate, readingOf, textOf, textsOf } from './entry.ts';
import { type Fields, fieldsIn } from './fields.ts';
import type { PackedFile } from './zip.ts';

export function omnivoreEntry(item: Fields): Entry {
  const { url, title, labels, readingProgress, note, highlights } = item;
  const savedAt = parseDate(item.savedAt);
  const state = textOf(item.state);
  return {
    url: textOf(url),
    savedAt,
    title: textOf(title),
    state: state || undefined,
    tags: textsOf(labels),
    // The first exports say ARCHIVED.
    is_archived: /^archived$/i.test(state),
    reading: readingOf(Number(readingProgress) / 100, savedAt),
    // The note is in the file of the highlights, in the same archive.
    note: textOf(note),
    highlights: highlightsOf(fieldsIn(highlights).map((one) => highlightOf(one.quote, one))),
  };
}

/** Returns a function that adds the highlights of an item of Omnivore, which are in a file that is named after the item. */
export function withHighlights(files: PackedFile[]): (item: Fields) => Fields {
  const bySlug = new Map(files.map(({ name, text }) => [name.replace(/^.*\/|\.md$/g, ''), text]));
  return (item) => {
    const text = bySlug.get(textOf(item.slug));
    return text === undefined ? item : { ...item, ...notebookIn(text) };
  };
}

interface Notebook {
  note: string;
  highlights: { quote: string; note: string }[];
}

/**
 * Reads the highlights and the note of an item. Empty lines separate a quote, its labels and its note. Only the first line of
 * a quote is sure to begin with `>`. The note of the item can be anywhere, and two more line breaks follow it.
 */
export function notebookIn(text: string): Notebook {
  const notebook: Notebook = { note: '', highlights: [] };
  const sections = text.replace(/\r\n?/g, '\n').split(/\n{4}|\n\n$/);
  for (const [index, section] of sections.entries()) {
    const paragraphs = section.split(/\n{2,}/).filter((paragraph) => paragraph.trim() !== '');
    const isBeforeBreak = index < sections.length - 1;
    for (const [position, paragraph] of paragraphs.entries()) {
      const isItemNote = isBeforeBreak && position === paragraphs.length - 1;
      const highlight = notebook.highlights.at(-1);
      if (paragraph.startsWith('>')) notebook.highlights.push({ quote: unquoted(paragraph), note: '' });
      else if (highlight && !isItemNote) highlight.note = joined(highlight.note, paragraph);
      else notebook.note = joined(notebook.note, paragraph);
    }
  }
  return notebook;
}

const unquoted = (paragraph: string) => paragraph.replace(/^(?:>[^\S\n]?)+/gm, '').trim();

const joined = (first: string, second: string) => (first ? `${first}\n\n${second}` : second);
