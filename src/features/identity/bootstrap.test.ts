import { expect, test } from 'vitest';
import { call, DEV_KEYS, useApp } from '../../../test/app.ts';
import { useDatabase } from '../../../test/database.ts';
import { parseConfig } from '../../app/config.ts';
import { createServices } from '../../app/services.ts';
import { createLogger } from '../../platform/telemetry/logger.ts';
import { disableDevelopmentKeys, refuseDevelopmentKeys, seedBootstrapKeys } from './bootstrap.ts';

const database = useDatabase();
const app = useApp(database, { NEXUS_RAW_MODE_ENABLED: 'true' });
const config = parseConfig({ NEXUS_ENV: 'test' });
const { bootstrapKeys } = config;
const log = createLogger({ level: 'silent', format: 'json' });
const keys = () => database.sql`
  select users.username, api_keys.role, raw_mode_enabled, enabled
  from api_keys join users on users.id = api_keys.user_id order by api_keys.id`;

test('seeding twice makes four keys, with the roles and modes that their names promise', async () => {
  await seedBootstrapKeys(database.sql, app.services.users, bootstrapKeys);
  expect([...(await keys())]).toEqual([
    { username: 'dev-viewer', role: 'viewer', raw_mode_enabled: false, enabled: true },
    { username: 'dev-operator', role: 'operator', raw_mode_enabled: false, enabled: true },
    { username: 'dev-researcher', role: 'researcher', raw_mode_enabled: true, enabled: true },
    { username: 'dev-admin', role: 'admin', raw_mode_enabled: true, enabled: true },
  ]);
  expect(
    (await call(app.url, 'GET', '/api/v1/auth/whoami', { key: DEV_KEYS.admin })).body.allowed_modes,
  ).toEqual(['PUBLIC', 'RAW']);
});

test('two processes that seed an empty database at once make four keys', async () => {
  await database.sql`truncate users, libraries, memberships, api_keys cascade`;
  const seeders = database.twoConnections().map((sql) => ({
    sql,
    ...createServices(sql, app.engine, { ...config, acceptsDevelopmentKeys: true }, log, app.outside),
  }));
  await Promise.all(seeders.map(({ sql, users }) => seedBootstrapKeys(sql, users, bootstrapKeys)));
  expect(await keys()).toHaveLength(4);
  const [row] = await database.sql`select count(*)::int from libraries`;
  expect(row?.count).toBe(4);
});

test('a seeded key that was disabled is enabled again, under the same id', async () => {
  const ids = await database.sql`select id from api_keys order by id`;
  await database.sql`update api_keys set enabled = false`;
  await seedBootstrapKeys(database.sql, app.services.users, bootstrapKeys);
  expect((await keys()).every(({ enabled }) => enabled)).toBe(true);
  expect(await database.sql`select id from api_keys order by id`).toEqual(ids);
});

test('a seeded key that was disabled is audited when it is enabled again', async () => {
  await database.sql`update api_keys set enabled = false`;
  await database.sql`truncate audit_logs`;
  await seedBootstrapKeys(database.sql, app.services.users, bootstrapKeys);
  const actions = await database.sql`select action, actor from audit_logs`;
  expect([...actions]).toEqual(Array(4).fill({ action: 'api_key.enabled', actor: 'system' }));
});

test('a new key takes the place of the one before it', async () => {
  const key = 'another-admin-key-for-a-day';
  await seedBootstrapKeys(database.sql, app.services.users, [{ role: 'admin', key }]);
  const whoami = (presented: string) => call(app.url, 'GET', '/api/v1/auth/whoami', { key: presented });
  expect((await whoami(key)).body.owner).toBe('dev-admin');
  expect((await whoami(DEV_KEYS.admin)).status).toBe(401);
  await seedBootstrapKeys(database.sql, app.services.users, bootstrapKeys);
  expect((await whoami(key)).status).toBe(401);
  expect((await whoami(DEV_KEYS.admin)).status).toBe(200);
});

test("a key that is somebody else's already is refused", async () => {
  const seed = seedBootstrapKeys(database.sql, app.services.users, [{ role: 'admin', key: DEV_KEYS.viewer }]);
  await expect(seed).rejects.toThrow('NEXUS_BOOTSTRAP_ADMIN_KEY is the key of dev-viewer already.');
});

test('a seeded user who was disabled or demoted has their role back', async () => {
  await database.sql`update users set disabled_at = now() where username = 'dev-operator'`;
  await database.sql`update users set role = 'viewer' where username = 'dev-researcher'`;
  await seedBootstrapKeys(database.sql, app.services.users, bootstrapKeys);
  for (const role of ['operator', 'researcher'] as const) {
    expect((await call(app.url, 'GET', '/api/v1/auth/whoami', { key: DEV_KEYS[role] })).body.role).toBe(role);
  }
});

test('development keys open nothing in a process that does not accept them', async () => {
  const { authentication } = createServices(
    database.sql,
    app.engine,
    { ...config, acceptsDevelopmentKeys: false },
    log,
    app.outside,
  );
  const attempt = authentication.withApiKey(DEV_KEYS.admin, { requestId: 'x', address: '203.0.113.7' });
  await expect(attempt).rejects.toMatchObject({ code: 'E_UNAUTHENTICATED' });
});

test('production refuses a database that still takes development keys, until they are disabled', async () => {
  await expect(refuseDevelopmentKeys(database.sql)).rejects.toThrow(
    /dev-admin, dev-operator, dev-researcher, dev-viewer\. Close them with `nexus keys disable --development`/,
  );
  expect(await disableDevelopmentKeys(app.services.apiKeys, { name: 'test' })).toBe(4);
  await refuseDevelopmentKeys(database.sql);
});
