import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { createServer as createTlsServer } from 'node:tls';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { listen, startRawSite, startSite, writeForever } from '../../../test/support/internet.ts';
import { createEgress, type EgressOptions, type EgressRequest } from './egress.ts';
import { EgressError, retryAfter } from './errors.ts';
import type { Interfaces } from './local-network.ts';

const MB = 1024 * 1024;
const LOOPBACK = ['127.0.0.0/8'];
const egress = createEgress({ allow: LOOPBACK });

/** Returns the code of the call's error, and whether a retry may succeed. */
async function failure(call: Promise<unknown>) {
  const error = await call.then(
    () => expect.fail('it did not fail'),
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(EgressError);
  const { code, isTransient, message, status, cause } = error as EgressError;
  expect(message).toMatch(/^[[A-Za-z0-9].*\.$/);
  return { code, isTransient, message, status, cause };
}

describe('an address that is not public is refused before connecting', () => {
  const guarded = createEgress({
    resolver: async (name) => (name.startsWith('six.') ? ['2606:4700::1', 'fd00::1'] : ['127.0.0.1']),
  });

  test.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.0.0.1/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://127.0.0.1./',
    'http://127.0.0.1:22/',
    'http://0/',
    'http://0.0.0.0:8080/',
    'http://①②⑦.⓪.⓪.①/',
    'http://１２７.0.0.1/',
    'http://127。0。0。1/',
    'http://%31%32%37.0.0.1/',
    'http://10.0.0.5/admin',
    'http://192.168.1.1/',
    'http://172.16.0.1/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://0xa9fea9fe/',
    'http://2852039166/',
    'http://168.63.129.16/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::]/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[2002:7f00:1::]/',
    'http://[2001:0:1:2:3:4:5:6]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://[ff02::1]/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://anything.example/',
    'https://anything.example:8443/',
    'http://six.example/',
  ])('%s', async (url) => {
    expect(await failure(guarded.request(url))).toMatchObject({ code: 'E_SSRF_BLOCKED', isTransient: false });
    expect(await failure(guarded.check(url))).toMatchObject({ code: 'E_SSRF_BLOCKED' });
  });

  test('and a server that listens there receives nothing', async () => {
    const site = await startSite((_request, response) => response.end());
    expect(await failure(createEgress().request(site.url))).toMatchObject({ code: 'E_SSRF_BLOCKED' });
    expect(await failure(createEgress().request(`http://localhost:${site.port}`))).toMatchObject({
      code: 'E_SSRF_BLOCKED',
    });
    expect(site.connections).toBe(0);
  });
});

test.each([
  'ftp://example.com/',
  'file:///etc/passwd',
  'data:text/plain,x',
  'javascript:alert(1)',
  'gopher://127.0.0.1/',
  'http://',
  'http://user@example.com/',
  'http://user:password@example.com/',
  'http://example.com@127.0.0.1/',
  'http://1.2.3.4.5/',
  'http://[::1%25eth0]/',
  'not a url',
  '',
])('%s is not a valid address', async (url) => {
  expect(await failure(egress.request(url))).toMatchObject({ code: 'E_INVALID_URL', isTransient: false });
});

