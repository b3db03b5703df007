/** S3 stores that do not answer, stop in the middle of a file, or are slow. */
import { EventEmitter, once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { openInOrder } from '../backup/open-in-order.ts';
import { openS3Storage, type S3Timeouts } from './s3.ts';
import type { Storage } from './storage.ts';

const MB = 1024 * 1024;
const SHORT = { connectMs: 5000, readMs: 100, writeMs: 100 };
const LONG = { connectMs: 5000, readMs: 60_000, writeMs: 60_000 };
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** Opens a storage whose store answers with `handler`. */
async function openStore(handler: http.RequestListener, timeouts: S3Timeouts): Promise<Storage> {
  const server = http.createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const storage = openS3Storage(
    {
      kind: 's3',
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      bucket: 'nexus',
      region: 'us-east-1',
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      isPathStyle: true,
      hasDirectUploads: false,
    },
    timeouts,
  );
  cleanups.push(() => {
    storage.close();
    server.closeAllConnections();
    server.close();
  });
  return storage;
}

const never: http.RequestListener = (request) => request.resume();

test('a store that does not answer is an error', { tags: 'slow' }, async () => {
  const storage = await openStore(never, SHORT);
  const timeout = { name: 'TimeoutError' };
  await expect(storage.get('a')).rejects.toMatchObject(timeout);
  await expect(storage.head('a')).rejects.toMatchObject(timeout);
  await expect(storage.delete('a')).rejects.toMatchObject(timeout);
  await expect(storage.move('a', 'b')).rejects.toMatchObject(timeout);
  await expect(storage.put('a', Buffer.from('x'))).rejects.toMatchObject(timeout);
  await expect(Readable.from(storage.list()).toArray()).rejects.toMatchObject(timeout);
});

test('a store that stops in the middle of a file is an error', async () => {
  const storage = await openStore((_request, response) => {
    response.writeHead(200, { 'content-length': 10 }).write('01234');
  }, SHORT);
  const found = await storage.get('a');
  await expect(buffer(found?.content as Readable)).rejects.toThrow('The store stopped sending a');
});

test('a file that its reader leaves for a while, or that comes slowly, arrives whole', {
  tags: 'slow',
}, async () => {
  const limits = { ...LONG, readMs: 1000 };
  const size = 8 * MB;
  const atOnce = await openStore((_request, response) => response.end(Buffer.alloc(size)), limits);
  const left = await atOnce.get('a');
  await pause(3 * limits.readMs);
  expect(await buffer(left?.content as Readable)).toHaveLength(size);

  const slowly = await openStore(async (_request, response) => {
    response.writeHead(200, { 'content-length': 10 });
    for (let sent = 0; sent < 10; sent++) {
      response.write('x');
      await pause(limits.readMs / 5);
    }
    response.end();
  }, limits);
  const slow = await slowly.get('a');
  expect(await buffer(slow?.content as Readable)).toHaveLength(10);
});

test('closing the storage ends requests that are not answered', async () => {
  const requests = new EventEmitter();
  const storage = await openStore(() => requests.emit('one'), LONG);
  const asked = once(requests, 'one');
  const getting = expect(storage.get('a')).rejects.toThrow();
  await asked;
  storage.close();
  await getting;
});

test('files are opened in order until the signal aborts, and what is opened later is closed', async () => {
  const answers = new Map<string, http.ServerResponse>();
  const requests = new EventEmitter();
  const asked = once(requests, 'both');
  const storage = await openStore((request, response) => {
    answers.set(new URL(request.url ?? '', 'http://store').pathname, response);
    if (answers.size === 2) requests.emit('both');
  }, LONG);
  const stop = new AbortController();
  const files = openInOrder(storage, Readable.from(['silent', 'late']), stop.signal);
  const opening = expect(files.next()).rejects.toThrow('stopped');
  await asked;
  stop.abort(new Error('stopped'));
  await opening;
  const late = answers.get('/nexus/late') as http.ServerResponse;
  late.writeHead(200, { 'content-length': 10 }).write('01234');
  await once(late, 'close');
  expect(late.writableFinished).toBe(false);
});

test('the signal ends the reading of a file that stops in the middle', async () => {
  const storage = await openStore((_request, response) => {
    response.writeHead(200, { 'content-length': 10 }).write('01234');
  }, LONG);
  const stop = new AbortController();
  for await (const { stored } of openInOrder(storage, Readable.from(['a']), stop.signal)) {
    const chunks = stored?.content[Symbol.asyncIterator]();
    expect((await chunks?.next())?.value.toString()).toBe('01234');
    const waiting = expect(chunks?.next()).rejects.toThrow();
    stop.abort(new Error('stopped'));
    await waiting;
  }
});
