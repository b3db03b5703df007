import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:tls';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { failure, LOOPBACK } from '../../../test/support/egress.ts';
import { listen, startRawSite, startSite } from '../../../test/support/internet.ts';
import { createEgress, type EgressOptions, type EgressRequest } from './egress.ts';
import { retryAfter } from './errors.ts';

const egress = createEgress({ allow: LOOPBACK });

describe('servers that misbehave', () => {
  const raw = (text: string | Buffer) => startRawSite((socket) => void socket.end(text));

  test('closing immediately', async () => {
    expect(await failure(egress.request((await raw('')).url))).toMatchObject({
      code: 'E_CONNECTION_LOST',
      isTransient: true,
    });
  });

  test('declaring more than they send', async () => {
    const site = await raw('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort');
    expect(await failure(egress.fetchBytes(site.url))).toMatchObject({ code: 'E_CONNECTION_LOST' });
  });

  test('declaring less than they send: the declared length counts', async () => {
    const site = await raw('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nshort and then some');
    expect((await egress.fetchText(site.url)).text).toBe('short');
  });

  test('ending in the middle of a chunk', async () => {
    const site = await raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab');
    expect(await failure(egress.fetchBytes(site.url))).toMatchObject({ code: 'E_CONNECTION_LOST' });
  });

  test('ending in the middle of compressed data', async () => {
    const half = gzipSync('x'.repeat(10_000)).subarray(0, 20);
    const site = await startSite((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(half),
    );
    expect(await failure(egress.fetchBytes(site.url))).toMatchObject({ code: 'E_CONNECTION_LOST' });
  });

  test.each([
    ['gzip', 'not gzip'],
    ['br', 'not brotli'],
    ['deflate', 'not deflate'],
    ['zstd', 'unknown here'],
    ['gzip, gzip, gzip', 'too often'],
  ])('declaring %s for other data', async (encoding, text) => {
    const site = await startSite((_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(text),
    );
    expect(await failure(egress.fetchBytes(site.url))).toMatchObject({
      code: 'E_INVALID_RESPONSE',
      isTransient: false,
    });
  });

  test.each([
    ['no HTTP at all', 'SSH-2.0-OpenSSH\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx'],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
  ])('sending %s', async (_what, text) => {
    expect(await failure(egress.fetchBytes((await raw(text)).url))).toMatchObject({
      code: 'E_INVALID_RESPONSE',
    });
  });

  test('not listening', async () => {
    const site = await startSite(() => {});
    expect(await failure(egress.request(`http://127.0.0.9:${site.port}/`))).toMatchObject({
      code: 'E_CONNECT_FAILED',
      isTransient: true,
    });
  });
});

describe('TLS', () => {
  const fixture = (file: string) =>
    readFileSync(new URL(`../../../test/support/fixtures/tls/${file}`, import.meta.url));

  test('the site gets its name (SNI) although the address is pinned, and an unknown certificate is refused', async () => {
    const names: string[] = [];
    const server = createTlsServer({
      key: fixture('key.pem'),
      cert: fixture('certificate.pem'),
      SNICallback: (name, done) => {
        names.push(name);
        done(null);
      },
    });
    const site = await listen(server, '127.0.0.1', 0);
    const named = createEgress({ allow: LOOPBACK, resolver: async () => ['127.0.0.1'] });
    expect(await failure(named.request(`https://shop.example:${site.port}/`))).toMatchObject({
      code: 'E_TLS_FAILED',
      isTransient: false,
    });
    expect(names).toEqual(['shop.example']);
  });

  test('a site that uses plain HTTP instead of TLS', async () => {
    const site = await startSite((_request, response) => response.end());
    expect(await failure(egress.request(`https://${site.host}/`))).toMatchObject({ code: 'E_TLS_FAILED' });
  });
});

describe('statuses', () => {
  test.each([
    [400, 'E_HTTP_ERROR', false],
    [401, 'E_LOGIN_REQUIRED', false],
    [402, 'E_HTTP_ERROR', false],
    [403, 'E_ACCESS_DENIED', false],
    [404, 'E_PAGE_NOT_FOUND', false],
    [408, 'E_SITE_ERROR', true],
    [410, 'E_PAGE_GONE', false],
    [429, 'E_SITE_BUSY', true],
    [451, 'E_HTTP_ERROR', false],
    [500, 'E_SITE_ERROR', true],
    [503, 'E_SITE_ERROR', true],
    [304, 'E_HTTP_ERROR', false],
  ])('%i is %s', async (status, code, isTransient) => {
    const site = await startSite((_request, response) => response.writeHead(status).end('no'));
    expect(await failure(egress.fetchBytes(site.url))).toMatchObject({ code, isTransient, status });
  });

  test('are all returned by `request`', async () => {
    const site = await startSite((_request, response) =>
      response.writeHead(503, { 'retry-after': '7' }).end('no'),
    );
    const answer = await egress.request(site.url);
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '7' } });
    expect((await answer.body.toArray()).join('')).toBe('no');
    await expect(egress.fetchBytes(site.url)).rejects.toMatchObject({ retryAfterSeconds: 7 });
  });

  test.each([
    ['120', 120],
    ['Thu, 01 Jan 1970 00:01:40 GMT', 90],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['99999999', 86400],
    ['soon', undefined],
    [undefined, undefined],
  ])('Retry-After: %s is %s seconds', (value, seconds) => {
    expect(retryAfter(value, 10_000)).toBe(seconds);
  });
});

test('body, method and headers are sent unchanged', async () => {
  const site = await startSite(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    response.end(JSON.stringify({ body, method: request.method, headers: request.headers }));
  });
  const body = '{"é":1}';
  const { text } = await egress.fetchText(site.url, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json', 'webhook-id': 'msg_1', Host: 'spoofed.example' },
  });
  expect(JSON.parse(text)).toMatchObject({
    body,
    method: 'POST',
    headers: {
      host: site.host,
      'content-length': '8',
      'content-type': 'application/json',
      'webhook-id': 'msg_1',
      'user-agent': 'Nexus',
    },
  });
});

test.each([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['identity', (text: Buffer) => text],
])('%s is decompressed', async (encoding, compress) => {
  const site = await startSite((_request, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(compress(Buffer.from('Grüße'))),
  );
  expect((await egress.fetchText(site.url)).text).toBe('Grüße');
});

test.each([204, 'HEAD'] as const)(
  'a response without a body (%s) has none, even if its headers declare one',
  async (what) => {
    const site = await startSite((_request, response) =>
      response
        .writeHead(what === 204 ? 204 : 200, { 'content-encoding': 'gzip', 'content-length': '99' })
        .end(),
    );
    const options: EgressRequest = what === 'HEAD' ? { method: 'HEAD' } : {};
    expect((await egress.fetchBytes(site.url, options)).bytes).toHaveLength(0);
  },
);

test('createEgress refuses invalid options', () => {
  const options: EgressOptions = { allow: ['everything'] };
  expect(() => createEgress(options)).toThrow('"everything" is neither host:port nor a network');
});
