import { describe, expect, test } from 'vitest';
import { call, createPerson, DEV_KEYS, useApp } from '../../../test/support/app.ts';
import { signIn } from '../../../test/support/browser-session.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { parseConfig } from '../../app/config.ts';
import {
  type BootstrapKey,
  disableWellKnownKeys,
  retireDevelopmentPeople,
  seedBootstrapKeys,
} from './bootstrap.ts';

const database = useDatabase();
const app = useApp(database, { NEXUS_RAW_MODE_ENABLED: 'true' });
const config = parseConfig({ NEXUS_ENV: 'test' });
const { bootstrapKeys } = config;
const seed = (given: BootstrapKey[] = bootstrapKeys) =>
  seedBootstrapKeys({ sql: database.sql, users: app.services.users, env: 'test' }, given);
const configured = (role: BootstrapKey['role'], key: string) => ({
  role,
  key,
  isConfigured: true,
  keepsOthers: false,
});
const whoami = (key: string) => call(app.url, 'GET', '/api/v1/auth/whoami', { key });
const keys = () => database.sql`
  select users.username, api_keys.role, raw_mode_enabled, enabled
  from api_keys join users on users.id = api_keys.user_id order by api_keys.id`;

test('seeding twice creates four keys with the roles and modes of their users', async () => {
  await seed();
  expect([...(await keys())]).toEqual([
    { username: 'dev-viewer', role: 'viewer', raw_mode_enabled: false, enabled: true },
    { username: 'dev-operator', role: 'operator', raw_mode_enabled: false, enabled: true },
    { username: 'dev-researcher', role: 'researcher', raw_mode_enabled: true, enabled: true },
    { username: 'dev-admin', role: 'admin', raw_mode_enabled: true, enabled: true },
  ]);
  expect((await whoami(DEV_KEYS.admin)).body.allowed_modes).toEqual(['PUBLIC', 'RAW']);
});

test('two processes that seed an empty database in parallel create four keys', async () => {
  await database.sql`truncate users, libraries, memberships, api_keys cascade`;
  const seeders = database.twoConnections().map((sql) => ({
    sql,
    users: app.another({ sql }).services.users,
  }));
  await Promise.all(
    seeders.map(({ sql, users }) => seedBootstrapKeys({ sql, users, env: 'test' }, bootstrapKeys)),
  );
  expect(await keys()).toHaveLength(4);
  const [row] = await database.sql`select count(*)::int from libraries`;
  expect(row?.count).toBe(4);
});

test('seeding enables a disabled key again, with the same id', async () => {
  const ids = await database.sql`select id from api_keys order by id`;
  await database.sql`update api_keys set enabled = false`;
  await seed();
  expect((await keys()).every(({ enabled }) => enabled)).toBe(true);
  expect(await database.sql`select id from api_keys order by id`).toEqual(ids);
});

test('seeding audits that a disabled key is enabled again', async () => {
  await database.sql`update api_keys set enabled = false`;
  await database.sql`truncate audit_logs`;
  await seed();
  const actions = await database.sql`select action, actor from audit_logs`;
  expect([...actions]).toEqual(Array(4).fill({ action: 'api_key.enabled', actor: 'system' }));
});

test('a new bootstrap key replaces the previous one', async () => {
  const key = 'another-admin-key-for-a-day';
  await seed([configured('admin', key)]);
  expect((await whoami(key)).body.owner).toBe('dev-admin');
  expect((await whoami(DEV_KEYS.admin)).status).toBe(401);
  await seed();
  expect((await whoami(key)).status).toBe(401);
  expect((await whoami(DEV_KEYS.admin)).status).toBe(200);
});

test('a key that already belongs to another user is refused', async () => {
  await expect(seed([configured('admin', DEV_KEYS.viewer)])).rejects.toThrow(
    'NEXUS_BOOTSTRAP_ADMIN_KEY is already the key of dev-viewer.',
  );
});

