import { describe, expect, test } from 'vitest';
import { failure, LOOPBACK } from '../../../test/support/egress.ts';
import { startSite } from '../../../test/support/internet.ts';
import { createEgress, type EgressRequest } from './egress.ts';

const egress = createEgress({ allow: LOOPBACK });

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

  test.each([
    ['UTF-8', Buffer.from('/café/Привет?q=ß'), '/caf%C3%A9/%D0%9F%D1%80%D0%B8%D0%B2%D0%B5%D1%82?q=%C3%9F'],
    ['Latin-1', Buffer.from('/café', 'latin1'), '/caf%C3%A9'],
  ])('may have letters beyond ASCII in their address, in %s', async (_encoding, location, expected) => {
    const site = await startSite((request, response) =>
      request.url === '/'
        ? response.writeHead(302, { location: location.toString('latin1') }).end()
        : response.end(),
    );
    expect((await egress.fetchText(site.url)).url).toBe(site.url + expected);
    expect(site.requests.at(-1)?.url).toBe(expected);
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
