import { Readable } from 'node:stream';
import { NexusError } from '../../contract/errors.ts';
import { EXPORT_FORMAT, EXPORT_VERSION, type LibraryExportQuery } from '../../contract/export.ts';
import type { Principal } from '../../contract/identity.ts';
import type { Library } from '../../contract/libraries.ts';
import type { MediaFragment, MediaWithOutline } from '../../contract/media.ts';
import type { Mode } from '../../contract/roles.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import { inChunks } from '../../platform/chunks.ts';
import { costOfJudging } from '../governance/work.ts';
import type { Libraries } from '../libraries/libraries.ts';
import type { MediaService } from '../media/media.ts';
import { escapeAttribute, escapeText } from '../media/text/markup.ts';
import { bookmarksOf, type DocumentsDependencies, documentLines, grouped } from './documents.ts';
import { headingOf } from './work.ts';

interface ExportsDependencies extends DocumentsDependencies {
  libraries: Pick<Libraries, 'get'>;
  media: Pick<MediaService, 'get' | 'allFragments'>;
  requireMode(principal: Principal, mode: Mode, actor: Actor): Promise<void>;
}

/** The most bytes buffered for a slow client. */
const BUFFERED_BYTES = 64 * 1024;
/** The most characters that one task processes. A longer fragment is a task of its own. */
const WRITTEN_AT_ONCE = 500_000;
/** The number of passes over a text that it takes: parsing, escaping, joining. */
const PASSES = 10;

export type Exports = ReturnType<typeof createExports>;
export type ExportedFile = ReturnType<typeof file>;

/** Exports libraries and documents as files for other programs. */
export function createExports(dependencies: ExportsDependencies) {
  const { libraries, media, requireMode } = dependencies;
  return {
    async library(principal: Principal, libraryId: string, query: LibraryExportQuery, actor: Actor) {
      const { format, mode } = query;
      await requireMode(principal, mode, actor);
      const library = await libraries.get(principal.user_id, libraryId);
      const exported = { viewer: principal, library, mode, actor };
      const name = library.is_default ? 'My library' : library.name;
      if (format === 'html') {
        const links = bookmarksOf(dependencies, exported);
        return file(`${name}.html`, 'text/html; charset=utf-8', bookmarkFile(name, links));
      }
      const lines = documentLines(dependencies, exported);
      return file(`${name}.json`, 'application/json; charset=utf-8', jsonFile(library, mode, lines));
    },

    /** Exports one document as Markdown. */
    async document(principal: Principal, mediaId: string, mode: Mode, actor: Actor) {
      await requireMode(principal, mode, actor);
      const document = await media.get(principal, mediaId);
      const fragments = await media.allFragments(principal, mediaId);
      if (fragments.length === 0) {
        throw new NexusError('E_INVALID_STATE', 'The document has no text yet. Wait until it is readable.');
      }
      const { title, parts } = await markdownFile(dependencies, document, fragments, { mode, actor });
      return file(`${title}.md`, 'text/markdown; charset=utf-8', parts);
    },
  };
}

type Parts = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

function file(filename: string, contentType: string, parts: Parts) {
  const content = Readable.from(sliced(parts), { objectMode: false, highWaterMark: BUFFERED_BYTES });
  return { filename, contentType, content };
}

async function* sliced(parts: Parts) {
  for await (const part of parts) {
    if (typeof part === 'string') yield part;
    else yield* inChunks(part);
  }
}

/** Writes one document per line. The count comes last: an export that has it is complete. */
async function* jsonFile(
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

/** Writes the bookmark format that browsers and most programs import: Netscape HTML, in one folder. */
async function* bookmarkFile(name: string, bookmarks: ReturnType<typeof bookmarksOf>) {
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

/** Writes the metadata of a document and its text as Markdown. Throws when a policy blocks any part of it. */
async function markdownFile(
  { governance, run }: DocumentsDependencies,
  media: MediaWithOutline,
  fragments: MediaFragment[],
  { mode, actor }: { mode: Mode; actor: Actor },
): Promise<{ title: string; parts: (string | Uint8Array)[] }> {
  const subject = { kind: 'export', media_id: media.id };
  const { published, language } = media;
  const said = { title: media.title, author: media.author, site: media.site };
  const { title, author, site } = await governance.shown(said, mode, actor, subject);
  const url = media.canonical_url ?? media.requested_url;
  const head = frontMatter({ title, author, site, published, language, url });
  const parts: (string | Uint8Array)[] = [head, headingOf(1, title ?? '')];
  const rules = await governance.rules(mode);
  for (const group of grouped(fragments, sizeOf, WRITTEN_AT_ONCE)) {
    const size = group.reduce((sum, fragment) => sum + sizeOf(fragment), 0);
    const cost = PASSES * size + 2 * costOfJudging(rules, size);
    const task = { fragments: group, withTitles: fragments.length > 1, rules };
    const { markdown, hits } = await run('export.markdown', task, { cost });
    await governance.settle({ hits, mode, actor, subject });
    if (markdown) parts.push(markdown);
  }
  return { title: title ?? '', parts };
}

function sizeOf({ title, canonical_text, html_sanitized }: MediaFragment): number {
  return (title?.length ?? 0) + canonical_text.length + html_sanitized.length;
}

/** Writes YAML front matter. JSON strings are valid YAML. */
function frontMatter(fields: Record<string, string | null | undefined>): string {
  const lines = Object.entries(fields)
    .filter(([, value]) => value != null)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
  return `---\n${lines.join('')}---\n\n`;
}
