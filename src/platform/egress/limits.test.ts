/**
 * Transfers hundreds of megabytes.
 *
 * @module-tag slow
 */
import { once } from 'node:events';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { failure, LOOPBACK } from '../../../test/support/egress.ts';
import { startRawSite, startSite, writeForever } from '../../../test/support/internet.ts';
import { createEgress } from './egress.ts';

const MB = 1024 * 1024;
const egress = createEgress({ allow: LOOPBACK });

describe('limits', () => {
  const quick = { level: constants.Z_BEST_SPEED };
  const compressed = {
    gzip: (bytes: Buffer) => gzipSync(bytes, quick),
    deflate: (bytes: Buffer) => deflateSync(bytes, quick),
    br: (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  };

  test.each(Object.entries(compressed))('a %s bomb fails at the limit', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(64 * MB));
    const site = await startSite((_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bomb),
    );
    const { body } = await egress.request(site.url, { limits: { bodyBytes: MB } });
    let read = 0;
    const reading = (async () => {
      for await (const chunk of body) read += chunk.length;
    })();
    expect(await failure(reading)).toMatchObject({ code: 'E_RESPONSE_TOO_LARGE', isTransient: false });
    expect(read).toBeLessThanOrEqual(MB);
  });

  test('a bomb inside a bomb fails at the limit', async () => {
    const bomb = gzipSync(gzipSync(Buffer.alloc(256 * MB), quick));
    const site = await startSite((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end(bomb),
    );
    expect(await failure(egress.fetchBytes(site.url))).toMatchObject({ code: 'E_RESPONSE_TOO_LARGE' });
  });

  test('an endless body fails at the limit, and the connection is closed', async () => {
    const site = await startSite((_request, response) => writeForever(response, Buffer.alloc(65536, 'x')));
    expect(await failure(egress.fetchBytes(site.url))).toMatchObject({ code: 'E_RESPONSE_TOO_LARGE' });
    await site.closed;
  });

  test('endless compressed data that decompresses to nothing fails at the limit', async () => {
    // Empty stored blocks: five bytes that decompress to none.
    const nothing = Buffer.concat(Array(10_000).fill(Buffer.from([0, 0, 0, 0xff, 0xff])));
    const site = await startSite((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'deflate' });
      writeForever(response, nothing);
    });
    expect(await failure(egress.fetchBytes(site.url, { limits: { bodyBytes: MB } }))).toMatchObject({
      code: 'E_RESPONSE_TOO_LARGE',
    });
  });

  test('a body whose declared length is too large is not read', async () => {
    const site = await startSite((_request, response) => {
      response.writeHead(200, { 'content-length': String(10 ** 12) }).flushHeaders();
    });
    expect(await failure(egress.request(site.url))).toMatchObject({ code: 'E_RESPONSE_TOO_LARGE' });
    await site.closed;
  });

  test('endless headers fail at the limit', async () => {
    const site = await startRawSite((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      writeForever(socket, Buffer.from(`X-Filler: ${'x'.repeat(1000)}\r\n`));
    });
    expect(await failure(egress.request(site.url))).toMatchObject({ code: 'E_RESPONSE_TOO_LARGE' });
  });

  test('a silent server times out', async () => {
    const site = await startRawSite(() => {});
    expect(await failure(egress.request(site.url, { limits: { totalMs: 100 } }))).toMatchObject({
      code: 'E_TIMEOUT',
      isTransient: true,
    });
    await site.closed;
  });

  test('a slow body times out', async () => {
    const site = await startSite((_request, response) => {
      response.write('x');
      const timer = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(timer));
    });
    expect(await failure(egress.fetchBytes(site.url, { limits: { totalMs: 150 } }))).toMatchObject({
      code: 'E_TIMEOUT',
    });
    await site.closed;
  });

  test('redirects do not extend the timeout', async () => {
    const site = await startSite((_request, response) => {
      setTimeout(() => response.writeHead(302, { location: '/' }).end(), 60);
    });
    expect(await failure(egress.request(site.url, { limits: { totalMs: 150 } }))).toMatchObject({
      code: 'E_TIMEOUT',
    });
  });

  test('a handshake that never ends times out', async () => {
    const site = await startRawSite(() => {});
    const call = egress.request(`https://${site.host}/`, { limits: { connectMs: 100 } });
    expect(await failure(call)).toMatchObject({ code: 'E_TIMEOUT', isTransient: true });
    await site.closed;
  });

  test('memory does not grow with the size of responses', async () => {
    const bomb = gzipSync(Buffer.alloc(128 * MB), quick);
    const site = await startSite((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    const before = process.memoryUsage().rss;
    let peak = before;
    const sampler = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 1);
    for (let round = 0; round < 20; round++) {
      await failure(egress.fetchBytes(site.url, { limits: { bodyBytes: 2 * MB } }));
    }
    clearInterval(sampler);
    // The server offered 20 × 128 MB. The limit is 2 MB; the rest of the margin is for garbage.
    expect(peak - before).toBeLessThan(100 * MB);
  });
});

describe('the caller can abort', () => {
  test.each(['before', 'during'])('%s the request, with its own reason', async (when) => {
    const site = await startRawSite(() => {});
    const stop = new AbortController();
    const reason = new Error('cancelled by a person');
    if (when === 'before') stop.abort(reason);
    const call = egress.request(site.url, { signal: stop.signal });
    if (when === 'during') stop.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  test('while the body is read', async () => {
    const site = await startSite((_request, response) => {
      response.write('x');
    });
    const stop = new AbortController();
    const { body } = await egress.request(site.url, { signal: stop.signal });
    await once(body, 'readable');
    const reason = new Error('cancelled by a person');
    stop.abort(reason);
    await expect(body.toArray()).rejects.toBe(reason);
    await site.closed;
  });

  test('by destroying the body', async () => {
    const site = await startSite((_request, response) => writeForever(response, Buffer.alloc(65536)));
    const { body } = await egress.request(site.url);
    body.destroy();
    await site.closed;
  });
});
