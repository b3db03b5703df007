import { expect, test } from 'vitest';
import { createPerson, DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { identifier } from '../../platform/database/statement.ts';

const database = useDatabase();
const app = useApp(database);
const whoami = '/api/v1/auth/whoami';

test('a key in X-Nexus-API-Key authenticates its user', async () => {
  const { user, key, apiKey } = await createPerson(app, { role: 'operator' });
  const answer = await app.call('GET', whoami, { key });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    api_key_id: apiKey.id,
    owner: user.username,
    role: 'operator',
    raw_mode_enabled: false,
    scopes: null,
    allowed_modes: ['PUBLIC'],
    user_id: user.id,
    default_library_id: user.default_library_id,
  });
});

test('a key is accepted as a bearer token', async () => {
  const answer = await app.call('GET', whoami, { headers: { authorization: `Bearer ${DEV_KEYS.viewer}` } });
  expect(answer.body).toMatchObject({ owner: 'dev-viewer', role: 'viewer' });
});

test.each([
  ['absent', {}],
  ['empty', { 'x-nexus-api-key': '' }],
  ['unknown', { 'x-nexus-api-key': 'nxs_nobody-has-this-key' }],
  ['unknown, as a bearer token', { authorization: 'Bearer nxs_nobody-has-this-key' }],
  ['sent in a scheme that Nexus does not know', { authorization: 'Basic ZGV2OmRldg==' }],
])('a key that is %s is 401', async (_case, headers) => {
  const answer = await app.call('GET', whoami, { headers });
  expect(answer).toMatchObject(failure(401, 'E_UNAUTHENTICATED'));
  expect(answer.headers.get('www-authenticate')).toContain('Bearer');
});

test('a disabled key is 401 from the next request on', async () => {
  const { key, apiKey } = await createPerson(app);
  expect((await app.call('GET', whoami, { key })).status).toBe(200);
  const disabled = await app.call('POST', `/api/v1/api-keys/${apiKey.id}/disable`, { key: DEV_KEYS.admin });
  expect(disabled.body.data).toMatchObject({ id: apiKey.id, is_enabled: false });
  expect(await app.call('GET', whoami, { key })).toMatchObject(failure(401, 'E_UNAUTHENTICATED'));
});

test('a key that is disabled while many requests use it is 401 in every request that begins afterwards', async () => {
  const { key, apiKey } = await createPerson(app);
  let isDisabled = false;
  const before = new Set<number>();
  const after: number[] = [];
  const clients = Array.from({ length: 8 }, async () => {
    while (after.length < 40) {
      const isAfter = isDisabled;
      const { status } = await app.call('GET', whoami, { key });
      if (isAfter) after.push(status);
      else before.add(status);
    }
  });
  await app.call('POST', `/api/v1/api-keys/${apiKey.id}/disable`, { key: DEV_KEYS.admin });
  isDisabled = true;
  await Promise.all(clients);
  expect(before).toContain(200);
  expect(new Set(after)).toEqual(new Set([401]));
});

test('the keys of a disabled user are 401 from the next request on, and work again when the user is enabled', async () => {
  const { user, key } = await createPerson(app);
  const patch = (is_enabled: boolean) =>
    app.call('PATCH', `/api/v1/users/${user.id}`, { key: DEV_KEYS.admin, body: { is_enabled } });
  expect((await patch(false)).body.data).toMatchObject({
    is_enabled: false,
    disabled_at: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  expect(await app.call('GET', whoami, { key })).toMatchObject(failure(401, 'E_UNAUTHENTICATED'));
  expect((await patch(true)).body.data).toMatchObject({ is_enabled: true, disabled_at: null });
  expect((await app.call('GET', whoami, { key })).status).toBe(200);
});

test('an expired key is 401', async () => {
  const { key, apiKey } = await createPerson(app, { expiresAt: new Date(Date.now() + 3_600_000) });
  expect((await app.call('GET', whoami, { key })).status).toBe(200);
  await database.sql`update api_keys set expires_at = now() where id = ${apiKey.id}`;
  expect(await app.call('GET', whoami, { key })).toMatchObject(failure(401, 'E_UNAUTHENTICATED'));
});

test("a key's role never exceeds its user's, also when the user is demoted later", async () => {
  const { user, key } = await createPerson(app, { role: 'researcher' });
  await app.call('PATCH', `/api/v1/users/${user.id}`, { key: DEV_KEYS.admin, body: { role: 'viewer' } });
  expect((await app.call('GET', whoami, { key })).body.role).toBe('viewer');
});

test('last_used_at moves on use, at most once a minute', async () => {
  const { key, apiKey } = await createPerson(app);
  const lastUsed = async () => {
    const [row] = await database.sql`select last_used_at from api_keys where id = ${apiKey.id}`;
    return row?.last_used_at;
  };
  expect(await lastUsed()).toBeNull();
  await Promise.all(Array.from({ length: 20 }, () => app.call('GET', whoami, { key })));
  const first = await lastUsed();
  expect(first).toBeInstanceOf(Date);
  await app.call('GET', whoami, { key });
  expect(await lastUsed()).toEqual(first);
  await database.sql`update api_keys set last_used_at = now() - interval '61 seconds' where id = ${apiKey.id}`;
  await app.call('GET', whoami, { key });
  expect((await lastUsed()).getTime()).toBeGreaterThanOrEqual(first.getTime());
});

test('the database does not contain the plaintext of a key', async () => {
  const { key } = await createPerson(app);
  const tables = await database.sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public'`;
  const secrets = [key, key.slice(8), DEV_KEYS.admin];
  for (const { name } of tables) {
    const rows = await database.sql`select t::text as row from ${identifier(name)} as t`;
    for (const { row } of rows) for (const secret of secrets) expect(row).not.toContain(secret);
  }
});

test('refused keys and roles are audited, with the request id and without the key', async () => {
  await database.sql`truncate audit_logs`;
  await app.call('GET', whoami, { key: 'nxs_never-to-be-seen', headers: { 'x-request-id': 'refused-key' } });
  await app.call('GET', '/api/v1/users', {
    key: DEV_KEYS.viewer,
    headers: { 'x-request-id': 'refused-role' },
  });
  const { body } = await app.call('GET', '/api/v1/audit?limit=2', { key: DEV_KEYS.admin });
  expect(body.data).toMatchObject([
    {
      action: 'auth.role_refused',
      actor: 'dev-viewer',
      details: { minimum_role: 'admin', request_id: 'refused-role' },
    },
    { action: 'auth.failed', actor: 'unknown', details: { reason: 'unknown', request_id: 'refused-key' } },
  ]);
  expect(JSON.stringify(body)).not.toContain('never-to-be-seen');
});
