import { expect, test } from 'vitest';
import { DEV_KEYS, useApp } from '../../support/app.ts';
import { signIn } from '../../support/browser-session.ts';
import { useDatabase } from '../../support/database.ts';

const app = useApp(useDatabase(), { NEXUS_CORS_ORIGINS: 'https://notes.example, http://localhost:3000' });
const ALLOWED = [
  'https://notes.example',
  'http://localhost:3000',
  'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
  'moz-extension://0d9cb22a-30ab-4c7c-9f0a-5a4b6a1d2c3e',
];
const REFUSED = [
  'https://notes.example.evil.example',
  'http://notes.example',
  'https://notes.example:8443',
  'null',
  'chrome-extension://a/b',
];

const preflight = (path: string, origin: string) =>
  app.call('OPTIONS', path, {
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-nexus-api-key',
    },
  });
const allowed = (headers: Headers) => headers.get('access-control-allow-origin');

test.each(ALLOWED)('a page of %s may use the API with a key', async (origin) => {
  const asked = await preflight('/libraries', origin);
  expect([asked.status, allowed(asked.headers)]).toEqual([204, origin]);
  expect(asked.headers.get('access-control-allow-headers')).toContain('X-Nexus-API-Key');
  expect(asked.headers.get('access-control-allow-methods')).toContain('PATCH');
  const answer = await app.call('POST', '/libraries', {
    key: DEV_KEYS.viewer,
    headers: { origin, 'sec-fetch-site': 'cross-site' },
    body: { name: 'From elsewhere' },
  });
  expect([answer.status, allowed(answer.headers)]).toEqual([201, origin]);
  expect(answer.headers.get('vary')).toContain('Origin');
  expect(answer.headers.get('access-control-expose-headers')).toContain('X-Request-ID');
});

test.each(REFUSED)('a page of %s may not', async (origin) => {
  const asked = await preflight('/libraries', origin);
  expect([asked.status, allowed(asked.headers)]).toEqual([405, null]);
  const answer = await app.call('GET', '/libraries', { key: DEV_KEYS.viewer, headers: { origin } });
  expect([answer.status, allowed(answer.headers)]).toEqual([200, null]);
  expect(answer.headers.get('vary')).toContain('Origin');
});

test('a compressed answer depends on the origin and on the encoding', async () => {
  const { headers } = await app.call('GET', '/openapi.json', { headers: { origin: ALLOWED[0] ?? '' } });
  expect(headers.get('vary')?.toLowerCase()).toBe('origin, accept-encoding');
});

test('errors can be read, too', async () => {
  const [origin = ''] = ALLOWED;
  const answer = await app.call('GET', '/api/v1/nowhere', { headers: { origin } });
  expect([answer.status, allowed(answer.headers)]).toEqual([404, origin]);
  const unauthenticated = await app.call('GET', '/libraries', { headers: { origin } });
  expect([unauthenticated.status, allowed(unauthenticated.headers)]).toEqual([401, origin]);
});

test('the session cookie is never shared: no credentials, and no changes with it', async () => {
  const [origin = ''] = ALLOWED;
  const { cookie } = await signIn(app, { api_key: DEV_KEYS.viewer });
  const headers = { origin, cookie, 'sec-fetch-site': 'cross-site' };
  const read = await app.call('GET', '/libraries', { headers });
  expect(read.headers.get('access-control-allow-credentials')).toBeNull();
  const change = await app.call('POST', '/libraries', { headers, body: { name: 'Forged' } });
  expect(change.status).toBe(403);
});

test.each(['/app/', '/app/session', '/internal/libraries/backfill-jobs/health'])(
  '%s is not for pages of other origins',
  async (path) => {
    for (const origin of ALLOWED) {
      expect(allowed((await preflight(path, origin)).headers)).toBeNull();
      expect(allowed((await app.call('GET', path, { headers: { origin } })).headers)).toBeNull();
    }
  },
);

test('an encoded path of the web app is not for them either', async () => {
  const [origin = ''] = ALLOWED;
  expect(allowed((await app.call('GET', '/%61pp/', { headers: { origin } })).headers)).toBeNull();
});
