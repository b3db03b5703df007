import { describe, expect, test } from 'vitest';
import { call, createPerson, DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { browserWith, cookieOf, signIn } from '../../../test/support/browser-session.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { blockedOrDone, holdBeforeCommit } from '../../../test/support/races.ts';
import { hashPassword } from './passwords.ts';
import { createProfile } from './profile.ts';
import { createRefusals } from './refusals.ts';
import { createSessions } from './sessions.ts';

const database = useDatabase();
const app = useApp(database, { NEXUS_TRUSTED_PROXIES: '127.0.0.1' });
const overHttps = useApp(database, { NEXUS_PUBLIC_URL: 'https://nexus.example' });
const password = 'correct horse battery';
const passwordHash = hashPassword(password);

async function createMember(role: 'viewer' | 'researcher' | 'admin' = 'researcher') {
  const person = await createPerson(app, { role });
  await database.sql`update users set password_hash = ${await passwordHash} where id = ${person.user.id}`;
  return { ...person, username: person.user.username };
}

let addresses = 0;
/** Returns a new address, so that the guesses of one test do not limit the next. */
const from = () => {
  addresses += 1;
  return { 'x-forwarded-for': `203.0.113.${addresses}` };
};

const lastAudit = async () => {
  const [entry] = await database.sql`select action, actor, details from audit_logs order by id desc limit 1`;
  return entry;
};

describe('signing in', () => {
  test('with username and password creates a session of the user', async () => {
    const { username, user } = await createMember();
    const answer = await app.call('POST', '/app/session', { body: { username, password } });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({
      user: { id: user.id, username, display_name: username, role: 'researcher' },
      default_library_id: user.default_library_id,
      has_password: true,
      needs_onboarding: false,
      needs_current_password: true,
      can_set_password: true,
      allowed_modes: ['PUBLIC'],
    });
    expect(await lastAudit()).toMatchObject({ action: 'session.created', actor: username });
    const browser = browserWith(app, cookieOf(answer).value);
    expect((await browser.call('GET', '/app/session')).body).toEqual(answer.body);
    expect((await browser.call('GET', '/api/v1/me')).body.data).toMatchObject({ id: user.id });
    expect((await browser.call('GET', '/api/v1/auth/whoami')).body).toMatchObject({
      api_key_id: null,
      owner: username,
      role: 'researcher',
      raw_mode_enabled: false,
    });
  });

  test('ignores the case of the username', async () => {
    const { username } = await createMember();
    await signIn(app, { username: username.toUpperCase(), password });
  });

  test('with an API key creates a session with the rights of the key, which ends with the key', async () => {
    const { user, key } = await createPerson(app, { role: 'admin' });
    const { key: weak, ...apiKey } = await app.services.apiKeys.create(
      user,
      { name: 'weak', role: 'viewer', raw_mode_enabled: false },
      { name: 'test' },
    );
    const strong = await signIn(app, { api_key: key });
    expect((await strong.call('GET', '/api/v1/users')).status).toBe(200);
    const browser = await signIn(app, { api_key: weak });
    expect((await browser.call('GET', '/app/session')).body.data.user.role).toBe('viewer');
    expect(await browser.call('GET', '/api/v1/users')).toMatchObject(failure(403, 'E_FORBIDDEN'));
    // A session with a lower role than its user cannot change the user's password or name.
    const body = { new_password: 'chosen by a thief' };
    expect(await browser.call('PUT', '/api/v1/me/password', { body })).toMatchObject(
      failure(403, 'E_FORBIDDEN'),
    );
    const names = { body: { username: 'taken-away' } };
    expect(await browser.call('PATCH', '/api/v1/me', names)).toMatchObject(failure(403, 'E_FORBIDDEN'));
    await app.services.apiKeys.disable(apiKey.id, { name: 'test' });
    expect(await browser.call('GET', '/api/v1/me')).toMatchObject(failure(401, 'E_UNAUTHENTICATED'));
    expect((await strong.call('GET', '/api/v1/me')).status).toBe(200);
  });

  test('fails with the same message whatever is wrong; the audit log has the reason', async () => {
    const member = await createMember();
    const disabled = await createMember();
    await database.sql`update users set disabled_at = now() where id = ${disabled.user.id}`;
    const keyless = await createPerson(app);
    const expired = await createPerson(app);
    await database.sql`update api_keys set expires_at = now() where id = ${expired.apiKey.id}`;
    const wrong: [object, string, string][] = [
      [{ username: member.username, password: 'not the password' }, 'password', member.username],
      [{ username: 'nobody-at-all', password }, 'unknown', 'unknown'],
      [{ username: 'no\0body', password }, '', ''],
      [{ username: disabled.username, password }, 'disabled', disabled.username],
      [{ username: keyless.user.username, password: '' }, '', ''],
      [{ username: keyless.user.username, password: 'null' }, 'password', keyless.user.username],
      [{ api_key: 'nxs_unknown' }, 'unknown', 'unknown'],
      [{ api_key: disabled.key }, 'disabled', disabled.username],
      [{ api_key: expired.key }, 'expired', expired.user.username],
      [{ sign_in_token: 'unknown' }, 'unknown', 'unknown'],
    ];
    const sentences = new Set<string>();
    for (const [body, reason, actor] of wrong) {
      const answer = await app.call('POST', '/app/session', { body, headers: from() });
      if (reason === '') {
        expect(answer).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
        continue;
      }
      expect(answer, JSON.stringify(body)).toMatchObject(failure(401, 'E_UNAUTHENTICATED'));
      expect(answer.headers.get('set-cookie')).toBeNull();
      sentences.add(answer.body.error.message);
      expect(await lastAudit()).toMatchObject({
        action: 'auth.failed',
        actor,
        details: { reason, by: 'sign_in', address: expect.stringMatching(/^203\.0\.113\./) },
      });
    }
    expect(sentences.size).toBe(1);
    const [logged] = await database.sql`
      select count(*) from audit_logs where details::text like '%not the password%'`;
    expect(logged).toEqual({ count: 0 });
  });

  test.each([
    {},
    { username: 'ana' },
    { password: 'x' },
    { username: 'a', password: 'b', api_key: 'c' },
    [],
    null,
    'x',
  ])('%j is 400', async (body) => {
    const sent = JSON.stringify(body);
    expect(await app.call('POST', '/app/session', { body: sent })).toMatchObject(
      failure(400, 'E_INVALID_REQUEST'),
    );
  });

  test('is rate limited after wrong guesses, only for this person and address', async () => {
    const { username } = await createMember();
    const headers = from();
    const guess = (given = 'wrong guess', at = headers) =>
      app.call('POST', '/app/session', { body: { username, password: given }, headers: at });
    const answers = await Promise.all(Array.from({ length: 14 }, () => guess()));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    const limited = answers.filter(({ status }) => status === 429);
    expect(limited).toHaveLength(4);
    expect(limited[0]).toMatchObject(failure(429, 'E_RATE_LIMITED'));
    expect(Number(limited[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    // The right password is limited, too. Other addresses and other people are not.
    expect((await guess(password)).status).toBe(429);
    expect((await guess(password, from())).status).toBe(200);
    const other = await createMember();
    const body = { username: other.username, password };
    expect((await app.call('POST', '/app/session', { body, headers })).status).toBe(200);
    // Lets time pass for the limit.
    await database.sql`update rate_limit_buckets set refilled_at = refilled_at - interval '31 seconds'`;
    expect((await guess(password)).status).toBe(200);
    // A successful sign-in resets the limit.
    const [left] = await database.sql`
      select count(*) from rate_limit_buckets where name like ${`sign_in:${username}@${headers['x-forwarded-for']}`}`;
    expect(left).toEqual({ count: 0 });
  });

  test('is rate limited for an address that tries many usernames', async () => {
    const headers = from();
    const tries = await Promise.all(
      Array.from({ length: 105 }, (_, count) =>
        app.call('POST', '/app/session', { body: { username: `nobody-${count}`, password }, headers }),
      ),
    );
    // The limit may have refilled a little meanwhile.
    expect(tries.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(3);
  });
});

describe('the cookie', () => {
  test('is HttpOnly and SameSite, and not Secure over plain http', async () => {
    const { username } = await createMember();
    const { flags } = cookieOf(await app.call('POST', '/app/session', { body: { username, password } }));
    expect(flags).toEqual(
      expect.arrayContaining(['Path=/', 'HttpOnly', 'SameSite=Lax', expect.stringMatching(/^Expires=/)]),
    );
    expect(flags).not.toContain('Secure');
  });

  test('is Secure when a trusted proxy forwards https', async () => {
    const { username } = await createMember();
    const headers = { 'x-forwarded-proto': 'https' };
    const behindProxy = await app.call('POST', '/app/session', { body: { username, password }, headers });
    expect(cookieOf(behindProxy)).toMatchObject({
      name: '__Host-nexus_session',
      flags: expect.arrayContaining(['Secure', 'Path=/', 'HttpOnly', 'SameSite=Lax']),
    });
    expect(cookieOf(behindProxy).flags.join()).not.toMatch(/domain/i);
  });

  test('is Secure and has the __Host- prefix when the public URL is https, also behind a proxy without headers', async () => {
    const { username } = await createMember();
    const answer = await overHttps.call('POST', '/app/session', { body: { username, password } });
    const { name, value, flags } = cookieOf(answer);
    expect([name, flags.includes('Secure')]).toEqual(['__Host-nexus_session', true]);
    const me = (cookie: string) => overHttps.call('GET', '/api/v1/me', { headers: { cookie } });
    expect((await me(`${name}=${value}`)).status).toBe(200);
    expect((await me(`nexus_session=${value}`)).status).toBe(401);
    expect((await me(`nexus_session=planted; ${name}=${value}`)).status).toBe(200);
    const signOut = await overHttps.call('DELETE', '/app/session', {
      headers: { cookie: `${name}=${value}`, 'sec-fetch-site': 'same-origin' },
    });
    expect(cookieOf(signOut)).toMatchObject({ name, value: '', flags: expect.arrayContaining(['Secure']) });
    const { body } = await overHttps.call('GET', '/openapi.json');
    expect(body.components.securitySchemes.session.name).toBe(name);
  });

  test('with the __Host- prefix is ignored over plain http', async () => {
    const { username } = await createMember();
    const { token } = await signIn(app, { username, password });
    const headers = { cookie: `__Host-nexus_session=${token}` };
    expect((await app.call('GET', '/api/v1/me', { headers })).status).toBe(401);
  });

  test('the database does not contain session tokens', async () => {
    const { username } = await createMember();
    const { token } = await signIn(app, { username, password });
    const rows = await database.sql`select t::text as row from sessions as t`;
    for (const { row } of rows) expect(row).not.toContain(token);
  });

  test('is replaced when signing in, and the session of the old token ends', async () => {
    const victim = await createMember();
    const planted = browserWith(app, 'planted-by-somebody-else');
    const answer = await planted.call('POST', '/app/session', {
      body: { username: victim.username, password },
    });
    expect(cookieOf(answer).value).not.toBe(planted.token);
    expect(await planted.call('GET', '/api/v1/me')).toMatchObject(failure(401, 'E_UNAUTHENTICATED'));

    const first = browserWith(app, cookieOf(answer).value);
    const again = await first.call('POST', '/app/session', {
      body: { username: victim.username, password },
    });
    expect(cookieOf(again).value).not.toBe(first.token);
    expect(await first.call('GET', '/api/v1/me')).toMatchObject(failure(401, 'E_UNAUTHENTICATED'));
  });

  test('is ignored when the request has an API key', async () => {
    const { username } = await createMember();
    const browser = await signIn(app, { username, password });
    const answer = await browser.call('GET', '/api/v1/auth/whoami', { key: DEV_KEYS.viewer });
    expect(answer.body.owner).toBe('dev-viewer');
  });

  test.each(['', 'x', '%00', 'a'.repeat(4000), '"quoted"', ';;;'])('"%s" is 401', async (token) => {
    const answer = await app.call('GET', '/api/v1/me', { headers: { cookie: `nexus_session=${token}` } });
    expect(answer).toMatchObject(failure(401, 'E_UNAUTHENTICATED'));
    const asked = await app.call('GET', '/app/session', { headers: { cookie: `nexus_session=${token}` } });
    expect(asked).toMatchObject({ status: 200, body: { data: null } });
  });

  test('may be missing: the current session is null', async () => {
    expect(await app.call('GET', '/app/session')).toMatchObject({ status: 200, body: { data: null } });
  });
});

describe('a session', () => {
  test('ends immediately when its user signs out', async () => {
    const { username } = await createMember();
    const browser = await signIn(app, { username, password });
    const other = await signIn(app, { username, password });
    const answer = await browser.call('DELETE', '/app/session');
    expect(answer.status).toBe(204);
    expect(cookieOf(answer).value).toBe('');
    expect(await lastAudit()).toMatchObject({ action: 'session.ended', actor: username });
    expect(await browser.call('GET', '/api/v1/me')).toMatchObject(failure(401, 'E_UNAUTHENTICATED'));
    expect(await browser.call('GET', '/app/session')).toMatchObject({ status: 200, body: { data: null } });
    expect((await other.call('GET', '/app/session')).body.data.user.username).toBe(username);
    expect((await browser.call('DELETE', '/app/session')).status).toBe(204);
    expect((await app.call('DELETE', '/app/session')).status).toBe(204);
  });

  test('ends immediately when its user is disabled', async () => {
    const { username, user } = await createMember();
    const browser = await signIn(app, { username, password });
    await app.services.users.update(user.id, { is_enabled: false }, { name: 'test' });
    expect(await browser.call('GET', '/api/v1/me')).toMatchObject(failure(401, 'E_UNAUTHENTICATED'));
  });

  test("has its user's current role", async () => {
    const { username, user } = await createMember('viewer');
    const browser = await signIn(app, { username, password });
    expect((await browser.call('GET', '/api/v1/users')).status).toBe(403);
    await app.services.users.update(user.id, { role: 'admin' }, { name: 'test' });
    expect((await browser.call('GET', '/api/v1/users')).status).toBe(200);
  });

  test('ends after its maximum idle time, and after its maximum lifetime', async () => {
    const { username, user } = await createMember();
    const idle = await signIn(app, { username, password });
    await database.sql`
      update sessions set last_used_at = now() - interval '30 days 1 minute' where user_id = ${user.id}`;
    expect(await idle.call('GET', '/api/v1/me')).toMatchObject(failure(401, 'E_UNAUTHENTICATED'));
    const old = await signIn(app, { username, password });
    expect((await old.call('GET', '/api/v1/me')).status).toBe(200);
    await database.sql`update sessions set expires_at = now() where user_id = ${user.id}`;
    expect(await old.call('GET', '/api/v1/me')).toMatchObject(failure(401, 'E_UNAUTHENTICATED'));
  });

  test('updates last_used_at at most once per minute', async () => {
    const { username, user } = await createMember();
    const browser = await signIn(app, { username, password });
    const lastUsed = async () => {
      const [row] = await database.sql`select last_used_at from sessions where user_id = ${user.id}`;
      return row?.last_used_at.getTime();
    };
    const first = await lastUsed();
    await browser.call('GET', '/api/v1/me');
    expect(await lastUsed()).toBe(first);
    await database.sql`
      update sessions set last_used_at = last_used_at - interval '2 minutes' where user_id = ${user.id}`;
    await Promise.all(Array.from({ length: 10 }, () => browser.call('GET', '/api/v1/me')));
    expect(await lastUsed()).toBeGreaterThanOrEqual(first);
  });

  test('closes its event streams soon after it ends', async () => {
    const { username } = await createMember();
    const browser = await signIn(app, { username, password });
    const principal = await app.services.authentication.withSession(browser.token);
    const { stillAdmitted } = await import('../events/store.ts');
    const keyed = await createPerson(app);
    const byKey = await app.services.authentication.withApiKey(keyed.key, { requestId: 'x', address: 'x' });
    expect([...(await stillAdmitted(database.sql, [principal, byKey]))].sort()).toEqual([0, 1]);
    await browser.call('DELETE', '/app/session');
    expect([...(await stillAdmitted(database.sql, [principal, byKey]))]).toEqual([1]);
  });
});

describe('a state-changing request with a cookie', () => {
  const rename = { body: { display_name: 'Somebody' } };

  test.each([
    ['without Origin and Sec-Fetch-Site', {}],
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from a sibling of this site', { 'sec-fetch-site': 'same-site' }],
    ['from another origin', { origin: 'https://evil.example' }],
    ['from an opaque origin', { origin: 'null' }],
    ['from this host under another scheme', { origin: 'ftp://127.0.0.1' }],
    ['from another site that names our origin', { 'sec-fetch-site': 'cross-site', origin: 'same' }],
  ])('%s is refused', async (_case, given: Record<string, string>) => {
    const { username } = await createMember();
    const { cookie } = await signIn(app, { username, password });
    const headers = { ...given, ...(given.origin === 'same' && { origin: app.url }), cookie };
    for (const [method, path] of [
      ['PATCH', '/api/v1/me'],
      ['DELETE', '/app/session'],
    ] as const) {
      expect(await app.call(method, path, { ...rename, headers })).toMatchObject(failure(403, 'E_FORBIDDEN'));
    }
    expect((await app.call('GET', '/api/v1/me', { headers })).body.data.display_name).toBe(username);
  });

  test.each([
    ['Origin', () => ({ origin: app.url })],
    ['Sec-Fetch-Site: same-origin', () => ({ 'sec-fetch-site': 'same-origin' })],
    ['Sec-Fetch-Site: none', () => ({ 'sec-fetch-site': 'none' })],
  ])('from this site, according to %s, is allowed', async (_case, given) => {
    const { username } = await createMember();
    const { cookie } = await signIn(app, { username, password });
    expect(
      (await app.call('PATCH', '/api/v1/me', { ...rename, headers: { ...given(), cookie } })).status,
    ).toBe(200);
  });

  test('is compared with the origin that the browser sees, behind a trusted proxy', async () => {
    const { username } = await createMember();
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'nexus.example' };
    const { cookie } = await signIn(app, { username, password }, forwarded);
    const proxied = { cookie, ...forwarded };
    const from = (origin: string) =>
      app.call('PATCH', '/api/v1/me', { ...rename, headers: { ...proxied, origin } });
    expect((await from('https://nexus.example')).status).toBe(200);
    expect((await from('http://nexus.example')).status).toBe(403);
  });

  test('with a key is not checked', async () => {
    const { key } = await createPerson(app);
    const headers = { origin: 'https://elsewhere.example' };
    expect((await app.call('PATCH', '/api/v1/me', { ...rename, key, headers })).status).toBe(200);
  });

  test('to sign in from another site is refused', async () => {
    const { username } = await createMember();
    const headers = { origin: 'https://evil.example' };
    const answer = await app.call('POST', '/app/session', { body: { username, password }, headers });
    expect(answer).toMatchObject(failure(403, 'E_FORBIDDEN'));
  });
});

test('forwarding headers are ignored without a trusted proxy', async () => {
  const { username } = await createMember();
  const direct = await app.another({}).httpServer({ migrations: [] });
  const url = await direct.server.listen({ host: '127.0.0.1', port: 0 });
  try {
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '198.51.100.7' };
    const answer = await call(url, 'POST', '/app/session', { body: { username, password }, headers });
    expect(cookieOf(answer).flags).not.toContain('Secure');
    expect(await lastAudit()).toMatchObject({ details: { address: '127.0.0.1' } });
  } finally {
    await direct.server.close();
  }
});

test('signing in with the old password while it is being changed fails', async () => {
  const { username, user } = await createMember();
  const [one, two] = database.twoConnections();
  const changing = holdBeforeCommit(one);
  const principal = await app.services.authentication.withSession(
    (await signIn(app, { username, password })).token,
  );
  const profile = createProfile({ sql: changing.sql, users: app.services.users });
  const changed = profile.changePassword(
    principal,
    { new_password: 'a new password', current_password: password },
    { name: username },
  );
  await changing.reached;
  const sessions = createSessions({ sql: two, ...app.services, refusals: createRefusals({ sql: two }) });
  const signedIn = sessions.signIn({ username, password }, undefined, { requestId: 'x', address: '::1' });
  expect(await blockedOrDone(database.sql, signedIn)).toBe('blocked');
  changing.letGo();
  await changed;
  await expect(signedIn).rejects.toMatchObject({ code: 'E_UNAUTHENTICATED' });
  const left = await database.sql`select id from sessions where user_id = ${user.id}`;
  expect(left.map(({ id }) => id)).toEqual([principal.session_id]);
});
