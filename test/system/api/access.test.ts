import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { ROLES } from '../../../src/contract/roles.ts';
import type { Access } from '../../../src/http/access.ts';
import { trackRoutes } from '../../../src/http/access.ts';
import { newId } from '../../../src/platform/ids.ts';
import { DEV_KEYS, failure, useApp } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';

const database = useDatabase();
const app = useApp(database);

const pathOf = (url: string) => url.replace(/:\w+/g, newId());
const needsRole = (access: Access) => access !== 'public' && access !== 'internal';

describe('every registered route that needs a role', () => {
  test('exists: the enumeration below is not empty', () => {
    expect(app.routes.filter(({ access }) => needsRole(access)).length).toBeGreaterThan(8);
  });

  test('refuses without a key', async () => {
    for (const { method, url, access } of app.routes.filter(({ access }) => needsRole(access))) {
      const answer = await app.call(method, pathOf(url));
      expect.soft(answer.status, `${method} ${url} (${access})`).toBe(401);
      if (method !== 'HEAD') expect.soft(answer).toMatchObject(failure(401, 'E_UNAUTHENTICATED'));
    }
  });

  test('refuses every role below its minimum, and no role from it on', { tags: 'slow' }, async () => {
    for (const { method, url, access } of app.routes.filter(({ access }) => needsRole(access))) {
      for (const role of ROLES) {
        const { status } = await app.call(method, pathOf(url), { key: DEV_KEYS[role] });
        const allowed = ROLES.indexOf(role) >= ROLES.indexOf(access as (typeof ROLES)[number]);
        if (allowed) expect.soft([401, 403], `${method} ${url} as ${role}`).not.toContain(status);
        else expect.soft(status, `${method} ${url} as ${role}`).toBe(403);
      }
    }
  });
});

test('a route that does not say who may call it cannot be registered', () => {
  const server = Fastify();
  trackRoutes(server);
  expect(() => server.get('/forgotten', () => '')).toThrow('GET /forgotten has no config.access.');
});

test('an internal route cannot live elsewhere, nor another under /internal', () => {
  const server = Fastify();
  trackRoutes(server);
  const register = (url: string, access: Access) => () => server.get(url, { config: { access } }, () => '');
  // Requests for /internal are served by the routes under /api/v1/internal.
  for (const url of ['/x', '/api/v1/x', '/internal/x'])
    expect(register(url, 'internal'), url).toThrow('are under /internal');
  for (const access of ['public', 'admin'] as const)
    expect(register('/api/v1/internal/x', access), access).toThrow('are under /internal');
  expect(register('/api/v1/internal/x', 'internal')).not.toThrow();
});

describe('GET /api/v1/features', () => {
  test.each([
    ['viewer', false],
    ['admin', true],
  ] as const)('tells a %s what they may use', async (role, is_enabled) => {
    const { body } = await app.call('GET', '/api/v1/features', { key: DEV_KEYS[role] });
    expect(body.data).toContainEqual({ feature: 'users', minimum_role: 'admin', is_enabled });
    expect(body.data).toContainEqual({ feature: 'raw_mode', minimum_role: 'researcher', is_enabled: false });
  });
});

test('every route of one feature needs the same role, or the feature says its lowest', async () => {
  const { body } = await app.call('GET', '/api/v1/features', { key: DEV_KEYS.viewer });
  for (const { feature, minimum_role } of body.data.filter(
    (row: { feature: string }) => row.feature !== 'raw_mode',
  )) {
    const roles = app.routes.filter((route) => route.feature === feature).map(({ access }) => access);
    expect(ROLES.find((role) => roles.includes(role))).toBe(minimum_role);
  }
});
