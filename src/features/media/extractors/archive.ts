import path from 'node:path';
import { type Entry, fromBufferPromise } from 'yauzl';
import { ExtractionFailure } from './extraction.ts';

export interface ArchiveLimits {
  entries: number;
  /** The largest unpacked size of one file. */
  fileBytes: number;
  /** The largest unpacked size of everything that is read. */
  totalBytes: number;
}

export interface Archive {
  has(name: string): boolean;
  /** Returns undefined when the file does not exist. */
  read(name: string): Promise<Buffer | undefined>;
}

const DEFAULT_LIMITS: ArchiveLimits = {
  entries: 20_000,
  fileBytes: 64 * 1024 * 1024,
  totalBytes: 512 * 1024 * 1024,
};

const IS_ENCRYPTED = 0x1;

/**
 * Reads a zip archive. Sizes are counted, not trusted. Names that lead out of it, duplicate names and excessive sizes
 * are refused before anything is unpacked.
 */
export async function openArchive(
  bytes: Uint8Array,
  limits: ArchiveLimits = DEFAULT_LIMITS,
): Promise<Archive> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const zip = await fromBufferPromise(buffer, { lazyEntries: true, autoClose: false }).catch((error) => {
    throw new ExtractionFailure('E_EPUB_INVALID', 'The file is damaged, or is not an EPUB.', {
      cause: error,
    });
  });
  if (zip.entryCount > limits.entries) throw unsafe('holds too many files');
  const entries = new Map<string, Entry>();
  let declared = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/')) continue;
      if (entries.has(entry.fileName)) throw unsafe('holds two files of one name');
      declared += entry.uncompressedSize;
      if (entry.uncompressedSize > limits.fileBytes || declared > limits.totalBytes)
        throw unsafe('is far too large inside');
      entries.set(entry.fileName, entry);
    }
  } catch (error) {
    if (error instanceof ExtractionFailure) throw error;
    throw /absolute path|relative path|invalid characters/.test((error as Error).message)
      ? unsafe('holds a file whose name leads out of it', error)
      : new ExtractionFailure('E_EPUB_INVALID', 'The archive is damaged.', { cause: error });
  }

  let left = limits.totalBytes;
  return {
    has: (name) => entries.has(name),
    async read(name) {
      const entry = entries.get(name);
      if (!entry) return undefined;
      if (entry.generalPurposeBitFlag & IS_ENCRYPTED) {
        throw new ExtractionFailure('E_EPUB_INVALID', 'The book is protected against copying.');
      }
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of await zip.openReadStreamPromise(entry)) {
          left -= chunk.length;
          if (left < 0) throw unsafe('is far too large inside');
          chunks.push(chunk);
        }
      } catch (error) {
        if (error instanceof ExtractionFailure) throw error;
        // It unpacks to more than it declares, which never happens by accident.
        if (/too many bytes/.test((error as Error).message))
          throw unsafe('lies about the sizes of its files', error);
        throw new ExtractionFailure('E_EPUB_INVALID', `${path.basename(name)} in the archive is damaged.`, {
          cause: error,
        });
      }
      return Buffer.concat(chunks);
    },
  };
}

export function unsafe(what: string, cause?: unknown): ExtractionFailure {
  return new ExtractionFailure('E_ARCHIVE_UNSAFE', `The archive ${what}. Nexus does not open it.`, { cause });
}
