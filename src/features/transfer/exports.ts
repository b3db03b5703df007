import { Readable } from 'node:stream';
import { NexusError } from '../../contract/errors.ts';
import type { LibraryExportQuery } from '../../contract/export.ts';
import type { Principal } from '../../contract/identity.ts';
import type { Mode } from '../../contract/roles.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import { inChunks } from '../../platform/chunks.ts';
import type { Libraries } from '../libraries/libraries.ts';
import type { MediaService } from '../media/media.ts';
import { bookmarksOf, type DocumentsDependencies, documentLines } from './documents.ts';
import { bookmarkFile, jsonFile } from './library-files.ts';
import { markdownFile } from './markdown-file.ts';

interface ExportsDependencies extends DocumentsDependencies {
  libraries: Pick<Libraries, 'get'>;
  media: Pick<MediaService, 'get' | 'fragments'>;
  requireMode(principal: Principal, mode: Mode, actor: Actor): Promise<void>;
}

export interface ExportedFile {
  filename: string;
  contentType: string;
  content: Readable;
}

/** The most bytes buffered for a slow client. */
const BUFFERED_BYTES = 64 * 1024;

export type Exports = ReturnType<typeof createExports>;

/** Exports libraries and documents as files for other programs. */
export function createExports(dependencies: ExportsDependencies) {
  const { libraries, media, requireMode } = dependencies;
  return {
    async library(
      principal: Principal,
      libraryId: string,
      { format, mode }: LibraryExportQuery,
      actor: Actor,
    ): Promise<ExportedFile> {
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
    async document(principal: Principal, mediaId: string, mode: Mode, actor: Actor): Promise<ExportedFile> {
      await requireMode(principal, mode, actor);
      const document = await media.get(principal, mediaId);
      const fragments = await media.fragments(principal, mediaId);
      if (fragments.length === 0) {
        throw new NexusError('E_INVALID_STATE', 'The document has no text yet. Wait until it is readable.');
      }
      const { title, parts } = await markdownFile(dependencies, document, fragments, { mode, actor });
      return file(`${title}.md`, 'text/markdown; charset=utf-8', parts);
    },
  };
}

type Parts = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

function file(filename: string, contentType: string, parts: Parts): ExportedFile {
  const content = Readable.from(sliced(parts), { objectMode: false, highWaterMark: BUFFERED_BYTES });
  return { filename, contentType, content };
}

async function* sliced(parts: Parts) {
  for await (const part of parts) {
    if (typeof part === 'string') yield part;
    else yield* inChunks(part);
  }
}
