import { Readable } from 'node:stream';
import { makeZip } from 'client-zip';
import {
  EXPORT_FORMAT,
  EXPORT_VERSION,
  type ExportFormat,
  type LibraryExportQuery,
} from '../../contract/export.ts';
import type { Principal } from '../../contract/identity.ts';
import type { Library } from '../../contract/libraries.ts';
import type { MediaFragment, MediaWithOutline } from '../../contract/media.ts';
import type { Mode } from '../../contract/roles.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import { inChunks } from '../../platform/chunks.ts';
import { costOfJudging } from '../governance/work.ts';
import type { Libraries } from '../libraries/libraries.ts';
import type { MediaService } from '../media/media.ts';
import { parseQuery } from '../media/search/query/parse.ts';
import { documentHasNoText } from '../media/text/document.ts';
import { type DocumentsDependencies, grouped, type WrittenDocument, writtenDocuments } from './documents.ts';
import { ANNOTATIONS_HEAD, ANNOTATIONS_TAIL } from './formats/annotations.ts';
import { bookmarkFileParts } from './formats/bookmarks.ts';
import { createFileNames } from './formats/file-names.ts';
import { frontMatter } from './formats/front-matter.ts';
import { READWISE_HEAD } from './formats/readwise.ts';
import { headingOf } from './markdown.ts';

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
      const { format, mode, q } = query;
      if (q !== undefined) parseQuery(q);
      await requireMode(principal, mode, actor);
      const library = await libraries.get(principal.user_id, libraryId);
      const exported = { viewer: principal, library, q, mode, actor };
      const name = library.is_default ? 'My library' : library.name;
      const documents = writtenDocuments(dependencies, exported, format);
      const { extension, contentType, write } = FILES[format];
      return file(`${name}.${extension}`, contentType, write(documents, { name, library, mode }));
    },

    /** Exports one document as Markdown. */
    async document(principal: Principal, mediaId: string, mode: Mode, actor: Actor) {
      await requireMode(principal, mode, actor);
      const document = await media.get(principal, mediaId);
      const fragments = await media.allFragments(principal, mediaId);
      if (fragments.length === 0) documentHasNoText();
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

type Documents = AsyncIterable<WrittenDocument>;

interface FileFormat {
  extension: string;
  contentType: string;
  write(documents: Documents, facts: { name: string; library: Library; mode: Mode }): Parts;
}

const FILES: Record<ExportFormat, FileFormat> = {
  json: {
    extension: 'json',
    contentType: 'application/json; charset=utf-8',
    write: (documents, { library, mode }) => jsonFile(library, mode, documents),
  },
  html: {
    extension: 'html',
    contentType: 'text/html; charset=utf-8',
    write(documents, { name }) {
      const { head, tail } = bookmarkFileParts(name);
      return joined(documents, { head, tail });
    },
  },
  md: {
    extension: 'zip',
    contentType: 'application/zip',
    write: (documents) => zipFile(documents),
  },
  readwise: {
    extension: 'csv',
    contentType: 'text/csv; charset=utf-8',
    write: (documents) => joined(documents, { head: READWISE_HEAD }),
  },
  jsonld: {
    extension: 'jsonld',
    contentType: 'application/ld+json; charset=utf-8',
    write: (documents) =>
      joined(documents, { head: `${ANNOTATIONS_HEAD}\n`, between: ',\n', tail: ANNOTATIONS_TAIL }),
  },
};

/** Writes one document per line. The count comes last: an export that has it is complete. */
async function* jsonFile({ id, name }: Pick<Library, 'id' | 'name'>, mode: Mode, documents: Documents) {
  const facts = { format: EXPORT_FORMAT, version: EXPORT_VERSION, exported_at: new Date(), mode };
  let count = 0;
  const counted = async function* () {
    for await (const document of documents) {
      count += 1;
      yield document;
    }
  };
  const head = `${JSON.stringify({ ...facts, library: { id, name } }).slice(0, -1)},"documents":[\n`;
  yield* joined(counted(), { head, between: ',\n' });
  yield `\n],"document_count":${count}}\n`;
}

async function* joined(
  documents: Documents,
  { head = '', between = '', tail = '' }: { head?: string; between?: string; tail?: string },
): AsyncGenerator<string | Uint8Array> {
  yield head;
  let isFirst = true;
  for await (const { content } of documents) {
    if (!isFirst && between !== '') yield between;
    isFirst = false;
    yield content;
  }
  if (tail !== '') yield tail;
}

/** The oldest date that a ZIP can hold. */
const OLDEST_FILE = new Date('1980-01-02T00:00:00Z');

/** Writes a ZIP with a file for each document. Its directory comes last: an archive that can be opened is complete. */
async function* zipFile(documents: Documents): AsyncGenerator<Uint8Array> {
  const nameOf = createFileNames('md');
  const files = async function* () {
    for await (const { content, title, added_at } of documents) {
      const added = new Date(added_at);
      yield { name: nameOf(title), input: content, lastModified: added < OLDEST_FILE ? OLDEST_FILE : added };
    }
  };
  yield* makeZip(files());
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
