import { expect, test } from 'vitest';
import { createPerson, DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { signIn } from '../../../test/support/browser-session.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { blockedOrDone, holdBeforeCommit } from '../../../test/support/races.ts';
import { createRefusals } from './refusals.ts';
import { createSessions } from './sessions.ts';
import { createSignInLinks } from './sign-in-links.ts';

const database = useDatabase();
const app = useApp(database);
const published = useApp(database, { NEXUS_PUBLIC_URL: 'https://nexus.example' });
const actor = { name: 'test' };
const tokenOf = ({ path }: { path: string }) => path.replace('/app/welcome#', '');

test('while nobody has a password, the first admin is created once and gets a link', async () => {
  const [one, two] = database.twoConnections();
  const [{ users }] = [app.services];
  const links = await Promise.all(
    [one, two].map((sql) => createSignInLinks({ sql, users }).createForFirstAdmin()),
  );
  expect(links).toMatchObject([{ username: 'admin' }, { username: 'admin' }]);
  const admins = await database.sql`select username from users where role = 'admin' order by id`;
  expect(admins.map(({ username }) => username)).toEqual(['dev-admin', 'admin']);
});

test('the first admin signs in with the link, sets name and password, and all links expire', async () => {
  const [first, second] = [
    await app.services.signInLinks.createForFirstAdmin(),
    await app.services.signInLinks.createForFirstAdmin(),
  ];
  if (!first || !second) throw new Error('No link was created.');
  const browser = await signIn(app, { sign_in_token: tokenOf(first) });
  expect((await browser.call('GET', '/app/session')).body.data).toMatchObject({
    user: { username: 'admin', role: 'admin' },
    has_password: false,
    needs_onboarding: true,
    needs_current_password: false,
  });
  for (const { path } of [first, second]) {
    const body = { sign_in_token: tokenOf({ path }) };
    expect(await app.call('POST', '/app/session', { body })).toMatchObject(failure(401, 'E_UNAUTHENTICATED'));
  }
  const names = { username: 'ana', display_name: 'Ana Maria' };
  expect((await browser.call('PATCH', '/api/v1/me', { body: names })).body.data).toMatchObject(names);
  const new_password = 'correct horse battery';
  expect((await browser.call('PUT', '/api/v1/me/password', { body: { new_password } })).status).toBe(204);
  expect((await browser.call('GET', '/app/session')).body.data).toMatchObject({
    user: names,
    has_password: true,
    needs_onboarding: false,
  });
  await signIn(app, { username: 'ana', password: new_password });
  expect(await app.services.signInLinks.createForFirstAdmin()).toBeUndefined();
});

test('a link signs in one of two parallel requests', async () => {
  const { user } = await createPerson(app);
  const token = tokenOf(await app.services.signInLinks.create(user, actor));
  const [one, two] = database.twoConnections();
  const held = holdBeforeCommit(one);
  const { authentication } = app.services;
  const caller = { requestId: 'x', address: '::1' };
  const come = (sql: typeof one) =>
    createSessions({ sql, authentication, refusals: createRefusals({ sql }) }).signIn(
      { sign_in_token: token },
      undefined,
      caller,
    );
  const first = come(held.sql);
  await held.reached;
  const second = come(two);
  expect(await blockedOrDone(database.sql, second)).toBe('blocked');
  held.letGo();
  expect((await first).principal.user_id).toBe(user.id);
  await expect(second).rejects.toMatchObject({ code: 'E_UNAUTHENTICATED' });
});

test('an expired link, or a link of a disabled user, is refused', async () => {
  const { user } = await createPerson(app);
  const old = tokenOf(await app.services.signInLinks.create(user, actor));
  await database.sql`update sign_in_links set expires_at = now() where user_id = ${user.id}`;
  const fresh = tokenOf(await app.services.signInLinks.create(user, actor));
  const come = (sign_in_token: string) => app.call('POST', '/app/session', { body: { sign_in_token } });
  expect(await come(old)).toMatchObject(failure(401, 'E_UNAUTHENTICATED'));
  await app.services.users.update(user.id, { is_enabled: false }, actor);
  expect(await come(fresh)).toMatchObject(failure(401, 'E_UNAUTHENTICATED'));
});

test('admins create links for other users; the database does not contain the token', async () => {
  const { user, key } = await createPerson(app);
  const path = `/api/v1/users/${user.id}/sign-in-link`;
  expect(await app.call('POST', path, { key })).toMatchObject(failure(403, 'E_FORBIDDEN'));
  const made = await app.call('POST', path, { key: DEV_KEYS.admin });
  expect(made.status).toBe(201);
  expect(made.body.data).toEqual({
    url: expect.stringMatching(/^\/app\/welcome#[\w-]{43}$/),
    expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  const token = tokenOf({ path: made.body.data.url });
  const rows = await database.sql`select t::text as row from sign_in_links as t`;
  for (const { row } of rows) expect(row).not.toContain(token);
  const [audited] =
    await database.sql`select action, actor, details from audit_logs order by id desc limit 1`;
  expect(audited).toMatchObject({ action: 'sign_in_link.created', actor: 'dev-admin' });
  expect(JSON.stringify(audited)).not.toContain(token);
  await signIn(app, { sign_in_token: token });
});

test('with a public URL, a link is an absolute URL', async () => {
  const { user } = await createPerson(app);
  const path = `/api/v1/users/${user.id}/sign-in-link`;
  const { status, body } = await published.call('POST', path, { key: DEV_KEYS.admin });
  expect(status).toBe(201);
  expect(body.data.url).toMatch(/^https:\/\/nexus\.example\/app\/welcome#[\w-]{43}$/);
  await signIn(app, { sign_in_token: new URL(body.data.url).hash.slice(1) });
});

test('the first admin gets another username when another user had the usual one before', async () => {
  const { sql } = database;
  await sql`update users set password_hash = null`;
  await sql`update users set role = 'viewer' where role = 'admin' and username <> 'dev-admin'`;
  // The first admin was renamed in a test above.
  expect(await app.services.signInLinks.createForFirstAdmin()).toMatchObject({ username: 'admin-2' });
});
