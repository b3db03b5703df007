import { decodeJwt, decodeProtectedHeader, SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { createPerson, DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { browserWith, setPassword } from '../../../test/support/browser-session.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { blockedOrDone, holdBeforeCommit } from '../../../test/support/races.ts';
import { createRefusals } from './refusals.ts';
import { createAccessTokens, createTokens } from './tokens.ts';

const database = useDatabase();
const SECRET = 'a secret of the tests'.replaceAll(' ', '-');
const app = useApp(database, { NEXUS_TOKEN_SECRET: SECRET, NEXUS_RAW_MODE_ENABLED: 'true' });
const key = new TextEncoder().encode(SECRET);
const unauthenticated = failure(401, 'E_UNAUTHENTICATED');

const post = (path: string, body: unknown) => app.call('POST', `/api/v1/auth/${path}`, { body });
const tokensOf = async (body: unknown) => (await post('token', body)).body.data;
const refresh = (refresh_token: string) => post('refresh', { refresh_token });
const whoami = (token: string) =>
  app.call('GET', '/api/v1/auth/whoami', { headers: { authorization: `Bearer ${token}` } });

describe('an access token', () => {
  test('is issued for a key, and authenticates its user for 15 minutes', async () => {
    const person = await createPerson(app, { role: 'researcher', raw: true });
    const { status, body } = await post('token', { api_key: person.key });
    expect(status).toBe(200);
    expect(body).toEqual({
      data: {
        access_token: expect.stringMatching(/^eyJ/),
        token_type: 'Bearer',
        expires_in: 900,
        refresh_token: expect.stringMatching(/^nxr_[\w-]{43}$/),
      },
    });
    const { access_token } = body.data;
    const claims = decodeJwt(access_token);
    expect(claims).toMatchObject({ sub: person.user.id, role: 'researcher', modes: ['PUBLIC', 'RAW'] });
    expect(claims.jti).toMatch(/-/);
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(900);
    expect(decodeProtectedHeader(access_token)).toEqual({ alg: 'HS256', typ: 'at+jwt' });
    expect((await whoami(access_token)).body).toEqual({
      api_key_id: person.apiKey.id,
      owner: person.user.username,
      role: 'researcher',
      raw_mode_enabled: true,
      scopes: null,
      allowed_modes: ['PUBLIC', 'RAW'],
      user_id: person.user.id,
      default_library_id: person.user.default_library_id,
    });
  });

  test('is issued for a key in the header, and for username and password', async () => {
    const byHeader = await app.call('POST', '/api/v1/auth/token', { key: DEV_KEYS.viewer });
    expect((await whoami(byHeader.body.data.access_token)).body.owner).toBe('dev-viewer');
    const { user } = await createPerson(app);
    const password = 'a long password';
    await setPassword(app, user, password);
    const { access_token } = await tokensOf({ username: user.username, password });
    expect((await whoami(access_token)).body).toMatchObject({ api_key_id: null, owner: user.username });
    for (const body of [{ username: user.username, password: 'wrong' }, { api_key: 'nxs_unknown' }])
      expect(await post('token', body)).toMatchObject(unauthenticated);
    expect(await app.call('POST', '/api/v1/auth/token')).toMatchObject(unauthenticated);
    for (const body of [{}, { username: 'a' }, { sign_in_token: 'x' }, []])
      expect(await post('token', body)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test('is rate limited like signing in', async () => {
    const { user } = await createPerson(app);
    const guess = () => post('token', { username: user.username, password: 'a guess' });
    const answers = await Promise.all(Array.from({ length: 12 }, guess));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
  });

  test('that was altered, signed by somebody else, or has expired is refused', async () => {
    const { access_token } = await tokensOf({ api_key: DEV_KEYS.viewer });
    const { sid, sub } = decodeJwt(access_token);
    const [header, payload, signature] = access_token.split('.');
    const made = (
      claims: object,
      { secret = key, typ = 'at+jwt', alg = 'HS256', at = 0, issuer = 'nexus' } = {},
    ) =>
      new SignJWT({ sid, ...claims })
        .setProtectedHeader({ alg, typ })
        .setSubject(sub ?? '')
        .setJti('x')
        .setIssuer(issuer)
        .setIssuedAt(Math.floor(Date.now() / 1000) + at)
        .setExpirationTime(Math.floor(Date.now() / 1000) + at + 900)
        .sign(secret);
    expect((await whoami(await made({}))).status).toBe(200);
    const worthless = [
      `${header}.${payload}.${signature?.replace(/^./, (first: string) => (first === 'A' ? 'B' : 'A'))}`,
      `${header}.${Buffer.from(JSON.stringify({ ...decodeJwt(access_token), role: 'admin' })).toString('base64url')}.${signature}`,
      await made({}, { secret: new TextEncoder().encode('somebody else’s secret') }),
      await made({}, { typ: 'JWT' }),
      await made({}, { issuer: 'elsewhere' }),
      await made({}, { at: -901 }),
      await made({ sid: 42 }),
      await made({ sid: undefined }),
      await made({}, { alg: 'HS512', secret: new TextEncoder().encode(SECRET.repeat(4)) }),
      `${new UnsecuredJWT({ sid, role: 'admin' })
        .setIssuer('nexus')
        .setSubject(sub ?? '')
        .encode()}x`,
      'eyJ.e.x',
    ];
    for (const token of worthless) expect(await whoami(token), token).toMatchObject(unauthenticated);
  });

  test('has the current role, and ends with the key, the user and the session', async () => {
    const { user, key: apiKey, apiKey: row } = await createPerson(app, { role: 'admin' });
    const tokens = await tokensOf({ api_key: apiKey });
    const actor = { name: 'test' };
    await app.services.users.update(user.id, { role: 'viewer' }, actor);
    expect((await whoami(tokens.access_token)).body.role).toBe('viewer');
    await app.services.users.update(user.id, { is_enabled: false }, actor);
    expect(await whoami(tokens.access_token)).toMatchObject(unauthenticated);
    expect(await refresh(tokens.refresh_token)).toMatchObject(unauthenticated);
    await app.services.users.update(user.id, { is_enabled: true }, actor);
    expect((await whoami(tokens.access_token)).status).toBe(200);
    await app.services.apiKeys.disable(row.id, actor);
    expect(await whoami(tokens.access_token)).toMatchObject(unauthenticated);
    expect(await refresh(tokens.refresh_token)).toMatchObject(unauthenticated);
  });

  test('is not accepted as a cookie, and needs no origin check', async () => {
    const { access_token, refresh_token } = await tokensOf({ api_key: DEV_KEYS.viewer });
    for (const token of [access_token, refresh_token])
      expect(await browserWith(app, token).call('GET', '/api/v1/me')).toMatchObject(unauthenticated);
    const headers = { authorization: `Bearer ${access_token}`, origin: 'https://elsewhere.example' };
    const body = { display_name: 'dev-viewer' };
    expect((await app.call('PATCH', '/api/v1/me', { headers, body })).status).toBe(200);
    expect(await whoami(refresh_token)).toMatchObject(unauthenticated);
  });
});

describe('a refresh token', () => {
  test('can be used once, and returns the next one', async () => {
    const first = await tokensOf({ api_key: DEV_KEYS.viewer });
    const second = (await refresh(first.refresh_token)).body.data;
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect((await whoami(second.access_token)).status).toBe(200);
    const third = (await refresh(second.refresh_token)).body.data;
    expect((await whoami(third.access_token)).status).toBe(200);
  });

  test('that is used again ends its family, and no other', async () => {
    const other = await tokensOf({ api_key: DEV_KEYS.viewer });
    const first = await tokensOf({ api_key: DEV_KEYS.viewer });
    const second = (await refresh(first.refresh_token)).body.data;
    expect(await refresh(first.refresh_token)).toMatchObject(unauthenticated);
    expect(await refresh(second.refresh_token)).toMatchObject(unauthenticated);
    for (const { access_token } of [first, second])
      expect(await whoami(access_token)).toMatchObject(unauthenticated);
    expect((await whoami(other.access_token)).status).toBe(200);
    const [audited] = await database.sql`
      select actor, details from audit_logs where action = 'auth.refresh_token_reused' order by id desc limit 1`;
    expect(audited).toMatchObject({ actor: 'dev-viewer', details: { address: '127.0.0.1' } });
  });

  test('succeeds for exactly one of two parallel requests', async () => {
    const given = await tokensOf({ api_key: DEV_KEYS.viewer });
    const [one, two] = database.twoConnections();
    const held = holdBeforeCommit(one);
    const { authentication, sessions } = app.services;
    const caller = { requestId: 'x', address: '::1' };
    const accessTokens = createAccessTokens(async () => key);
    const come = (sql: typeof one) =>
      createTokens({
        sql,
        accessTokens,
        authentication,
        sessions,
        refusals: createRefusals({ sql }),
      }).refresh(given.refresh_token, caller);
    const winner = come(held.sql);
    await held.reached;
    const loser = come(two);
    expect(await blockedOrDone(database.sql, loser)).toBe('blocked');
    held.letGo();
    await expect(loser).rejects.toMatchObject({ code: 'E_UNAUTHENTICATED' });
    // The winner's tokens stay valid: two windows of one program may refresh in parallel.
    const next = await winner;
    expect((await whoami(next.access_token)).status).toBe(200);
    expect((await refresh(next.refresh_token)).status).toBe(200);
  });

  test('succeeds for exactly one of many parallel requests', async () => {
    const { refresh_token } = await tokensOf({ api_key: DEV_KEYS.viewer });
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(refresh_token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('ends with its session, whatever ends the session', async () => {
    const { user, key: apiKey } = await createPerson(app);
    const idle = await tokensOf({ api_key: apiKey });
    await database.sql`
      update sessions set last_used_at = now() - interval '31 days' where user_id = ${user.id}`;
    expect(await refresh(idle.refresh_token)).toMatchObject(unauthenticated);
    const changed = await tokensOf({ api_key: apiKey });
    await setPassword(app, user, 'a new password');
    expect(await refresh(changed.refresh_token)).toMatchObject(unauthenticated);
    expect(await whoami(changed.access_token)).toMatchObject(unauthenticated);
  });

  test('is revoked at logout, also a spent one, together with the access token', async () => {
    const first = await tokensOf({ api_key: DEV_KEYS.viewer });
    const second = (await refresh(first.refresh_token)).body.data;
    expect((await post('logout', { refresh_token: first.refresh_token })).status).toBe(204);
    expect(await whoami(second.access_token)).toMatchObject(unauthenticated);
    expect(await refresh(second.refresh_token)).toMatchObject(unauthenticated);
    expect((await post('logout', { refresh_token: 'nxr_unknown' })).status).toBe(204);
    expect(await post('logout', {})).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test('is not stored in plaintext', async () => {
    const { refresh_token } = await tokensOf({ api_key: DEV_KEYS.viewer });
    for (const { row } of await database.sql`select t::text as row from refresh_tokens as t`)
      expect(row).not.toContain(refresh_token);
  });
});

test('without a configured secret, all processes of an installation share a generated one', async () => {
  const { installationSecret } = await import('../../platform/database/installation-secret.ts');
  const [one, two] = database.twoConnections();
  const made = await Promise.all([one, two].map((sql) => installationSecret(sql, 'test')()));
  expect(made[0]).toHaveLength(32);
  expect(made[1]).toEqual(made[0]);
});