test('seeding enables a disabled user and restores a changed role', async () => {
  await database.sql`update users set disabled_at = now() where username = 'dev-operator'`;
  await database.sql`update users set role = 'viewer' where username = 'dev-researcher'`;
  await seed();
  for (const role of ['operator', 'researcher'] as const) {
    expect((await whoami(DEV_KEYS[role])).body.role).toBe(role);
  }
});

test('a key of another data directory on the same database stays valid', async () => {
  const ours = { ...configured('admin', 'nexus_key-of-this-data-directory'), keepsOthers: true };
  await seed([ours]);
  expect((await whoami(ours.key)).status).toBe(200);
  expect((await whoami(DEV_KEYS.admin)).status).toBe(200);
  await seed();
  expect((await whoami(ours.key)).status).toBe(401);
});

test.each(['dev', 'prod'])(
  'well-known keys are refused in %s, even if the database has them',
  async (env) => {
    const { authentication } = app.another({ environment: { NEXUS_ENV: env } }).services;
    const attempt = authentication.withApiKey(DEV_KEYS.admin, { requestId: 'x', address: '203.0.113.7' });
    await expect(attempt).rejects.toMatchObject({ code: 'E_UNAUTHENTICATED' });
  },
);

describe('another person with the name of a bootstrap user', () => {
  async function giveNameAway() {
    const { user, key } = await createPerson(app, { role: 'viewer' });
    await database.sql`update users set username = 'dev-admin-before' where username = 'dev-admin'`;
    await database.sql`update users set username = 'dev-admin' where id = ${user.id}`;
    return { user, key };
  }

  async function giveNameBack(userId: string) {
    await database.sql`update users set username = ${`formerly-${userId}`} where id = ${userId}`;
    await database.sql`update users set username = 'dev-admin' where username = 'dev-admin-before'`;
  }

  test('is not promoted and gets no key', async () => {
    const { user, key } = await giveNameAway();
    await database.sql`delete from api_keys where role = 'admin'`;
    expect(await seed()).toEqual(['admin']);
    expect((await whoami(key)).body.role).toBe('viewer');
    expect(await database.sql`select from api_keys where user_id = ${user.id}`).toHaveLength(1);
    await giveNameBack(user.id);
    expect(await seed()).toEqual([]);
  });

  test('stops the start with an explanation when the key is configured', async () => {
    const { user, key } = await giveNameAway();
    await expect(seed([configured('admin', 'a-key-that-somebody-configured')])).rejects.toThrow(
      'NEXUS_BOOTSTRAP_ADMIN_KEY sets the key of the user dev-admin, but another person has that username',
    );
    expect((await whoami(key)).body.role).toBe('viewer');
    await giveNameBack(user.id);
  });

  test('keeps it reserved after being renamed', async () => {
    const { user } = await createPerson(app, { role: 'viewer' });
    await database.sql`update users set username = 'dev-viewer-before' where username = 'dev-viewer'`;
    await database.sql`insert into former_usernames (username, user_id) values ('dev-viewer', ${user.id})`;
    expect(await seed()).toEqual(['viewer']);
    await database.sql`delete from former_usernames where username = 'dev-viewer'`;
    await database.sql`update users set username = 'dev-viewer' where username = 'dev-viewer-before'`;
  });
});

test('disabling well-known keys is audited once', async () => {
  await seed();
  await database.sql`truncate audit_logs`;
  await disableWellKnownKeys(database.sql);
  await disableWellKnownKeys(database.sql);
  expect((await whoami(DEV_KEYS.admin)).status).toBe(401);
  const actions = await database.sql`select actor from audit_logs where action = 'api_key.disabled'`;
  expect([...actions]).toEqual(Array(4).fill({ actor: 'system' }));
  await seed();
});

