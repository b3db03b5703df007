import type { Readable } from 'node:stream';

/** A stored file. */
export interface StoredFile {
  path: string;
  size: number;
  modifiedAt: Date;
}

type Content = Uint8Array | Readable | AsyncIterable<Uint8Array>;

interface PutOptions {
  contentType?: string;
  /** The expected size; other sizes are refused. */
  size?: number;
  /** The maximum size. */
  maxSize?: number;
  signal?: AbortSignal;
}

/**
 * Stores files by path. A path is one or more names of `[A-Za-z0-9._-]`, separated by slashes; no name begins with a dot.
 * A put is atomic and replaces an existing file. See docs/storage.md.
 */
export interface Storage {
  /** Stores a file durably, and returns its size. */
  put(path: string, content: Content, options?: PutOptions): Promise<number>;
  /** Reads a file, or a range with both ends included. Undefined without the file; throws `UnsatisfiableRange`. */
  get(
    path: string,
    range?: { start: number; end?: number | undefined },
  ): Promise<{ file: StoredFile; content: Readable } | undefined>;
  head(path: string): Promise<StoredFile | undefined>;
  /** Moves a file, and replaces an existing one. Throws when the file does not exist. */
  move(from: string, to: string): Promise<void>;
  /** Deletes a file, if it exists. */
  delete(path: string): Promise<void>;
  /** Lists all files whose path begins with the prefix, in no particular order. */
  list(prefix?: string): AsyncIterable<StoredFile>;
  /** Returns a URL to which a browser can upload directly; undefined when uploads go through Nexus. */
  directUpload(
    path: string,
    options: { contentType: string; size: number; expiresInSeconds: number },
  ): Promise<{ url: string; headers: Record<string, string> } | undefined>;
  /** Returns the origin of these URLs, for the Content-Security-Policy. */
  uploadOrigin(): Promise<string | undefined>;
  close(): void;
}

export type StorageOptions =
  | { kind: 'local'; directory: string }
  | {
      kind: 's3';
      endpoint: string | undefined;
      bucket: string;
      region: string;
      credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
      isPathStyle: boolean;
      hasDirectUploads: boolean;
    };

/** The range starts after the end of the file. */
export class UnsatisfiableRange extends Error {
  constructor(path: string) {
    super(`The range starts after the end of ${path}.`);
    this.name = 'UnsatisfiableRange';
  }
}

/** The content is larger than allowed, or does not have the expected size. Nothing was stored. */
export class UnexpectedSize extends Error {
  constructor(path: string, what: string) {
    super(`The content of ${path} is ${what}.`);
    this.name = 'UnexpectedSize';
  }
}

const NAME = '[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}';
const PATH = new RegExp(`^${NAME}(/${NAME}){0,9}$`);

/** Throws for a path that could mean anything other than a file below the root, in any kind of storage. */
export function checkPath(path: string): void {
  if (!PATH.test(path)) throw new Error(`${JSON.stringify(path)} is not a valid storage path.`);
}

/** Like `checkPath`, for a prefix of a path, which may end anywhere. */
export function checkPrefix(prefix: string): void {
  if (prefix !== '') checkPath(prefix.replace(/\/$/, ''));
}

/** Yields the content in chunks. Throws when its size is not as expected, or when the signal is aborted. */
export async function* checkedContent(path: string, content: Content, options: PutOptions) {
  const { size, maxSize = Number.POSITIVE_INFINITY, signal } = options;
  const limit = Math.min(size ?? Number.POSITIVE_INFINITY, maxSize);
  let seen = 0;
  for await (const chunk of content instanceof Uint8Array ? [content] : content) {
    signal?.throwIfAborted();
    seen += chunk.length;
    if (seen > limit) throw new UnexpectedSize(path, `larger than ${limit} bytes`);
    yield chunk;
  }
  signal?.throwIfAborted();
  if (size !== undefined && seen < size) throw new UnexpectedSize(path, `${seen} bytes, not ${size}`);
}
