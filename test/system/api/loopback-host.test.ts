import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { DEV_KEYS, failure, useApp } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';

const database = useDatabase();
const local = useApp(database);
const reachable = useApp(database, { NEXUS_PUBLIC_URL: 'https://nexus.example' });

/** Sends a request with any Host header, which `fetch` does not allow. */
async function ask(url: string, path: string, host: string, method = 'GET') {
  const { port } = new URL(url);
  const headers = { host, 'x-nexus-api-key': DEV_KEYS.admin };
  const sent = request({ host: '127.0.0.1', port, path, method, headers });
  return new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (response) => {
      const isJson = response.headers['content-type']?.includes('json');
      const body = isJson ? json(response) : Promise.resolve(response.resume()).then(() => undefined);
      body.then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
    sent.end();
  });
}

describe('while Nexus listens on loopback and has no public URL', () => {
  test.each([
    '/api/v1/auth/whoami',
    '/healthz',
    '/readyz',
    '/metrics',
    '/docs',
    '/openapi.json',
    '/',
    '/app/',
    '/app/session',
    '/internal/anything',
    '/nowhere',
  ])('a request for %s by another host name gets 421', async (path) => {
    expect(await ask(local.url, path, 'rebound.example')).toMatchObject(
      failure(421, 'E_MISDIRECTED_REQUEST'),
    );
  });

  test.each([
    'rebound.example:8080',
    'localhost.rebound.example',
    'notlocalhost',
    '127.0.0.1.rebound.example',
    '128.0.0.1',
    '0.0.0.0',
    '10.0.0.1:8080',
    '[::2]:8080',
    '[::ffff:10.0.0.1]',
    '127.0.0.1:8080@rebound.example',
    '::1',
  ])('the host name %s is refused', async (host) => {
    expect(await ask(local.url, '/healthz', host)).toMatchObject(failure(421, 'E_MISDIRECTED_REQUEST'));
  });

  test.each(['localhost', 'LocalHost:1', 'nexus.localhost:8080', '127.0.0.1', '127.8.9.1:80', '[::1]:8080'])(
    'the host name %s is answered',
    async (host) => {
      expect((await ask(local.url, '/healthz', host)).status).toBe(200);
      expect((await ask(local.url, '/api/v1/auth/whoami', host)).status).toBe(200);
    },
  );

  test('nothing is changed by a request that gets 421', async () => {
    const count = () => database.sql`select count(*) from audit_logs`;
    const before = await count();
    await ask(local.url, '/api/v1/users', 'rebound.example', 'POST');
    expect(await count()).toEqual(before);
  });
});

test('with a public URL, every host name is answered', async () => {
  for (const host of ['nexus.example', 'localhost', '10.0.0.1'])
    expect((await ask(reachable.url, '/healthz', host)).status).toBe(200);
});

test('with a public URL, /internal is closed without a secret, from loopback too', async () => {
  expect(await reachable.call('POST', '/internal/anything')).toMatchObject(failure(403, 'E_INTERNAL_ONLY'));
  expect(await local.call('POST', '/internal/anything')).toMatchObject(failure(404, 'E_NOT_FOUND'));
});
