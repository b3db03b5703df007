import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { call, DEV_KEYS, failure } from '../../support/app.ts';
import { runCommand } from '../../support/command.ts';
import { useDatabase } from '../../support/database.ts';
import { runNexus, startNexus } from '../../support/nexus-process.ts';
import { newDirectory } from '../../support/workspace.ts';

const database = useDatabase();
const dataDir = await newDirectory('data');
const env = { NEXUS_ENV: 'dev', NEXUS_DATABASE_URL: database.url, NEXUS_DATA_DIR: dataDir };
const production = { ...env, NEXUS_ENV: 'prod' };
const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));

/** Runs a command in a shell and parses its output. */
async function paste(command: string): Promise<unknown> {
  const environment = { ...env, PATH: process.env.PATH ?? '' };
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: '/', env: environment });
  return JSON.parse(stdout);
}

const show = async (...role: string[]) =>
  (await runCommand(['keys', 'show', '--bootstrap', ...role], env)).stdout;

describe('in development', () => {
  test('the call in the welcome text and the first call of the README work when pasted', async () => {
    const nexus = startNexus(['serve'], { env });
    const url = await nexus.ready();
    const [, command = ''] = await nexus.prints(/Try +(curl .*)/);
    expect(await paste(command)).toMatchObject({ owner: 'dev-admin', role: 'admin' });

    const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
    const [first = ''] = /^curl .*/m.exec(readme) ?? [];
    const here = first
      .replace('./nexus', `${process.execPath} ${MAIN}`)
      .replace('http://127.0.0.1:8080', url);
    expect(await paste(here)).toMatchObject({ owner: 'dev-admin' });
    await nexus.stop();
  });

  test('well-known keys are not valid, and start-up disables those that are still in the database', async () => {
    const earlier = startNexus(['serve'], { env: { ...env, NEXUS_ENV: 'test' } });
    expect((await call(await earlier.ready(), 'GET', '/api/v1/me', { key: DEV_KEYS.admin })).status).toBe(
      200,
    );
    await earlier.stop();
    const nexus = startNexus(['serve'], { env });
    const url = await nexus.ready();
    for (const key of Object.values(DEV_KEYS))
      expect(await call(url, 'GET', '/api/v1/me', { key })).toMatchObject(failure(401, 'E_UNAUTHENTICATED'));
    expect((await call(url, 'GET', '/api/v1/me', { key: (await show('admin')).trim() })).status).toBe(200);
    await nexus.stop();
    const [row] = await database.sql`
      select count(*) from api_keys where enabled and key_hash = sha256('nexus-dev-admin-key')`;
    expect(row?.count).toBe(0);
  });

  test('`keys show` prints all keys, or just one, and the file is closed to others', async () => {
    expect(await show()).toMatch(
      /^USER +KEY\ndev-viewer +nexus_[\w-]{43}\n(.*\n){2}dev-admin +nexus_[\w-]{43}\n$/,
    );
    expect(await show('viewer')).toMatch(/^nexus_[\w-]{43}\n$/);
    expect((await stat(path.join(dataDir, 'bootstrap-keys.json'))).mode & 0o777).toBe(0o600);
  });

  test('two processes that start at once on a new data directory agree on the keys', async () => {
    const shared = { ...env, NEXUS_DATA_DIR: path.join(await newDirectory(), 'new') };
    const both = [startNexus(['serve'], { env: shared }), startNexus(['serve'], { env: shared })];
    const keys = await Promise.all(
      both.map(async (nexus) => (await nexus.prints(/X-Nexus-API-Key: (nexus_[\w-]+)/))[1] ?? ''),
    );
    expect(keys[0]).toBe(keys[1]);
    for (const nexus of both)
      expect((await call(await nexus.ready(), 'GET', '/api/v1/me', { key: keys[0] })).status).toBe(200);
    await Promise.all(both.map((nexus) => nexus.stop()));
  });

  test('data directories that share a database do not disable each other’s keys', async () => {
    const other = startNexus(['serve'], { env: { ...env, NEXUS_DATA_DIR: await newDirectory('other') } });
    const url = await other.ready();
    const [, key = ''] = await other.prints(/X-Nexus-API-Key: (nexus_[\w-]+)/);
    expect(key).not.toBe((await show('admin')).trim());
    expect((await call(url, 'GET', '/api/v1/me', { key })).status).toBe(200);
    expect((await call(url, 'GET', '/api/v1/me', { key: (await show('admin')).trim() })).status).toBe(200);
    await other.stop();
  });

  test('a person with the username dev-admin is left unchanged, and the start reports it', async () => {
    await database.sql`update users set username = 'dev-admin-before' where username = 'dev-admin'`;
    await runCommand(['users', 'add', 'eve', '--role', 'viewer'], env);
    await database.sql`update users set username = 'dev-admin' where username = 'eve'`;
    const nexus = startNexus(['serve'], { env });
    await nexus.ready();
    await nexus.stop();
    expect(nexus.output()).toContain(
      'somebody has the username dev-admin, so there is no bootstrap key for the role admin',
    );
    expect(nexus.output()).not.toContain('X-Nexus-API-Key');
    const [row] = await database.sql`select role from users where username = 'dev-admin'`;
    expect(row?.role).toBe('viewer');
    const configured = { ...env, NEXUS_BOOTSTRAP_ADMIN_KEY: 'a-key-that-is-configured' };
    expect(await runNexus(['serve'], { env: configured })).toMatchObject({
      code: 1,
      output: expect.stringContaining(
        'NEXUS_BOOTSTRAP_ADMIN_KEY sets the key of the user dev-admin, but another person',
      ),
    });
    await database.sql`update users set username = 'eve' where username = 'dev-admin'`;
    await database.sql`update users set username = 'dev-admin' where username = 'dev-admin-before'`;
  });
});