describe('the first start in production', () => {
  const retire = () => retireDevelopmentPeople(database.sql, app.services.users);
  const person = async (username: string) => {
    const [row] = await database.sql`
      select disabled_at is not null as is_disabled, password_hash, bootstrapped_in
      from users where username = ${username}`;
    return row;
  };

  test('disables development users with their sessions, tokens, links, keys and passwords', async () => {
    const admin = await app.services.users.getByName('dev-admin');
    const { path } = await app.services.signInLinks.create(admin, { name: 'test' });
    const browser = await signIn(app, { sign_in_token: path.replace('/app/welcome#', '') });
    const body = { new_password: 'a password of development' };
    expect((await browser.call('PUT', '/api/v1/me/password', { body })).status).toBe(204);
    const unused = await app.services.signInLinks.create(admin, { name: 'test' });
    const { key } = await app.services.apiKeys.create(
      admin,
      { name: 'made by hand', raw_mode_enabled: false },
      { name: 'test' },
    );
    const tokens = (await app.call('POST', '/api/v1/auth/token', { key })).body.data;
    const bearer = { authorization: `Bearer ${tokens.access_token}` };
    expect((await app.call('GET', '/api/v1/me', { headers: bearer })).status).toBe(200);

    expect((await retire()).sort()).toEqual(['dev-admin', 'dev-operator', 'dev-researcher', 'dev-viewer']);
    expect(await person('dev-admin')).toEqual({
      is_disabled: true,
      password_hash: null,
      bootstrapped_in: 'prod',
    });
    expect((await whoami(key)).status).toBe(401);
    expect((await whoami(DEV_KEYS.admin)).status).toBe(401);
    expect((await browser.call('GET', '/api/v1/me')).status).toBe(401);
    expect((await app.call('GET', '/api/v1/me', { headers: bearer })).status).toBe(401);
    const refresh = { refresh_token: tokens.refresh_token };
    expect((await app.call('POST', '/api/v1/auth/refresh', { body: refresh })).status).toBe(401);
    for (const given of [
      { username: 'dev-admin', password: body.new_password },
      { sign_in_token: unused.path.replace('/app/welcome#', '') },
    ]) {
      expect((await app.call('POST', '/app/session', { body: given })).status).toBe(401);
    }
    const audited = await database.sql`select actor, details from audit_logs where action = 'user.retired'`;
    expect(audited).toHaveLength(4);
    expect(audited[0]?.actor).toBe('system');
  });

  test('happens once, and keeps users with a key configured for production', async () => {
    const key = 'an-admin-key-for-production';
    const inProduction = { sql: database.sql, users: app.services.users, env: 'prod' as const };
    await seedBootstrapKeys(inProduction, [configured('admin', key)]);
    expect(await retire()).toEqual([]);
    expect((await whoami(key)).body.owner).toBe('dev-admin');
    expect(await person('dev-viewer')).toMatchObject({ is_disabled: true });
  });

  test('happens again after another start in development', async () => {
    await seedBootstrapKeys({ sql: database.sql, users: app.services.users, env: 'dev' }, [
      { ...configured('admin', 'nexus_a-key-of-development'), isConfigured: false },
    ]);
    expect(await retire()).toEqual(['dev-admin']);
  });

  test('is done by one of two parallel processes', async () => {
    await seed();
    const [one, two] = database.twoConnections();
    const retired = await Promise.all(
      [one, two].map((sql) => retireDevelopmentPeople(sql, app.services.users)),
    );
    expect(retired.flat()).toHaveLength(4);
  });

  test('creates a sign-in link for an admin when no admin can sign in', async () => {
    const { signInLinks } = app.services;
    const viewer = await createPerson(app, { role: 'viewer' });
    await database.sql`update users set password_hash = 'somebody has one' where id = ${viewer.user.id}`;
    expect(await signInLinks.createForFirstAdmin()).toMatchObject({ username: 'admin' });
    // An admin with a valid key can sign in.
    const admin = await app.services.users.getByName('admin');
    const { id } = await app.services.apiKeys.create(
      admin,
      { name: 'way in', raw_mode_enabled: false },
      { name: 'test' },
    );
    expect(await signInLinks.createForFirstAdmin()).toBeUndefined();
    await app.services.apiKeys.disable(id, { name: 'test' });
    // Another user has the name `admin` now.
    await database.sql`update users set role = 'viewer' where username = 'admin'`;
    expect(await signInLinks.createForFirstAdmin()).toMatchObject({ username: 'admin-2' });
  });
});
