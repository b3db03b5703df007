import path from 'node:path';
import { type Entry, fromBufferPromise } from 'yauzl';
import { ExtractionFailure } from './extraction.ts';

export interface Archive {
  /** Returns undefined when the file does not exist. */
  read(name: string): Promise<Buffer | undefined>;
}

const MAX_ENTRIES = 20_000;
/** The maximum uncompressed size of one file, and of all files. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_TOTAL_BYTES = 512 * 1024 * 1024;
const IS_ENCRYPTED = 0x1;

export const DRM = 'The book is protected by DRM. Upload a copy without DRM.';

/**
 * Opens a zip archive. Refuses names that lead out of it, duplicate names and excessive sizes before anything is
 * decompressed. Counts the actual sizes, because the declared ones may be wrong.
 */
export async function openArchive(bytes: Uint8Array): Promise<Archive> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const zip = await fromBufferPromise(buffer, { lazyEntries: true, autoClose: false }).catch((error) => {
    throw invalid('The file is damaged, or is not an EPUB.', error);
  });
  if (zip.entryCount > MAX_ENTRIES) throw unsafe('contains too many files');
  const entries = new Map<string, Entry>();
  let declared = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/')) continue;
      if (entries.has(entry.fileName)) throw unsafe('contains two files with the same name');
      declared += entry.uncompressedSize;
      if (entry.uncompressedSize > MAX_FILE_BYTES || declared > MAX_TOTAL_BYTES)
        throw unsafe('is too large when decompressed');
      entries.set(entry.fileName, entry);
    }
  } catch (error) {
    if (error instanceof ExtractionFailure) throw error;
    throw /absolute path|relative path|invalid characters/.test((error as Error).message)
      ? unsafe('contains a file with an unsafe path', error)
      : invalid('The file is damaged.', error);
  }

  let left = MAX_TOTAL_BYTES;
  return {
    async read(name) {
      const entry = entries.get(name);
      if (!entry) return undefined;
      if (entry.generalPurposeBitFlag & IS_ENCRYPTED) throw invalid(DRM);
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of await zip.openReadStreamPromise(entry)) {
          left -= chunk.length;
          if (left < 0) throw unsafe('is too large when decompressed');
          chunks.push(chunk);
        }
      } catch (error) {
        if (error instanceof ExtractionFailure) throw error;
        // The file is larger than it declares, which does not happen by accident.
        if (/too many bytes/.test((error as Error).message)) throw unsafe('declares wrong file sizes', error);
        throw invalid(`The file ${path.basename(name)} in the EPUB is damaged.`, error);
      }
      return Buffer.concat(chunks);
    },
  };
}

/** Returns the failure of a file that is damaged, or is not a readable EPUB. */
export function invalid(message: string, cause?: unknown): ExtractionFailure {
  return new ExtractionFailure('E_EPUB_INVALID', message, { cause });
}

/** Returns the failure of a malicious archive. `problem` continues the sentence "The file …". */
export function unsafe(problem: string, cause?: unknown): ExtractionFailure {
  const message = `The file ${problem}, so Nexus does not open it.`;
  return new ExtractionFailure('E_ARCHIVE_UNSAFE', message, { cause });
}
