import { setMaxListeners } from 'node:events';
import { pipeline, Readable, Transform } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  type S3ClientConfig,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import {
  checkedContent,
  checkPath,
  checkPrefix,
  type Storage,
  type StorageOptions,
  UnsatisfiableRange,
} from './storage.ts';

/** With these limits, an upload uses at most 16 MB of memory, and a file can have up to 80 GB. */
const PART_BYTES = 8 * 1024 * 1024;
const PARALLEL_PARTS = 2;
const EPOCH = new Date(0);

/** The times after which a silent store has failed. What makes progress is not limited. */
export interface S3Timeouts {
  connectMs: number;
  /** For the begin of an answer, and for each next part of a file. */
  readMs: number;
  /** For a part of an upload, and for a copy: some stores answer only when they have written everything. */
  writeMs: number;
}

const TIMEOUTS: S3Timeouts = { connectMs: 10_000, readMs: 60_000, writeMs: 300_000 };

/** Opens a storage that keeps files in a bucket of an S3-compatible store. */
export function openS3Storage(
  options: Extract<StorageOptions, { kind: 's3' }>,
  { connectMs: connectionTimeout, readMs, writeMs }: S3Timeouts = TIMEOUTS,
): Storage {
  const { bucket: Bucket, hasDirectUploads } = options;
  const clientOptions: S3ClientConfig = {
    region: options.region,
    forcePathStyle: options.isPathStyle,
    // Older stores do not support the optional checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(options.endpoint ? { endpoint: options.endpoint } : {}),
    ...(options.credentials ? { credentials: options.credentials } : {}),
  };
  const client = new S3Client({
    ...clientOptions,
    // Not a socketTimeout: it would also end a download whose reader takes a break.
    requestHandler: { connectionTimeout, requestTimeout: readMs, throwOnRequestTimeout: true },
  });
  // Not a requestTimeout: it would also end a slow upload.
  const uploader = new S3Client({
    ...clientOptions,
    requestHandler: { connectionTimeout, socketTimeout: writeMs },
  });
  // Without it, requests that the store does not answer are sent again after `close`, and keep the process alive.
  const closing = new AbortController();
  const abortSignal = closing.signal;
  setMaxListeners(0, abortSignal);

  return {
    async put(path, content, putOptions = {}) {
      checkPath(path);
      const { contentType: ContentType, signal } = putOptions;
      let size = 0;
      let problem: unknown;
      const counted = async function* () {
        try {
          for await (const chunk of checkedContent(path, content, putOptions)) {
            size += chunk.length;
            yield chunk;
          }
        } catch (error) {
          problem = error;
          throw error;
        }
      };
      const upload = new Upload({
        client: uploader,
        params: { Bucket, Key: path, Body: Readable.from(counted()), ContentType },
        partSize: PART_BYTES,
        queueSize: PARALLEL_PARTS,
      });
      const stop = () => void upload.abort();
      signal?.addEventListener('abort', stop, { once: true });
      try {
        await upload.done();
        return size;
      } catch (error) {
        // The first cause; `error` may come from the clean-up after it.
        throw signal?.aborted ? signal.reason : (problem ?? error);
      } finally {
        signal?.removeEventListener('abort', stop);
      }
    },

    async get(path, range) {
      checkPath(path);
      const Range = range && `bytes=${range.start}-${range.end ?? ''}`;
      const command = new GetObjectCommand({ Bucket, Key: path, Range });
      const found = await client.send(command, { abortSignal }).catch((error) => {
        if (statusOf(error) === 416) throw new UnsatisfiableRange(path);
        return undefinedIfMissing(error);
      });
      if (!found) return undefined;
      const size = Number(found.ContentRange?.split('/')[1] ?? found.ContentLength ?? 0);
      const file = { path, size, modifiedAt: found.LastModified ?? EPOCH };
      return { file, content: failWhenSilent(path, found.Body as Readable, readMs) };
    },

    async head(path) {
      checkPath(path);
      const command = new HeadObjectCommand({ Bucket, Key: path });
      const found = await client.send(command, { abortSignal }).catch(undefinedIfMissing);
      if (!found) return undefined;
      return { path, size: found.ContentLength ?? 0, modifiedAt: found.LastModified ?? EPOCH };
    },

    async move(from, to) {
      checkPath(from);
      checkPath(to);
      const copy = new CopyObjectCommand({ Bucket, Key: to, CopySource: `${Bucket}/${from}` });
      await client.send(copy, { abortSignal, requestTimeout: writeMs });
      await client.send(new DeleteObjectCommand({ Bucket, Key: from }), { abortSignal });
    },

    async delete(path) {
      checkPath(path);
      await client.send(new DeleteObjectCommand({ Bucket, Key: path }), { abortSignal });
    },

    async *list(prefix = '') {
      checkPrefix(prefix);
      for await (const page of paginateListObjectsV2(
        { client },
        { Bucket, Prefix: prefix },
        { abortSignal },
      )) {
        for (const { Key: path = '', Size: size = 0, LastModified: modifiedAt = EPOCH } of page.Contents ??
          [])
          yield { path, size, modifiedAt };
      }
    },

    async directUpload(path, { contentType, size, expiresInSeconds }) {
      checkPath(path);
      if (!hasDirectUploads) return undefined;
      const upload = { Bucket, Key: path, ContentType: contentType, ContentLength: size };
      const command = new PutObjectCommand(upload);
      const url = await getSignedUrl(client, command, {
        expiresIn: expiresInSeconds,
        // Signed, so that the store accepts only this size and type.
        signableHeaders: new Set(['content-length', 'content-type', 'host']),
      });
      return { url, headers: { 'content-type': contentType } };
    },

    async uploadOrigin() {
      if (!hasDirectUploads) return undefined;
      // Uses the client's own rules to find the host of the bucket. Signing a URL instead would need credentials.
      const { url } = client.config.endpointProvider({
        Bucket,
        Region: options.region,
        ForcePathStyle: options.isPathStyle,
        ...(options.endpoint && { Endpoint: options.endpoint }),
      });
      return url.origin;
    },

    close() {
      closing.abort(new Error('The storage was closed.'));
      client.destroy();
      uploader.destroy();
    },
  };
}

/** Passes a download on, and fails when its reader has waited for the next bytes for this time. */
function failWhenSilent(path: string, body: Readable, ms: number): Readable {
  const content = new Transform({
    transform(chunk, _encoding, done) {
      timer.refresh();
      done(null, chunk);
    },
  });
  const timer = setTimeout(() => {
    // The reader has not taken what is there, so it does not wait.
    if (content.readableLength + content.writableLength > 0) timer.refresh();
    else content.destroy(new Error(`The store stopped sending ${path} for ${ms} ms.`));
  }, ms);
  timer.unref();
  content.once('finish', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
  // The reader gets the error. If it comes before anybody reads, it must not end the process.
  content.on('error', () => undefined);
  pipeline(body, content, () => undefined);
  return content;
}

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

function undefinedIfMissing(error: unknown): undefined {
  if (statusOf(error) !== 404 || (error as Error).name === 'NoSuchBucket') throw error;
}
