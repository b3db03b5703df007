import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { DEV_KEYS, failure, useApp } from '../../support/app.ts';
import { INTERNAL_SECRET as secret, withRoutes } from '../../support/bare-server.ts';
import { useDatabase } from '../../support/database.ts';

const database = useDatabase();
const withSecret = useApp(database, { NEXUS_INTERNAL_SECRET: secret });
const development = useApp(database);
const production = useApp(database, { NEXUS_ENV: 'prod' });

const passed = failure(404, 'E_NOT_FOUND');
const refused = failure(403, 'E_INTERNAL_ONLY');

describe('a route that is internal', () => {
  /** Asks a server with the routes `thing` and `things/:id` for these paths, without the secret. */
  const askWithout = (...paths: string[]): Promise<string[]> =>
    withRoutes(
      { app: withSecret, database },
      (api) => {
        for (const path of ['/internal/thing', '/internal/things/:id'])
          api.get(path, { config: { access: 'internal' } }, () => ({ inside: true }));
      },
      ({ port }) =>
        Promise.all(
          paths.map(async (path) => {
            const socket = connect(Number(port), '127.0.0.1');
            socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
            return (await socket.setEncoding('utf8').toArray()).join('');
          }),
        ),
    );

  /** An answer without what differs between two requests. */
  const comparable = (answer = '') =>
    answer
      .replaceAll('-unknown', '')
      .replace(/"request_id":"[^"]*"/, '')
      .replace(/^(x-request-id|date|content-length): .*\r\n/gim, '');

  const spellings = [
    '/internal/thing',
    '/%69nternal/thing',
    '/internal/%74hing',
    '/INTERNAL/thing',
    '//internal/thing',
    '/internal//thing',
    '/internal%2Fthing',
    '/internal/./thing',
    '/internal/thing?x',
    '/internal/thing#x',
    '/internal/things/1',
    '/x/../internal/thing',
    '/api/v1/internal/thing',
    '/api/v1/%69nternal/thing',
    '/api/v1/internal/%74hing',
    '/api/v1/%69nternal/things/1',
    '/%61pi/v1/internal/thing',
    '/%61pi/v1/%69nternal/%74hing',
    '/api/v1/internal%2Fthing',
    '/api/v1//internal/thing',
    '/api/v1/api/v1/internal/thing',
    '/media/../internal/thing',
    'http://x/internal/thing',
    'http://x/%69nternal/thing',
    'http://x/api/v1/internal/thing',
    'http://x/api/v1/%69nternal/thing',
    'HTTP://x/api/v1/internal/thing',
  ];

  test.each(spellings)('is closed however its path is spelled: %s', async (path) => {
    const [answer] = await askWithout(path);
    expect(answer).not.toContain('inside');
    expect(answer).toMatch(/^HTTP\/1\.1 (403|404) /);
  });

  test.each(spellings)('is answered like one that does not exist: %s', async (path) => {
    const [known, unknown] = await askWithout(path, path.replace(/hings?/, '$&-unknown'));
    expect(comparable(known)).toBe(comparable(unknown));
  });
});

/** Paths without a route: the policy answers before the router does, and a request that passes gets 404. */
describe.each(['/internal/anything', '/api/v1/internal/anything'])('routes under /internal: %s', (path) => {
  test('are open to callers that send the secret', async () => {
    expect(await withSecret.call('GET', path, { headers: { 'x-nexus-internal': secret } })).toMatchObject(
      passed,
    );
  });

  test.each([
    ['no header', {}],
    ['an empty one', { 'x-nexus-internal': '' }],
    ['a wrong one of the same length', { 'x-nexus-internal': secret.replace('a', 'b') }],
    ['a prefix', { 'x-nexus-internal': secret.slice(0, -1) }],
    ["an admin's key", { 'x-nexus-api-key': DEV_KEYS.admin }],
  ])('are closed to %s when there is a secret, from loopback too', async (_case, headers) => {
    expect(await withSecret.call('GET', path, { headers })).toMatchObject(refused);
  });

  test('are open from loopback in development without a secret', async () => {
    expect(await development.call('POST', path)).toMatchObject(passed);
  });

  test.each(['x-forwarded-for', 'forwarded', 'x-real-ip'])(
    'are closed in development to what a proxy on this machine forwards (%s)',
    async (header) => {
      expect(await development.call('GET', path, { headers: { [header]: '203.0.113.7' } })).toMatchObject(
        refused,
      );
    },
  );

  test('are closed in production without a secret, whatever is sent', async () => {
    expect(await production.call('GET', path)).toMatchObject(refused);
    expect(await production.call('GET', path, { headers: { 'x-nexus-internal': '' } })).toMatchObject(
      refused,
    );
    expect(
      await production.call('GET', path, { headers: { 'x-nexus-internal': 'undefined' } }),
    ).toMatchObject(refused);
  });
});