describe('names', () => {
  test('all addresses of a name are checked, not only the first', async () => {
    const guarded = createEgress({ resolver: async () => ['93.184.216.34', '10.0.0.1'] });
    expect(await failure(guarded.request('http://mixed.example/'))).toMatchObject({ code: 'E_SSRF_BLOCKED' });
  });

  test('the connection uses the checked address, even if the name resolves to another one later (DNS rebinding)', async () => {
    const good = await startSite((_request, response) => response.end('good'));
    const evil = await startSite((_request, response) => response.end('evil'), '127.0.0.2', good.port);
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.2']];
    let asked = 0;
    const guarded = createEgress({
      allow: ['127.0.0.1/32'],
      resolver: async () => answers[asked++] ?? [],
    });
    const url = `http://rebinding.example:${good.port}/`;
    expect((await guarded.fetchText(url)).text).toBe('good');
    expect(asked).toBe(1);
    expect(await failure(guarded.fetchText(url))).toMatchObject({ code: 'E_SSRF_BLOCKED' });
    expect([good.connections, evil.connections]).toEqual([1, 0]);
  });

  test('the next checked address is tried when one does not respond', async () => {
    const site = await startSite((_request, response) => response.end('second'), '127.0.0.3');
    const guarded = createEgress({ allow: LOOPBACK, resolver: async () => ['127.0.0.4', '127.0.0.3'] });
    expect((await guarded.fetchText(`http://two.example:${site.port}/`)).text).toBe('second');
  });

  test('an exception for a host applies only to its port', async () => {
    const site = await startSite((request, response) => response.end(request.headers.host));
    const other = await startSite((_request, response) => response.end());
    const guarded = createEgress({
      allow: [`wiki.example:${site.port}`],
      resolver: async () => ['127.0.0.1'],
    });
    expect((await guarded.fetchText(`http://wiki.example:${site.port}/`)).text).toBe(
      `wiki.example:${site.port}`,
    );
    await guarded.check(`http://wiki.example:${site.port}/`);
    for (const url of [`http://wiki.example:${other.port}/`, site.url]) {
      expect(await failure(guarded.request(url))).toMatchObject({ code: 'E_SSRF_BLOCKED' });
    }
    expect(other.connections).toBe(0);
  });

  test.each([
    ['ENOTFOUND', 'E_SSRF_BLOCKED', false],
    ['EAI_AGAIN', 'E_DNS_FAILED', true],
  ])('a lookup that fails with %s is %s', async (code, expected, isTransient) => {
    const resolver = () => Promise.reject(Object.assign(new Error('no'), { code }));
    expect(await failure(createEgress({ resolver }).request('http://gone.example/'))).toMatchObject({
      code: expected,
      isTransient,
    });
  });

  test('a name without an address counts as not found', async () => {
    expect(
      await failure(createEgress({ resolver: async () => [] }).check('http://no.example/')),
    ).toMatchObject({
      code: 'E_SSRF_BLOCKED',
    });
  });

  test('an unknown name and a name with a private address have the same error message', async () => {
    const resolver = async (name: string) => {
      if (name === 'internal.example') return ['10.0.0.1'];
      throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    };
    const guarded = createEgress({ resolver });
    const answerFor = async (name: string) => {
      const { code, message, isTransient } = await failure(guarded.request(`http://${name}/`));
      return { code, message: message.replace(name, 'NAME'), isTransient };
    };
    const answer = await answerFor('internal.example');
    expect(await answerFor('missing.example')).toEqual(answer);
    expect(answer.message).not.toMatch(/private|10\.0|NEXUS_/);
    // The log has the difference.
    expect((await failure(guarded.check('http://internal.example/'))).cause).toMatchObject({
      message: '10.0.0.1 is a private address',
    });
  });

  test('a lookup that never ends times out', async () => {
    const slow = createEgress({ resolver: () => new Promise(() => {}), limits: { connectMs: 20 } });
    for (const call of [slow.request('http://slow.example/'), slow.check('http://slow.example/')]) {
      expect(await failure(call)).toMatchObject({ code: 'E_TIMEOUT', isTransient: true });
    }
  });
});

describe('addresses of this machine and its network', () => {
  const interfaces = (() => ({
    lo: [{ address: '127.0.0.1', family: 'IPv4', cidr: '127.0.0.1/8' }],
    eth0: [
      { address: '93.184.216.34', family: 'IPv4', cidr: '93.184.216.34/24' },
      { address: '2606:2800:220:1::5', family: 'IPv6', cidr: '2606:2800:220:1::5/64' },
      { address: '2606:2800:220:2::5', family: 'IPv6', cidr: null },
    ],
    down: undefined,
  })) as unknown as Interfaces;
  const guarded = createEgress({ interfaces, resolver: async () => ['93.184.216.34'] });

  test.each([
    'http://93.184.216.34/',
    'http://[::ffff:93.184.216.34]/',
    'http://[64:ff9b::93.184.216.34]/',
    'http://own.example/',
    'http://[2606:2800:220:1::5]/',
    'http://[2606:2800:220:1:ffff::9]/',
    'http://[2606:2800:220:2::5]/',
  ])('%s is refused', async (url) => {
    expect(await failure(guarded.check(url))).toMatchObject({ code: 'E_SSRF_BLOCKED' });
  });

  test.each(['http://93.184.216.35/', 'http://[2606:2800:220:2::6]/', 'http://[2606:2800:221:1::5]/'])(
    '%s is outside, and is allowed',
    async (url) => {
      await guarded.check(url);
    },
  );

  test('are read for every request, and can be allowed', async () => {
    let own: ReturnType<Interfaces> = {};
    const changing = createEgress({ interfaces: () => own });
    await changing.check('http://93.184.216.34/');
    own = interfaces();
    expect(await failure(changing.check('http://93.184.216.34/'))).toMatchObject({ code: 'E_SSRF_BLOCKED' });
    await createEgress({ interfaces, allow: ['93.184.216.34/32'] }).check('http://93.184.216.34/');
  });

  test('include the real addresses of this machine', async () => {
    const mine = Object.values(networkInterfaces()).flatMap((infos) => infos ?? []);
    for (const { address, family } of mine) {
      const host = family === 'IPv6' ? `[${address.split('%')[0]}]` : address;
      expect(await failure(createEgress().check(`http://${host}/`))).toMatchObject({
        code: 'E_SSRF_BLOCKED',
      });
    }
  });
});

