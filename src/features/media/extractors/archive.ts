import { isUtf8 } from 'node:buffer';
import { basename } from 'node:path';
import { type Entry, fromBufferPromise, getFileNameLowLevel } from 'yauzl';
import { normalForm } from '../../../contract/normal-form.ts';
import { decodeEscapes } from './epub-address.ts';
import { ExtractionFailure } from './extraction.ts';

export interface Archive {
  /** Returns the name of the file that a path means; the path itself when there is none. */
  nameOf(path: string): string;
  /** Returns undefined when the file does not exist. */
  read(path: string): Promise<Buffer | undefined>;
}

const MAX_ENTRIES = 20_000;
/** The maximum uncompressed size of one file, and of all files. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_TOTAL_BYTES = 512 * 1024 * 1024;
const IS_ENCRYPTED = 0x1;
const IS_UTF8 = 0x800;

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
  const names = new Map<string, string>();
  let declared = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      const name = decodedName(entry);
      if (name.endsWith('/')) continue;
      if (entries.has(name)) throw unsafe('contains two files with the same name');
      declared += entry.uncompressedSize;
      if (entry.uncompressedSize > MAX_FILE_BYTES || declared > MAX_TOTAL_BYTES)
        throw unsafe('is too large when decompressed');
      entries.set(name, entry);
      if (!names.has(comparable(name))) names.set(comparable(name), name);
    }
  } catch (error) {
    if (error instanceof ExtractionFailure) throw error;
    throw /absolute path|relative path|invalid characters/.test((error as Error).message)
      ? unsafe('contains a file with an unsafe path', error)
      : invalid('The file is damaged.', error);
  }

  const nameOf = (path: string) => (entries.has(path) ? path : (names.get(comparable(path)) ?? path));
  let left = MAX_TOTAL_BYTES;
  return {
    nameOf,
    async read(path) {
      const name = nameOf(path);
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
        throw invalid(`The file ${basename(name)} in the EPUB is damaged.`, error);
      }
      return Buffer.concat(chunks);
    },
  };
}

/** Returns the name of a file. Some programs write UTF-8 without the flag that says so. */
function decodedName(entry: Entry): string {
  if (!isUtf8(entry.fileNameRaw)) return entry.fileName;
  return getFileNameLowLevel(
    entry.generalPurposeBitFlag | IS_UTF8,
    entry.fileNameRaw,
    entry.extraFields,
    false,
  );
}

/** Returns a name in the form in which names in an EPUB are unique. Links often differ from the name in case or escapes. */
function comparable(name: string): string {
  return normalForm(decodeEscapes(name)).toLowerCase();
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
