import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
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

/** Opens a storage that keeps files in a bucket of an S3-compatible store. */
export function openS3Storage(options: Extract<StorageOptions, { kind: 's3' }>): Storage {
  const { bucket: Bucket, hasDirectUploads } = options;
  const client = new S3Client({
    region: options.region,
    forcePathStyle: options.isPathStyle,
    // Older stores do not support the optional checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(options.endpoint ? { endpoint: options.endpoint } : {}),
    ...(options.credentials ? { credentials: options.credentials } : {}),
  });

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
        client,
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
      const found = await client.send(new GetObjectCommand({ Bucket, Key: path, Range })).catch((error) => {
        if (statusOf(error) === 416) throw new UnsatisfiableRange(path);
        return undefinedIfMissing(error);
      });
      if (!found) return undefined;
      const size = Number(found.ContentRange?.split('/')[1] ?? found.ContentLength ?? 0);
      const file = { path, size, modifiedAt: found.LastModified ?? EPOCH };
      return { file, content: found.Body as Readable };
    },

    async head(path) {
      checkPath(path);
      const found = await client.send(new HeadObjectCommand({ Bucket, Key: path })).catch(undefinedIfMissing);
      if (!found) return undefined;
      return { path, size: found.ContentLength ?? 0, modifiedAt: found.LastModified ?? EPOCH };
    },

    async move(from, to) {
      checkPath(from);
      checkPath(to);
      await client.send(new CopyObjectCommand({ Bucket, Key: to, CopySource: `${Bucket}/${from}` }));
      await client.send(new DeleteObjectCommand({ Bucket, Key: from }));
    },

    async delete(path) {
      checkPath(path);
      await client.send(new DeleteObjectCommand({ Bucket, Key: path }));
    },

    async *list(prefix = '') {
      checkPrefix(prefix);
      for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix: prefix })) {
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

    close: () => client.destroy(),
  };
}

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

function undefinedIfMissing(error: unknown): undefined {
  if (statusOf(error) !== 404 || (error as Error).name === 'NoSuchBucket') throw error;
}
