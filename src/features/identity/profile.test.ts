import { expect, test } from 'vitest';
import { createPerson, DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { setPassword, signIn } from '../../../test/support/browser-session.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { blockedOrDone, holdBeforeCommit } from '../../../test/support/races.ts';
import { createProfile } from './profile.ts';

const database = useDatabase();
const app = useApp(database);
const actor = { name: 'test' };
const first = 'the first password';

async function createMember() {
  const person = await createPerson(app);
  await setPassword(app, person.user, first);
  return { ...person, username: person.user.username };
}

test('a password has at least ten characters', async () => {
  const { key } = await createPerson(app);
  const answer = await app.call('PUT', '/api/v1/me/password', { key, body: { new_password: '123456789' } });
  expect(answer).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  expect(answer.body.error.message).toBe('new_password must have at least 10 characters.');
});

test('a key, or a session that began with one, cannot set a first password', async () => {
  const { user, key } = await createPerson(app);
  const body = { new_password: 'a way to stay' };
  const refused = failure(403, 'E_FORBIDDEN');
  const browser = await signIn(app, { api_key: key });
  const tokens = (await app.call('POST', '/api/v1/auth/token', { key })).body.data;
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  expect(await app.call('PUT', '/api/v1/me/password', { key, body })).toMatchObject(refused);
  expect(await browser.call('PUT', '/api/v1/me/password', { body })).toMatchObject(refused);
  expect(await app.call('PUT', '/api/v1/me/password', { headers, body })).toMatchObject(refused);
  expect((await browser.call('GET', '/app/session')).body.data.can_set_password).toBe(false);
  const [row] = await database.sql`select password_hash from users where id = ${user.id}`;
  expect(row?.password_hash).toBeNull();
});

test('a key can change a password only with the current one', async () => {
  const { key, username } = await createMember();
  const change = (current_password?: string) =>
    app.call('PUT', '/api/v1/me/password', {
      key,
      body: { new_password: 'the next password', current_password },
    });
  expect(await change()).toMatchObject(failure(403, 'E_FORBIDDEN'));
  expect(await change('not the first')).toMatchObject(failure(403, 'E_FORBIDDEN'));
  const browser = await signIn(app, { api_key: key });
  expect((await browser.call('GET', '/app/session')).body.data).toMatchObject({
    can_set_password: true,
    needs_current_password: true,
  });
  expect((await change(first)).status).toBe(204);
  await signIn(app, { username, password: 'the next password' });
});

test('changing a password requires the current one, and ends all other sessions', async () => {
  const { username, user } = await createMember();
  const here = await signIn(app, { username, password: first });
  const elsewhere = await signIn(app, { username, password: first });
  await app.services.signInLinks.create(user, actor);
  const new_password = 'the second password';
  for (const current_password of [undefined, 'not the first']) {
    const answer = await here.call('PUT', '/api/v1/me/password', {
      body: { new_password, current_password },
    });
    expect(answer).toMatchObject(failure(403, 'E_FORBIDDEN'));
  }
  expect((await elsewhere.call('GET', '/api/v1/me')).status).toBe(200);
  const body = { new_password, current_password: first };
  expect((await here.call('PUT', '/api/v1/me/password', { body })).status).toBe(204);
  expect((await here.call('GET', '/api/v1/me')).status).toBe(200);
  expect(await elsewhere.call('GET', '/api/v1/me')).toMatchObject(failure(401, 'E_UNAUTHENTICATED'));
  await expect(signIn(app, { username, password: first })).rejects.toThrow('E_UNAUTHENTICATED');
  await signIn(app, { username, password: new_password });
  const links = await database.sql`select from sign_in_links where user_id = ${user.id}`;
  expect(links.count).toBe(0);
  const [audited] = await database.sql`
    select actor, details from audit_logs where action = 'password.changed' order by id desc limit 1`;
  expect(audited).toMatchObject({ actor: username, details: { user_id: user.id, ended_sessions: 1 } });
});

test('after signing in with a link, a new password can be set for an hour without the current one', async () => {
  const { username, user } = await createMember();
  const { path } = await app.services.signInLinks.create(user, actor);
  const browser = await signIn(app, { sign_in_token: path.replace('/app/welcome#', '') });
  expect((await browser.call('GET', '/app/session')).body.data).toMatchObject({
    has_password: true,
    needs_onboarding: false,
    needs_current_password: false,
  });
  const body = { new_password: 'one to remember' };
  expect((await browser.call('PUT', '/api/v1/me/password', { body })).status).toBe(204);
  await signIn(app, { username, password: body.new_password });
  await database.sql`update sessions set created_at = now() - interval '61 minutes' where user_id = ${user.id}`;
  expect((await browser.call('GET', '/app/session')).body.data.needs_current_password).toBe(true);
  expect(await browser.call('PUT', '/api/v1/me/password', { body })).toMatchObject(
    failure(403, 'E_FORBIDDEN'),
  );
});

test('guessing the current password is rate limited', async () => {
  const { username } = await createMember();
  const browser = await signIn(app, { username, password: first });
  const body = { new_password: 'taken over now', current_password: 'a guess' };
  const guesses = await Promise.all(
    Array.from({ length: 12 }, () => browser.call('PUT', '/api/v1/me/password', { body })),
  );
  expect(guesses.filter(({ status }) => status === 403)).toHaveLength(10);
  expect(guesses.filter(({ status }) => status === 429)).toHaveLength(2);
});

test('of two parallel changes, one succeeds', async () => {
  const { username } = await createMember();
  const { token } = await signIn(app, { username, password: first });
  const principal = await app.services.authentication.withSession(token);
  const [one, two] = database.twoConnections();
  const held = holdBeforeCommit(one);
  const change = (sql: typeof one, new_password: string) =>
    createProfile({ sql, users: app.services.users }).changePassword(
      principal,
      { new_password, current_password: first },
      actor,
    );
  const winner = change(held.sql, 'the winning one');
  await held.reached;
  const loser = change(two, 'the losing one');
  expect(await blockedOrDone(database.sql, loser)).toBe('blocked');
  held.letGo();
  await winner;
  await expect(loser).rejects.toMatchObject({ code: 'E_INVALID_STATE' });
  await signIn(app, { username, password: 'the winning one' });
});

test('a current or former username of another user is refused, ignoring case', async () => {
  const [ana, ben] = [await createPerson(app), await createPerson(app)];
  const rename = ({ key }: { key: string }, username: string) =>
    app.call('PATCH', '/api/v1/me', { key, body: { username } });
  const former = ana.user.username;
  expect(await rename(ben, former.toUpperCase())).toMatchObject(failure(409, 'E_USERNAME_TAKEN'));
  expect((await rename(ana, 'ana-anew')).body.data.username).toBe('ana-anew');
  expect((await rename(ana, 'Ana-Anew')).body.data.username).toBe('Ana-Anew');
  expect(await rename(ben, former)).toMatchObject(failure(409, 'E_USERNAME_TAKEN'));
  await expect(app.services.users.create({ username: former, role: 'viewer' }, actor)).rejects.toMatchObject({
    code: 'E_USERNAME_TAKEN',
  });
  // The former owner may take it again.
  expect((await rename(ana, former)).status).toBe(200);
  expect(await rename(ben, 'two words')).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  expect(await app.call('PATCH', '/api/v1/me', { key: ana.key, body: {} })).toMatchObject(
    failure(400, 'E_INVALID_REQUEST'),
  );
  expect(await app.call('PATCH', '/api/v1/me', { key: ana.key, body: { role: 'admin' } })).toMatchObject(
    failure(400, 'E_INVALID_REQUEST'),
  );
});

test('a name that another user gives up in parallel is refused', async () => {
  const [ana, ben] = [await createPerson(app), await createPerson(app)];
  const [one, two] = database.twoConnections();
  const held = holdBeforeCommit(one);
  const { users } = app.services;
  const givenUp = createProfile({ sql: held.sql, users }).update(
    { user_id: ana.user.id, role: 'researcher' },
    { username: 'gone-away' },
    actor,
  );
  await held.reached;
  const taken = createProfile({ sql: two, users }).update(
    { user_id: ben.user.id, role: 'researcher' },
    { username: ana.user.username },
    actor,
  );
  await blockedOrDone(
    database.sql,
    taken.catch(() => undefined),
  );
  held.letGo();
  await givenUp;
  await expect(taken).rejects.toMatchObject({ code: 'E_USERNAME_TAKEN' });
});

test('a bootstrap user cannot change its username', async () => {
  const rename = (username: string) =>
    app.call('PATCH', '/api/v1/me', { key: DEV_KEYS.operator, body: { username, display_name: 'Olga' } });
  expect(await rename('olga')).toMatchObject(failure(409, 'E_INVALID_STATE'));
  expect((await app.call('GET', '/api/v1/me', { key: DEV_KEYS.operator })).body.data.display_name).toBe(
    'dev-operator',
  );
});