describe('redirects', () => {
  test('are followed up to five times, and the result has the last URL', async () => {
    const site = await startSite((request, response) => {
      const left = Number(new URL(request.url ?? '', 'http://x').searchParams.get('left'));
      if (left === 0) response.end('there');
      else response.writeHead(302, { location: `?left=${left - 1}` }).end('a page nobody reads');
    });
    expect(await egress.fetchText(`${site.url}/?left=5`)).toMatchObject({
      text: 'there',
      url: `${site.url}/?left=0`,
    });
    expect(await failure(egress.fetchText(`${site.url}/?left=6`))).toMatchObject({
      code: 'E_TOO_MANY_REDIRECTS',
    });
  });

  test('in a loop fail', async () => {
    const site = await startSite((_request, response) => response.writeHead(301, { location: '/' }).end());
    expect(await failure(egress.request(site.url))).toMatchObject({ code: 'E_TOO_MANY_REDIRECTS' });
    expect(site.requests).toHaveLength(6);
  });

  test.each([301, 302, 303, 307, 308])(
    'with status %i into a private address are refused',
    async (status) => {
      const inside = await startSite((_request, response) => response.end('secret'));
      const outside = await startSite((_request, response) =>
        response.writeHead(status, { location: inside.url }).end(),
      );
      const guarded = createEgress({ allow: [outside.host] });
      expect(await failure(guarded.request(outside.url))).toMatchObject({ code: 'E_SSRF_BLOCKED' });
      expect(inside.connections).toBe(0);
    },
  );

  test.each(['file:///etc/passwd', 'ftp://x/', 'http://a:b@127.0.0.1/', 'http://[', 'javascript:alert(1)'])(
    'to %s are refused',
    async (location) => {
      const site = await startSite((_request, response) => response.writeHead(302, { location }).end());
      expect(await failure(egress.request(site.url))).toMatchObject({ code: 'E_INVALID_URL' });
    },
  );

  test('send neither credentials nor custom headers to another host', async () => {
    const other = await startSite((_request, response) => response.end());
    const site = await startSite((request, response) =>
      response.writeHead(302, { location: request.url === '/' ? '/here' : other.url }).end(),
    );
    const headers = { Authorization: 'Bearer x', Cookie: 'a=b', 'X-Api-Key': 'k', 'Accept-Language': 'uk' };
    await egress.fetchBytes(site.url, { headers });
    const secrets = { authorization: 'Bearer x', cookie: 'a=b', 'x-api-key': 'k' };
    expect(site.requests.map((request) => request.headers)).toEqual([
      expect.objectContaining(secrets),
      expect.objectContaining(secrets),
    ]);
    const arrived = other.requests[0]?.headers ?? {};
    for (const name of Object.keys(secrets)) expect(arrived).not.toHaveProperty(name);
    expect(arrived).toMatchObject({
      'accept-language': 'uk',
      host: other.host,
      'accept-encoding': expect.any(String),
    });
  });

  test('do not send back cookies that a site sets', async () => {
    const site = await startSite((request, response) =>
      request.url === '/'
        ? response.writeHead(302, { location: '/next', 'set-cookie': 'session=1' }).end()
        : response.end(String(request.headers.cookie)),
    );
    expect((await egress.fetchText(site.url)).text).toBe('undefined');
  });

  test.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [303, 'HEAD', 'HEAD', ''],
    [301, 'PUT', 'PUT', 'body'],
    [307, 'POST', 'POST', 'body'],
    [308, 'PATCH', 'PATCH', 'body'],
  ] as const)('with status %i turn %s into %s', async (status, method, becomes, body) => {
    const site = await startSite(async (request, response) => {
      if (request.url === '/') return response.writeHead(status, { location: '/to' }).end();
      const chunks = await request.toArray();
      expect(Buffer.concat(chunks).toString()).toBe(body);
      return response.end(request.headers['content-type']);
    });
    const given: EgressRequest = method === 'HEAD' ? { method } : { method, body: 'body' };
    const answer = await egress.fetchText(site.url, { ...given, headers: { 'content-type': 'text/x' } });
    expect(site.requests[1]?.method).toBe(becomes);
    if (method !== 'HEAD') expect(answer.text).toBe(body ? 'text/x' : '');
  });

  test('are returned as responses when maxRedirects is 0', async () => {
    const site = await startSite((_request, response) =>
      response.writeHead(302, { location: '/x' }).end('moved'),
    );
    const answer = await egress.request(site.url, { maxRedirects: 0 });
    expect(answer.status).toBe(302);
    expect((await answer.body.toArray()).join('')).toBe('moved');
    expect(site.requests).toHaveLength(1);
  });
});

describe('limits', () => {
  const compressed = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };

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
    const bomb = gzipSync(gzipSync(Buffer.alloc(256 * MB)));
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
    const bomb = gzipSync(Buffer.alloc(128 * MB));
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
