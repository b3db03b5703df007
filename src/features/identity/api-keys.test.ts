import { describe, expect, test } from 'vitest';
import { createPerson, DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { newId } from '../../platform/ids.ts';

const database = useDatabase();
const app = useApp(database);
const key = DEV_KEYS.admin;
const create = (body: unknown) => app.call('POST', '/api/v1/api-keys', { key, body });

describe('creating a key', () => {
  test('returns the key once, and the key works', async () => {
    const { user } = await createPerson(app, { role: 'operator' });
    const { status, headers, body } = await create({ user_id: user.id, name: 'laptop' });
    expect(status).toBe(201);
    const created = body.data;
    expect(created).toMatchObject({
      user_id: user.id,
      owner: user.username,
      name: 'laptop',
      role: 'operator',
      is_enabled: true,
      raw_mode_enabled: false,
      expires_at: null,
      last_used_at: null,
    });
    expect(created.key).toMatch(/^nxs_[\w-]{43}$/);
    expect(created.key.startsWith(created.prefix)).toBe(true);
    const whoami = await app.call('GET', '/api/v1/auth/whoami', { key: created.key });
    expect(whoami.body.api_key_id).toBe(created.id);

    expect(headers.get('location')).toBe(`/api/v1/api-keys/${created.id}`);
    const { key: _, ...shown } = created;
    expect((await app.call('GET', headers.get('location') ?? '', { key })).body.data).toEqual({
      ...shown,
      last_used_at: expect.any(String),
    });

    const listed = await app.call('GET', `/api/v1/api-keys?user_id=${user.id}`, { key });
    expect(listed.body.data.map((row: { id: string }) => row.id)).toContain(created.id);
    expect(JSON.stringify(listed.body)).not.toContain(created.key.slice(8));
  });

  test('accepts a username instead of an id, a lower role, RAW mode and an expiry', async () => {
    const { user } = await createPerson(app, { role: 'admin' });
    const expires_at = '2099-01-01T00:00:00.000Z';
    const { body } = await create({
      username: user.username.toUpperCase(),
      role: 'researcher',
      raw_mode_enabled: true,
      expires_at,
    });
    expect(body.data).toMatchObject({
      user_id: user.id,
      role: 'researcher',
      raw_mode_enabled: true,
      expires_at,
    });
  });

  test("with a role above the user's is 409 and creates none", async () => {
    const { user } = await createPerson(app, { role: 'operator' });
    expect(await create({ user_id: user.id, role: 'researcher' })).toMatchObject(
      failure(409, 'E_KEY_ROLE_EXCEEDS_USER'),
    );
    const [row] = await database.sql`select count(*)::int from api_keys where user_id = ${user.id}`;
    expect(row?.count).toBe(1);
  });

  test('for an unknown user is 404', async () => {
    expect(await create({ user_id: newId() })).toMatchObject(failure(404, 'E_USER_NOT_FOUND'));
    expect(await create({ username: 'nobody-here' })).toMatchObject(failure(404, 'E_USER_NOT_FOUND'));
  });

  test.each([
    ['neither user_id nor username', {}],
    ['both user_id and username', { user_id: newId(), username: 'x' }],
    ['a malformed user_id', { user_id: 'x' }],
    ['a malformed time', { username: 'dev-viewer', expires_at: 'tomorrow' }],
    ['a time in the year 10000', { username: 'dev-viewer', expires_at: '9999-12-31T23:59:59-01:00' }],
    ['a NUL character', { username: 'dev-viewer', name: 'a\u0000b' }],
    ['an unknown role', { username: 'dev-viewer', role: 'root' }],
  ])('with %s is 400', async (_case, body) => {
    expect(await create(body)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test('and disabling a key are audited, without the key itself', async () => {
    const { user } = await createPerson(app);
    const created = (await create({ user_id: user.id })).body.data;
    await app.call('POST', `/api/v1/api-keys/${created.id}/disable`, { key });
    const entries = await database.sql`
      select action, actor, details from audit_logs where details->>'api_key_id' = ${created.id} order by id`;
    expect([...entries]).toMatchObject([
      {
        action: 'api_key.created',
        actor: 'dev-admin',
        details: { owner: user.username, prefix: created.prefix },
      },
      { action: 'api_key.disabled', actor: 'dev-admin' },
    ]);
    expect(JSON.stringify(entries)).not.toContain(created.key);
  });
});

test('disabling a disabled key changes nothing; an unknown key is 404', async () => {
  const { apiKey } = await createPerson(app);
  const disable = (id: string) => app.call('POST', `/api/v1/api-keys/${id}/disable`, { key });
  const first = await disable(apiKey.id);
  expect(first.body.data).toMatchObject({ id: apiKey.id, is_enabled: false });
  expect((await disable(apiKey.id)).body).toEqual(first.body);
  expect(await disable(newId())).toMatchObject(failure(404, 'E_NOT_FOUND'));
});