test('data moved from development to production has no valid development key, and an admin can sign in', async () => {
  const development = startNexus(['serve'], { env });
  const before = await development.ready();
  const [, token = ''] = await development.prints(/welcome#([\w-]+)/);
  const key = (await show('admin')).trim();
  const link = await call(before, 'GET', '/api/v1/users', { key }).then(({ body }) => {
    const { id } = body.data.find(({ username }: { username: string }) => username === 'dev-admin');
    return call(before, 'POST', `/api/v1/users/${id}/sign-in-link`, { key });
  });
  const signIn = (url: string, body: object) => call(url, 'POST', '/app/session', { body });
  const session = await signIn(before, { sign_in_token: link.body.data.url.replace('/app/welcome#', '') });
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
  const password = 'a backdoor for later';
  const changed = await call(before, 'PUT', '/api/v1/me/password', {
    body: { new_password: password },
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
  });
  expect(changed.status).toBe(204);
  await development.stop();

  const nexus = startNexus(['serve'], { env: production });
  const url = await nexus.ready();
  expect(nexus.output()).toMatch(/disabled .*dev-admin.* with their keys, sessions and passwords/);
  expect(nexus.output()).toMatch(/Sign in +http:\S+\/app\/welcome#[\w-]{43}/);
  expect(nexus.output()).not.toContain('X-Nexus-API-Key');
  for (const known of [key, ...Object.values(DEV_KEYS)])
    expect((await call(url, 'GET', '/api/v1/me', { key: known })).status).toBe(401);
  expect((await call(url, 'GET', '/api/v1/me', { headers: { cookie } })).status).toBe(401);
  expect((await signIn(url, { username: 'dev-admin', password })).status).toBe(401);
  // The first admin's sign-in link belongs to a person, not to development, and stays valid.
  expect((await signIn(url, { sign_in_token: token })).status).toBe(200);
  await nexus.stop();

  const again = startNexus(['serve'], {
    env: { ...production, NEXUS_BOOTSTRAP_ADMIN_KEY: 'an-admin-key-for-production' },
  });
  const there = await again.ready();
  expect(again.output()).not.toContain('with their keys, sessions and passwords');
  expect((await call(there, 'GET', '/api/v1/me', { key: 'an-admin-key-for-production' })).status).toBe(200);
  await again.stop();
  expect(await runNexus(['keys', 'show', '--bootstrap'], { env: production })).toMatchObject({
    code: 1,
    output: expect.stringContaining('NEXUS_ENV is prod, and no bootstrap key is set.'),
  });
});
