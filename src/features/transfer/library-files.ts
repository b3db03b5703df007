import { EXPORT_FORMAT, EXPORT_VERSION } from '../../contract/export.ts';
import type { Library } from '../../contract/libraries.ts';
import type { Mode } from '../../contract/roles.ts';
import { escapeAttribute, escapeText } from '../media/text/markup.ts';

/** Writes one document per line. The count comes last: an export that has it is complete. */
export async function* jsonFile(
  { id, name }: Pick<Library, 'id' | 'name'>,
  mode: Mode,
  lines: AsyncIterable<Uint8Array>,
): AsyncGenerator<string | Uint8Array> {
  const head = { format: EXPORT_FORMAT, version: EXPORT_VERSION, exported_at: new Date(), mode };
  yield `${JSON.stringify({ ...head, library: { id, name } }).slice(0, -1)},"documents":[`;
  let count = 0;
  for await (const line of lines) {
    yield count === 0 ? '\n' : ',\n';
    yield line;
    count += 1;
  }
  yield `\n],"document_count":${count}}\n`;
}

/** A link of a bookmark file. */
export interface Bookmark {
  url: string;
  title: string;
  added_at: Date;
  isFinished: boolean;
}

/** Writes the bookmark format that browsers and most programs import: Netscape HTML, in one folder. */
export async function* bookmarkFile(name: string, bookmarks: AsyncIterable<Bookmark>) {
  yield `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
<DT><H3>${escapeText(oneLine(name))}</H3>
<DL><p>
`;
  for await (const { url, title, added_at, isFinished } of bookmarks) {
    const seconds = Math.floor(added_at.getTime() / 1000);
    const unread = isFinished ? '' : ' TOREAD="1"';
    yield `<DT><A HREF="${escapeAttribute(url)}" ADD_DATE="${seconds}"${unread}>${escapeText(oneLine(title))}</A>\n`;
  }
  yield '</DL><p>\n</DL><p>\n';
}

/** Most programs read these files line by line. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
