import { escapeAttribute, escapeText } from '../../media/text/markup.ts';
import type { JudgedDocument } from '../exported-document.ts';

/**
 * Writes a bookmark in the format that browsers and most programs import: Netscape HTML, with the attributes of Pinboard
 * (`TAGS`, `TOREAD`) and Raindrop (`DATA-IMPORTANT`), and one for the archive. Uploads have no address and are left out.
 */
export function bookmarkOf({ url, title, shown_title, added_at, reading, mine }: JudgedDocument): string {
  if (url === null) return '';
  const attributes = [
    `HREF="${escapeAttribute(url)}"`,
    `ADD_DATE="${Math.floor(Date.parse(added_at) / 1000)}"`,
    `TOREAD="${reading?.finished_at ? 0 : 1}"`,
    mine.tags.length > 0 && `TAGS="${escapeAttribute(mine.tags.join(','))}"`,
    mine.is_favourite && 'DATA-IMPORTANT="true"',
    mine.is_archived && 'DATA-ARCHIVED="true"',
  ].filter(Boolean);
  const link = `<DT><A ${attributes.join(' ')}>${escapeText(oneLine(shown_title ?? title ?? url))}</A>\n`;
  return mine.note === null ? link : `${link}<DD>${noteOf(mine.note)}\n`;
}

/** Writes the lines before all bookmarks, and after them. Nexus does not take its own folder for a tag when it imports it. */
export function bookmarkFileParts(name: string): { head: string; tail: string } {
  return {
    head: `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
<DT><H3 DATA-NEXUS="library">${escapeText(oneLine(name))}</H3>
<DL><p>
`,
    tail: '</DL><p>\n</DL><p>\n',
  };
}

/** Most programs read these files line by line. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function noteOf(note: string): string {
  return escapeText(note).replace(/\r\n|\r|\n/g, '&#10;');
}
