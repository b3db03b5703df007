import type { JudgedDocument, WireHighlight } from '../exported-document.ts';
import { headingOf, plainMarkdown } from '../markdown.ts';
import { Day, frontMatter } from './front-matter.ts';
import { quoteOf } from './quote-of.ts';

/** Writes a Markdown file about a document: its metadata, the note, and the highlights with their notes. */
export function markdownFileOf(document: JudgedDocument): string {
  const { author, site, published, language, url, reading, mine, highlights } = document;
  const title = document.shown_title ?? document.title ?? url ?? 'Untitled';
  const head = frontMatter({
    title,
    url,
    author,
    site,
    language,
    published,
    saved: new Day(document.added_at),
    finished: reading?.finished_at ? new Day(reading.finished_at) : null,
    tags: mine.tags.map(tagOf),
    favourite: mine.is_favourite || undefined,
    archived: mine.is_archived || undefined,
  });
  const note = mine.note === null ? '' : `${headingOf(2, 'Note')}${mine.note}\n\n`;
  const marked =
    highlights.length === 0 ? '' : headingOf(2, 'Highlights') + highlights.map(passageOf).join('');
  return `${head}${headingOf(1, title)}${note}${marked}`;
}

/** Obsidian and Logseq allow no white space in a tag, and not all other signs. */
function tagOf(name: string): string {
  const tag = name.replace(/[\s#,;:.!?()[\]{}'`~^*|\\<>@$%&+=]+/g, '-').replace(/^-+|-+$/g, '');
  return /^[\d/-]*$/.test(tag) ? `tag-${tag}` : tag;
}

function passageOf({ target, note }: WireHighlight): string {
  const quote = plainMarkdown(quoteOf(target).exact).replace(/^/gm, '> ');
  return note === null ? `${quote}\n\n` : `${quote}\n\n${note}\n\n`;
}
