import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import type { z } from 'zod';
import { backupError, damaged } from './errors.ts';
import * as format from './format.ts';
import { makeTrailer, readTrailer, TRAILER_BYTES } from './trailer.ts';

/** A part of a backup, in the order of the file. `end` comes last, and only if every checksum was right. */
export type Part =
  | { kind: 'header'; header: format.Header }
  | { kind: 'rows'; table: string; data: Buffer }
  | { kind: 'file'; path: string; size: number; content: AsyncIterable<Buffer> }
  | { kind: 'end'; manifest: format.Manifest; digest: string };

interface Entry extends AsyncIterable<Buffer> {
  header: { name: string; size: number; type: string };
}

const inflate = promisify(gunzip);

/**
 * Reads a backup and checks it completely on the way. A caller that must not act on altered data reads it twice: the
 * first time for the checks alone.
 */
export async function* readArchive(file: string, signal?: AbortSignal): AsyncGenerator<Part> {
  const handle = await open(file, 'r').catch((error) => {
    throw new Error(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  });
  try {
    yield* readParts(handle, signal);
  } finally {
    await handle.close();
  }
}

async function* readParts(handle: FileHandle, signal: AbortSignal | undefined): AsyncGenerator<Part> {
  const { size, digest } = await readEnd(handle);
  const hash = createHash('sha256');
  const entries = extract();
  const fed = pipeline(
    handle.createReadStream({ start: 0, end: size - 1, highWaterMark: 1024 * 1024 }),
    hashing(hash),
    entries as unknown as NodeJS.WritableStream,
    { ...(signal && { signal }) },
  );
  // The loop below throws the same error.
  fed.catch(() => undefined);
  const checks = createChecks();
  let manifest: format.Manifest | undefined;
  for await (const entry of nextOf(entries as unknown as AsyncIterable<Entry>)) {
    signal?.throwIfAborted();
    const { name, size: length } = entry.header;
    if (manifest) throw damaged(`${name} comes after the manifest`);
    if (name === format.MANIFEST_NAME) {
      manifest = parse(format.manifest, await contentOf(entry), name);
      checks.manifest(manifest);
    } else yield* checks.read(name, length, entry);
  }
  await fed;
  if (!manifest) throw damaged('it has no manifest');
  hash.update((await makeTrailer(digest)).header);
  if (hash.digest('hex') !== digest) throw damaged('its checksum is not the one at its end');
  yield { kind: 'end', manifest, digest };
}

/** Reads the digest at the end of the file. A truncated file has none. */
async function readEnd(handle: FileHandle): Promise<{ size: number; digest: string }> {
  const stat = await handle.stat();
  if (!stat.isFile()) throw damaged('it is not a regular file');
  const size = stat.size - TRAILER_BYTES;
  if (size <= 0) throw damaged('it is too short');
  const trailer = Buffer.alloc(TRAILER_BYTES);
  await handle.read(trailer, 0, TRAILER_BYTES, size);
  const digest = await readTrailer(trailer);
  if (digest === undefined) throw damaged('its end is missing');
  return { size, digest };
}

/** Yields the entries. An error of the tar parser means that the file was altered; one of the disk is thrown as it is. */
async function* nextOf(entries: AsyncIterable<Entry>): AsyncGenerator<Entry> {
  const iterator = entries[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await iterator.next().catch(throwDamaged);
      if (next.done) return;
      if (next.value.header.type !== 'file') throw damaged(`${next.value.header.name} is not a file`);
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

function throwDamaged(error: Error & { syscall?: string }): never {
  if (error.syscall !== undefined || error.name === 'AbortError') throw error;
  throw damaged(error.message, error);
}

/** Checks that the parts come in order and are those that the manifest describes. */
function createChecks() {
  let header: format.Header | undefined;
  let table: { name: string; hash: Hash; rows: number; bytes: number; parts: number } | undefined;
  let isPastTables = false;
  const tables = new Map<string, format.TableSummary>();
  const files = { count: 0, bytes: 0 };
  let unlisted: string[] = [];
  let lists = 0;

  function endTable(): void {
    if (!table) return;
    const { name, rows, bytes, hash } = table;
    tables.set(name, { rows, bytes, sha256: hash.digest('hex') });
    table = undefined;
  }

  async function* rows(name: string, entry: Entry): AsyncGenerator<Part> {
    const [, of = '', number = ''] = /^tables\/([^/]+)\/(\d{6,})\.copy\.gz$/.exec(name) ?? [];
    const isKnown = header?.tables.some((known) => known.name === of) && !tables.has(of);
    if (isPastTables || !isKnown) throw damaged(`${name} is not expected there`);
    if (table?.name !== of) {
      endTable();
      table = { name: of, hash: createHash('sha256'), rows: 0, bytes: 0, parts: 0 };
    }
    table.parts += 1;
    if (Number(number) !== table.parts) throw damaged(`a part of the table ${of} is missing`);
    const data = await inflate(await contentOf(entry), { maxOutputLength: format.LARGEST_PART }).catch(
      (error) => {
        throw damaged(`${name} cannot be decompressed`, error);
      },
    );
    table.hash.update(data);
    table.bytes += data.length;
    table.rows += countLines(data);
    yield { kind: 'rows', table: of, data };
  }

  async function* file(name: string, size: number, entry: Entry): AsyncGenerator<Part> {
    const hash = createHash('sha256');
    const content = (async function* () {
      for await (const chunk of entry) {
        hash.update(chunk);
        yield chunk;
      }
    })();
    yield { kind: 'file', path: name.slice('files/'.length), size, content };
    // Drains what the caller did not read.
    for await (const _ of content);
    files.count += 1;
    files.bytes += size;
    unlisted.push(`${hash.digest('hex')}  ${name}`);
    if (unlisted.length > format.CHECKSUMMED_FILES) throw damaged(`${name} has no checksum`);
  }

  async function checksums(name: string, entry: Entry): Promise<void> {
    lists += 1;
    if (name !== checksumsName(lists)) throw damaged(`${name} is not expected there`);
    const listed = (await contentOf(entry)).toString('utf8').split('\n').slice(0, -1);
    const differs = listed.findIndex((line, index) => line !== unlisted[index]);
    const wrong = listed[differs] ?? (listed.length === unlisted.length ? undefined : name);
    if (wrong !== undefined) throw damaged(`${wrong.replace(/^\w+ {2}/, '')} does not match its checksum`);
    unlisted = [];
  }

  return {
    async *read(name: string, size: number, entry: Entry): AsyncGenerator<Part> {
      if (!header) {
        if (name !== format.HEADER_NAME) throw damaged('it does not begin like a backup of Nexus');
        header = readHeader(await contentOf(entry));
        return yield { kind: 'header', header };
      }
      if (name.startsWith('tables/')) return yield* rows(name, entry);
      isPastTables = true;
      endTable();
      if (name.startsWith('files/')) return yield* file(name, size, entry);
      return checksums(name, entry);
    },

    manifest(manifest: format.Manifest): void {
      endTable();
      if (!header || unlisted.length > 0) throw damaged('files have no checksums');
      const named = header.tables.map(({ name }) => name).toSorted();
      if (String(Object.keys(manifest.tables).toSorted()) !== String(named))
        throw damaged('its manifest lists other tables');
      for (const [name, expected] of Object.entries(manifest.tables)) {
        const found = tables.get(name) ?? EMPTY;
        const isSame =
          found.rows === expected.rows && found.bytes === expected.bytes && found.sha256 === expected.sha256;
        if (!isSame) throw damaged(`the table ${name} does not match the manifest`);
      }
      if (files.count !== manifest.files.count || files.bytes !== manifest.files.bytes)
        throw damaged('its files do not match the manifest');
    },
  };
}

const EMPTY: format.TableSummary = { rows: 0, bytes: 0, sha256: createHash('sha256').digest('hex') };

export function checksumsName(number: number): string {
  return `checksums/${String(number).padStart(6, '0')}.sha256`;
}

function readHeader(content: Buffer): format.Header {
  const header = parse(format.header, content, format.HEADER_NAME);
  if (header.format <= format.FORMAT_VERSION) return header;
  throw backupError(
    'E_BACKUP_NEWER',
    `The backup has format ${header.format}, and this release knows only formats up to ${format.FORMAT_VERSION}. ` +
      `Nexus ${header.nexus_version} made it: restore it with that release or a later one.`,
  );
}

async function contentOf(entry: Entry): Promise<Buffer> {
  const { name, size } = entry.header;
  if (size > format.LARGEST_PART) throw damaged(`${name} is too large`);
  return buffer(entry);
}

function parse<T extends z.ZodType>(schema: T, content: Buffer, name: string): z.output<T> {
  try {
    return schema.parse(JSON.parse(content.toString('utf8')));
  } catch (error) {
    throw damaged(`${name} cannot be read`, error);
  }
}

const NEWLINE = 10;

/** Counts the rows of COPY's text format, in which a line break inside a value is escaped. */
export function countLines(data: Buffer): number {
  let count = 0;
  for (let at = data.indexOf(NEWLINE); at !== -1; at = data.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

function hashing(hash: Hash): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
}
