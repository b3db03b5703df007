import { describe, expect, test } from 'vitest';
import { createPerson, DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { browserWith } from '../../../test/support/browser-session.ts';
import { useDatabase } from '../../../test/support/database.ts';
import type { Scope } from '../../contract/roles.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

const PATH = '/api/v1/me/api-keys';
const forbidden = failure(403, 'E_FORBIDDEN');
const unknown = failure(404, 'E_NOT_FOUND');

async function create(key: string, scopes: Scope[], more: object = {}) {
  return app.call('POST', PATH, { key, body: { name: 'Phone', scopes, ...more } });
}

async function keyWith(scopes: Scope[], role: 'viewer' | 'operator' | 'admin' = 'viewer') {
  const person = await createPerson(app, { role });
  const { body } = await create(person.key, scopes);
  return { ...person, scoped: body.data.key as string, id: body.data.id as string };
}

describe('a key that a person makes for themselves', () => {
  test('is shown once, and listed without the key', async () => {
    const { key, user } = await createPerson(app, { role: 'viewer' });
    const created = await create(key, ['read', 'write']);
    expect(created).toMatchObject({
      status: 201,
      body: { data: { user_id: user.id, name: 'Phone', scopes: ['read', 'write'], is_enabled: true } },
    });
    const location = created.headers.get('location') ?? '';
    const { key: secret, ...shown } = created.body.data;
    expect((await app.call('GET', location, { key })).body.data).toEqual(shown);
    const { body } = await app.call('GET', PATH, { key });
    expect(body.data.map(({ id }: { id: string }) => id)).toContain(shown.id);
    expect(JSON.stringify(body)).not.toContain(secret);
    expect((await app.call('GET', '/api/v1/auth/whoami', { key: secret })).body).toMatchObject({
      owner: user.username,
      scopes: ['read', 'write'],
    });
  });

  test('reads with the scope read, and changes with the scope write', async () => {
    const [reading, writing] = [await keyWith(['read']), await keyWith(['write'])];
    const body = { name: 'A library' };
    const get = (key: string) => app.call('GET', '/api/v1/libraries', { key });
    const post = (key: string) => app.call('POST', '/api/v1/libraries', { key, body });
    expect([(await get(reading.scoped)).status, (await post(writing.scoped)).status]).toEqual([200, 201]);
    expect(await post(reading.scoped)).toMatchObject(forbidden);
    expect(await get(writing.scoped)).toMatchObject(forbidden);
    expect(await app.call('HEAD', '/api/v1/libraries', { key: writing.scoped })).toMatchObject({
      status: 403,
    });
  });

  test('has the role viewer, unless a scope and the role of its person lift it', async () => {
    const roleOf = async (key: string) =>
      (await app.call('GET', '/api/v1/auth/whoami', { key })).body.role as string;
    expect(await roleOf((await keyWith(['read'], 'admin')).scoped)).toBe('viewer');
    expect(await roleOf((await keyWith(['read', 'operate'], 'admin')).scoped)).toBe('researcher');
    expect(await roleOf((await keyWith(['read', 'admin'], 'admin')).scoped)).toBe('admin');
    expect(await roleOf((await keyWith(['read', 'admin'], 'operator')).scoped)).toBe('operator');
    expect(await roleOf((await keyWith(['read', 'operate', 'admin'], 'viewer')).scoped)).toBe('viewer');
    const { scoped } = await keyWith(['read'], 'admin');
    expect(await app.call('GET', '/api/v1/users', { key: scoped })).toMatchObject(forbidden);
  });

  test('passes on no more than it has', async () => {
    const { scoped } = await keyWith(['read', 'write'], 'admin');
    expect(await create(scoped, ['read', 'write', 'admin'])).toMatchObject(forbidden);
    const passed = await create(scoped, ['read']);
    expect(passed.body.data).toMatchObject({ role: 'viewer', scopes: ['read'], raw_mode_enabled: false });
    const { scoped: lowly } = await keyWith(['write']);
    expect(await create(lowly, ['read'])).toMatchObject(forbidden);
  });

  test('passes on its end and its rate limit', async () => {
    const end = new Date(Date.now() + 3_600_000);
    const { user } = await createPerson(app, { role: 'viewer' });
    const limits = { expires_at: end, requests_per_minute: 100 };
    const fields = { name: 'Limited', raw_mode_enabled: false, ...limits };
    const { key } = await app.services.apiKeys.create(user, fields, { name: 'test' });
    const passed = { expires_at: end.toISOString(), requests_per_minute: 100 };
    expect((await create(key, ['read'])).body.data).toMatchObject(passed);
    const earlier = new Date(end.getTime() - 1000).toISOString();
    expect((await create(key, ['read'], { expires_at: earlier })).body.data.expires_at).toBe(earlier);
    const later = { expires_at: new Date(end.getTime() + 1).toISOString() };
    expect(await create(key, ['read'], later)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    const tokens = await app.call('POST', '/api/v1/auth/token', { body: { api_key: key } });
    const headers = { authorization: `Bearer ${tokens.body.data.access_token}` };
    const body = { name: 'Phone', scopes: ['read'] };
    expect((await app.call('POST', PATH, { headers, body })).body.data).toMatchObject(passed);
  });

  test('gives its scopes to the tokens and sessions that begin with it', async () => {
    const { scoped } = await keyWith(['read'], 'admin');
    const tokens = await app.call('POST', '/api/v1/auth/token', { body: { api_key: scoped } });
    const headers = { authorization: `Bearer ${tokens.body.data.access_token}` };
    const body = { name: 'Never' };
    expect((await app.call('GET', '/api/v1/libraries', { headers })).status).toBe(200);
    expect(await app.call('POST', '/api/v1/libraries', { headers, body })).toMatchObject(forbidden);
    const signedIn = await app.call('POST', '/app/session', { body: { api_key: scoped } });
    const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0]?.split('=')[1] ?? '';
    const browser = browserWith(app, cookie);
    expect((await browser.call('GET', '/api/v1/libraries')).status).toBe(200);
    expect(await browser.call('POST', '/api/v1/libraries', { body })).toMatchObject(forbidden);
  });

  test('is disabled and deleted by its person, and by nobody else but an admin', async () => {
    const [mine, other] = [await keyWith(['read']), await createPerson(app, { role: 'viewer' })];
    const at = `${PATH}/${mine.id}`;
    for (const [method, path] of [
      ['GET', at],
      ['DELETE', at],
      ['POST', `${at}/disable`],
    ] as const)
      expect(await app.call(method, path, { key: other.key })).toMatchObject(unknown);
    expect((await app.call('POST', `${at}/disable`, { key: mine.key })).body.data.is_enabled).toBe(false);
    expect((await app.call('GET', PATH, { key: mine.scoped })).status).toBe(401);
    const deleted = [
      await app.call('DELETE', at, { key: mine.key }),
      await app.call('DELETE', at, { key: mine.key }),
    ];
    expect(deleted.map(({ status }) => status)).toEqual([204, 204]);
    expect(await app.call('GET', at, { key: mine.key })).toMatchObject(unknown);
    const second = await keyWith(['read']);
    const asAdmin = `/api/v1/api-keys/${second.id}`;
    expect((await app.call('GET', asAdmin, { key: DEV_KEYS.admin })).body.data.id).toBe(second.id);
    expect((await app.call('DELETE', asAdmin, { key: DEV_KEYS.admin })).status).toBe(204);
    expect((await app.call('GET', PATH, { key: second.scoped })).status).toBe(401);
    const actions = await sql<{ action: string }[]>`
      select action from audit_logs where details ->> 'api_key_id' = ${mine.id} and action like 'api_key.%' order by id`;
    expect(actions.map(({ action }) => action)).toEqual([
      'api_key.created',
      'api_key.disabled',
      'api_key.deleted',
    ]);
  });

  test.each([
    ['no scope', { scopes: [] }],
    ['neither read nor write', { scopes: ['operate'] }],
    ['an unknown scope', { scopes: ['everything'] }],
    ['an end in the past', { scopes: ['read'], expires_at: '2020-01-01T00:00:00Z' }],
    ['a role', { scopes: ['read'], role: 'admin' }],
    ['RAW mode', { scopes: ['read'], raw_mode_enabled: true }],
    ['no name', { scopes: ['read'], name: '' }],
  ])('with %s is refused', async (_case, body) => {
    const { key } = await createPerson(app, { role: 'viewer' });
    expect(await app.call('POST', PATH, { key, body: { name: 'Phone', ...body } })).toMatchObject(
      failure(400, 'E_INVALID_REQUEST'),
    );
    expect((await app.call('GET', PATH, { key })).body.data).toHaveLength(1);
  });

  test('ends when it expires', async () => {
    const { key } = await createPerson(app, { role: 'viewer' });
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await create(key, ['read'], { expires_at });
    expect(body.data.expires_at).toBe(expires_at);
    expect((await app.call('GET', PATH, { key: body.data.key })).status).toBe(200);
    await sql`update api_keys set expires_at = now() - interval '1 second' where id = ${body.data.id}`;
    expect((await app.call('GET', PATH, { key: body.data.key })).status).toBe(401);
  });
});
