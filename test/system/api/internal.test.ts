import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createHttpServer } from '../../../src/http/server.ts';
import { createLogger } from '../../../src/platform/telemetry/logger.ts';
import { createMetrics } from '../../../src/platform/telemetry/metrics.ts';
import { DEV_KEYS, failure, useApp } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';

const database = useDatabase();
const secret = 'a-secret-for-internal-callers';
const withSecret = useApp(database, { NEXUS_INTERNAL_SECRET: secret });
const development = useApp(database);
const production = useApp(database, { NEXUS_ENV: 'prod' });

/** A path without a route: the policy answers before the router does, and a request that passes gets 404. */
const path = '/internal/anything';
const passed = failure(404, 'E_NOT_FOUND');
const refused = failure(403, 'E_INTERNAL_ONLY');

describe('a route that is internal', () => {
  async function askWithout(path: string): Promise<string> {
    const { server } = await createHttpServer({
      log: createLogger({ level: 'silent', format: 'json' }),
      metrics: createMetrics(),
      authentication: withSecret.services.authentication,
      internal: { secret, openToLoopback: false },
      webApp: { directory: '/nowhere', uploadOrigin: undefined },
      bodyLimitBytes: 1024,
      trustedProxies: [],
      corsOrigins: [],
      isLocal: false,
      isServedOverHttps: false,
      routes: (app) =>
        void app.get('/internal/thing', { config: { access: 'internal' } }, () => ({ inside: true })),
    });
    const url = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
    try {
      const socket = connect(Number(url.port), '127.0.0.1');
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      return (await socket.setEncoding('utf8').toArray()).join('');
    } finally {
      await server.close();
    }
  }

  test.each([
    '/internal/thing',
    '/%69nternal/thing',
    '/internal/%74hing',
    'http://x/internal/thing',
    '/internal//thing',
  ])('is closed however its path is spelled: %s', async (path) => {
    const answer = await askWithout(path);
    expect(answer).not.toContain('inside');
    expect(answer).toMatch(/^HTTP\/1\.1 (403|404) /);
  });
});

describe('routes under /internal', () => {
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
