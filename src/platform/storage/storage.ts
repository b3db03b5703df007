import type { Readable } from 'node:stream';

/** A stored file. */
export interface StoredFile {
  path: string;
  size: number;
  modifiedAt: Date;
}

/** A range of bytes, with both ends included as in HTTP. Without an end, it extends to the last byte. */
export interface ByteRange {
  start: number;
  end?: number | undefined;
}

export type Content = Uint8Array | Readable | AsyncIterable<Uint8Array>;

export interface PutOptions {
  contentType?: string;
  /** The expected size; other sizes are refused. */
  size?: number;
  /** The maximum size. */
  maxSize?: number;
  signal?: AbortSignal;
}

export interface UploadTarget {
  url: string;
  headers: Record<string, string>;
}

/**
 * Stores files by path. A path is one or more names of `[A-Za-z0-9._-]`, separated by slashes; no name begins with a dot.
 * A put is atomic and replaces an existing file. See docs/storage.md.
 */
export interface Storage {
  /** Stores a file durably, and returns its size. */
  put(path: string, content: Content, options?: PutOptions): Promise<number>;
  /** Reads a file. Undefined when it does not exist; throws `UnsatisfiableRange` when the range starts after its end. */
  get(path: string, range?: ByteRange): Promise<{ file: StoredFile; content: Readable } | undefined>;
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
  ): Promise<UploadTarget | undefined>;
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
