import { Readable } from 'node:stream';
import S3rver from 's3rver';
import { beforeAll, describe, expect, test } from 'vitest';
import { storageConformance } from '../../../test/support/storage-conformance.ts';
import { newDirectory } from '../../../test/support/workspace.ts';
import { openStorage } from './open-storage.ts';
import type { StorageOptions } from './storage.ts';

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

type S3Options = Extract<StorageOptions, { kind: 's3' }>;

const open = (over: Partial<S3Options> = {}) =>
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

test('uploads go through Nexus unless direct uploads are enabled', async () => {
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

test.each<[string, Partial<S3Options>, () => string]>([
  ['in the path', { isPathStyle: true }, () => endpoint],
  [
    'in the host',
    { isPathStyle: false, endpoint: 'https://files.example:9000' },
    () => 'https://nexus.files.example:9000',
  ],
  [
    'of Amazon',
    { isPathStyle: false, endpoint: undefined, region: 'eu-west-3' },
    () => 'https://nexus.s3.eu-west-3.amazonaws.com',
  ],
])('uploadOrigin is the origin of direct uploads: a bucket %s', async (_case, over, origin) => {
  const storage = await open({ ...over, hasDirectUploads: true });
  const target = await storage.directUpload('x', {
    contentType: 'application/pdf',
    size: 5,
    expiresInSeconds: 300,
  });
  expect(new URL(target?.url ?? '').origin).toBe(origin());
  expect(await storage.uploadOrigin()).toBe(origin());
  storage.close();
  const through = await open(over);
  expect(await through.uploadOrigin()).toBeUndefined();
  through.close();
});
