import type { Readable } from 'node:stream';

/** A file as it is stored. */
export interface StoredFile {
  path: string;
  size: number;
  modifiedAt: Date;
}

/** Both ends included, as in HTTP. Without an end, up to the last byte. */
export interface ByteRange {
  start: number;
  end?: number | undefined;
}

export type Content = Uint8Array | Readable | AsyncIterable<Uint8Array>;

export interface PutOptions {
  contentType?: string;
  /** Where it is known; a content of another size is refused. */
  size?: number;
  /** Fails as soon as the content is larger. */
  maxSize?: number;
  signal?: AbortSignal;
}

export interface UploadTarget {
  url: string;
  headers: Record<string, string>;
}

/**
 * Files by path. A path is one or more names of `[A-Za-z0-9._-]` with slashes between; none begins with a dot. What is put
 * appears whole or not at all, and replaces what was there. See docs/storage.md.
 */
export interface Storage {
  /** Resolves when the content survives a crash of the machine; with its size. */
  put(path: string, content: Content, options?: PutOptions): Promise<number>;
  /** Undefined when there is no such file; an error when the range begins behind its end. */
  get(path: string, range?: ByteRange): Promise<{ file: StoredFile; content: Readable } | undefined>;
  head(path: string): Promise<StoredFile | undefined>;
  /** Gives a file another path, and replaces what was there. An error when there is no such file. */
  move(from: string, to: string): Promise<void>;
  /** Deleting what is not there is no error. */
  delete(path: string): Promise<void>;
  /** Every file whose path begins with the prefix, in no order. */
  list(prefix?: string): AsyncIterable<StoredFile>;
  /** Where a browser can put the file without Nexus in between, or undefined when it has to go through Nexus. */
  directUpload(
    path: string,
    options: { contentType: string; size: number; expiresInSeconds: number },
  ): Promise<UploadTarget | undefined>;
  /** The origin of every such place, for pages that may connect to nothing they do not name. */
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

/** The range begins behind the end of the file. */
export class UnsatisfiableRange extends Error {
  constructor(path: string) {
    super(`The range begins behind the end of ${path}.`);
    this.name = 'UnsatisfiableRange';
  }
}

/** The content is larger than allowed, or of another size than was said. Nothing was stored. */
export class UnexpectedSize extends Error {
  constructor(path: string, what: string) {
    super(`The content of ${path} is ${what}.`);
    this.name = 'UnexpectedSize';
  }
}
