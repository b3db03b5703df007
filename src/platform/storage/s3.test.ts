import { Readable } from 'node:stream';
import S3rver from 's3rver';
import { beforeAll, describe, expect, test } from 'vitest';
import { storageConformance } from '../../../test/storage-conformance.ts';
import { newDirectory } from '../../../test/workspace.ts';
import { openStorage } from './open-storage.ts';

let endpoint: string;

beforeAll(async () => {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: await newDirectory('s3'),
    configureBuckets: [{ name: 'nexus', configs: [] }],
  });
  endpoint = `http://127.0.0.1:${(await server.run()).port}`;
  return () => server.close();
});

const open = (over: { bucket?: string; hasDirectUploads?: boolean } = {}) =>
  openStorage({
    kind: 's3',
    endpoint,
    bucket: 'nexus',
    region: 'us-east-1',
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    isPathStyle: true,
    hasDirectUploads: false,
    ...over,
  });

describe('S3 storage', () => storageConformance(open));

test('a bucket that does not exist is an error, not an empty storage', async () => {
  const storage = await open({ bucket: 'nowhere' });
  await expect(storage.get('x')).rejects.toThrow();
  await expect(Readable.from(storage.list()).toArray()).rejects.toThrow();
  storage.close();
});

test('uploads go through Nexus unless direct ones are wanted', async () => {
  const options = { contentType: 'application/pdf', size: 5, expiresInSeconds: 300 };
  const through = await open();
  expect(await through.directUpload('media/1/original.pdf', options)).toBeUndefined();
  const direct = await open({ hasDirectUploads: true });
  const target = await direct.directUpload('media/1/original.pdf', options);
  const signed = new URL(target?.url ?? '').searchParams;
  expect(signed.get('X-Amz-SignedHeaders')).toBe('content-length;content-type;host');
  expect(signed.get('X-Amz-Expires')).toBe('300');
  const answer = await fetch(target?.url ?? '', {
    method: 'PUT',
    body: '%PDF-',
    headers: target?.headers ?? {},
  });
  expect(answer.status).toBe(200);
  expect(await direct.head('media/1/original.pdf')).toMatchObject({ size: 5 });
  through.close();
  direct.close();
});
