/**
 * Checks hundreds of passwords, which is slow on purpose.
 *
 * @module-tag slow
 */
import { describe, expect, test } from 'vitest';
import { createPerson, DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { setPassword, signIn } from '../../../test/support/browser-session.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { recordRepeatedAudit } from '../../platform/audit/audit.ts';
import { DUMMY_HASH, hashPassword, isPassword } from './passwords.ts';
import { createRefusals } from './refusals.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database, { NEXUS_TRUSTED_PROXIES: '127.0.0.1' });
const password = 'correct horse battery';
const from = (address: string) => ({ 'x-forwarded-for': address });
const rateLimited = failure(429, 'E_RATE_LIMITED');

async function createMember() {
  const person = await createPerson(app);
  await setPassword(app, person.user, password);
  return { ...person, username: person.user.username };
}

const guess = (username: string, address: string, given = 'a wrong guess') =>
  app.call('POST', '/app/session', { body: { username, password: given }, headers: from(address) });

/** Runs 20 at a time, so that none is refused because too many passwords are being checked. */
async function inBatches<T>(count: number, work: (number: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let start = 0; start < count; start += 20) {
    const numbers = Array.from({ length: Math.min(20, count - start) }, (_, index) => start + index);
    results.push(...(await Promise.all(numbers.map(work))));
  }
  return results;
}

/** Expects ten allowed guesses. The limit refills every 30 seconds, so a slow machine may allow two more. */
function expectTen(answers: { status: number }[]): void {
  expect(counted(answers, 401)).toBeGreaterThanOrEqual(10);
  expect(counted(answers, 401)).toBeLessThanOrEqual(12);
  expect(counted(answers, 401) + counted(answers, 429)).toBe(answers.length);
}

const counted = (answers: { status: number }[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

describe('guessing passwords', () => {
  test('all addresses of one IPv6 network share a limit', async () => {
    const { username } = await createMember();
    const answers = await inBatches(20, (number) => guess(username, `2001:db8:1:1::${number.toString(16)}`));
    expectTen(answers);
    expect((await guess(username, '2001:db8:1:1:ffff::1', password)).status).toBe(429);
    expect((await guess(username, '2001:db8:1:2::1', password)).status).toBe(200);
  });

  test('an IPv4 address and its IPv6-mapped form share a limit', async () => {
    const { username } = await createMember();
    const answers = await inBatches(20, (number) =>
      guess(username, number % 2 ? '198.51.100.7' : '::ffff:198.51.100.7'),
    );
    expectTen(answers);
  });

  test('a person has a limit of a hundred guesses over all networks; sessions, keys and links still work', async () => {
    const { username, user, key } = await createMember();
    const open = await signIn(app, { username, password }, from('198.51.101.1'));
    const answers = await inBatches(120, (number) => guess(username, `198.51.102.${number}`));
    // The limit refills by one every 20 seconds while this test runs.
    expect(counted(answers, 401)).toBeGreaterThanOrEqual(100);
    expect(counted(answers, 429)).toBeGreaterThan(0);
    expect(counted(answers, 401) + counted(answers, 429)).toBe(120);
    await sql`update rate_limit_buckets set tokens = 0, refilled_at = now() where name = ${`sign_in_of:${username}`}`;
    const limited = await guess(username, '198.51.103.1', password);
    expect(limited).toMatchObject(rateLimited);
    expect(Number(limited.headers.get('retry-after'))).toBeLessThanOrEqual(20);

    expect((await open.call('GET', '/api/v1/me')).status).toBe(200);
    expect((await app.call('GET', '/api/v1/me', { key })).status).toBe(200);
    const { path } = await app.services.signInLinks.create(user, { name: 'test' });
    await signIn(app, { sign_in_token: path.replace('/app/welcome#', '') }, from('198.51.103.2'));
    await signIn(app, { api_key: key }, from('198.51.103.3'));
    await sql`update rate_limit_buckets set refilled_at = refilled_at - interval '21 seconds'`;
    expect((await guess(username, '198.51.103.1', password)).status).toBe(200);
  });

  test('guesses that the limit of their network refuses do not count against the person', async () => {
    const { username } = await createMember();
    await inBatches(60, () => guess(username, '198.51.104.1'));
    const [bucket] =
      await sql`select tokens from rate_limit_buckets where name = ${`sign_in_of:${username}`}`;
    expect(bucket?.tokens).toBeGreaterThanOrEqual(88);
  });

  test('repeated sign-ins with the right password do not use up the limit', async () => {
    const { username } = await createMember();
    for (let turn = 0; turn < 30; turn++)
      expect((await guess(username, '198.51.105.1', password)).status).toBe(200);
    const [bucket] =
      await sql`select tokens from rate_limit_buckets where name = ${`sign_in_of:${username}`}`;
    expect(bucket?.tokens).toBeGreaterThanOrEqual(99);
  });

  test('two passwords are checked in parallel, thirty wait, and the rest get 429', async () => {
    const results = await Promise.allSettled(Array.from({ length: 40 }, () => isPassword(password, null)));
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(8);
    expect(refused[0]).toMatchObject({ reason: { code: 'E_RATE_LIMITED', retryAfterSeconds: 2 } });
    expect(await isPassword(password, null)).toBe(false);
  });

  test('checking a password of an unknown user has the same cost', async () => {
    const cost = (hash: string) => hash.split('$').slice(0, 4);
    expect(cost(DUMMY_HASH)).toEqual(cost(await hashPassword(password)));
  });
});

describe('invalid keys and tokens', () => {
  const whoami = (key: string, address: string) =>
    app.call('GET', '/api/v1/auth/whoami', { key, headers: from(address) });
  const entries = async (address: string) => {
    const rows = await sql<{ count: number }[]>`
      select (details ->> 'count')::int as count
      from audit_logs
      where action = 'auth.failed' and details ->> 'address' = ${address}`;
    return rows.map(({ count }) => count);
  };

  test('are limited per network, and audited once per minute with their count', async () => {
    const address = '198.51.106.1';
    const answers = await inBatches(340, (number) => whoami(`nxs_wrong-${number}`, address));
    expect(counted(answers, 401)).toBeGreaterThanOrEqual(300);
    expect(counted(answers, 429)).toBeGreaterThan(0);
    const limited = answers.find(({ status }) => status === 429);
    expect(limited).toMatchObject(rateLimited);
    expect(Number(limited?.headers.get('retry-after'))).toBeGreaterThan(0);
    const counts = await entries(address);
    expect(counts.length).toBeLessThanOrEqual(4);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(counted(answers, 401));
  });

  test('never limit valid ones of the same network', async () => {
    const address = '2001:db8:2:1::1';
    const { key } = await createPerson(app);
    const tokens = (await app.call('POST', '/api/v1/auth/token', { key })).body.data;
    await inBatches(310, (number) => whoami(`nxs_wrong-${number}`, `2001:db8:2:1::${number.toString(16)}`));
    const post = (path: string, body: object) => app.call('POST', path, { body, headers: from(address) });
    const bad = [
      () => whoami('nxs_wrong', address),
      () => post('/app/session', { api_key: 'nxs_wrong' }),
      () => post('/app/session', { sign_in_token: 'wrong' }),
      () => post('/api/v1/auth/token', { api_key: 'nxs_wrong' }),
      () => post('/api/v1/auth/refresh', { refresh_token: 'nxr_wrong' }),
    ];
    for (const attempt of bad) {
      // The bucket refills while a busy machine takes its time.
      await sql`update rate_limit_buckets set tokens = 0, refilled_at = now() where name like 'refused:%'`;
      expect(await attempt()).toMatchObject(rateLimited);
    }
    expect((await whoami(key, address)).status).toBe(200);
    expect((await post('/app/session', { api_key: key })).status).toBe(200);
    expect((await post('/api/v1/auth/token', { api_key: key })).status).toBe(200);
    expect((await post('/api/v1/auth/refresh', { refresh_token: tokens.refresh_token })).status).toBe(200);
    expect((await whoami('nxs_wrong', '2001:db8:2:2::1')).status).toBe(401);
  });

  test('from many networks do not fill the audit log faster', async () => {
    await sql`truncate audit_logs`;
    const refusals = createRefusals({ sql });
    const record = (number: number) =>
      refusals.record(
        { reason: 'unknown' },
        { requestId: 'x', address: `2001:db8:${number.toString(16)}::1` },
      );
    const started = performance.now();
    await inBatches(1500, record);
    const seconds = (performance.now() - started) / 1000;
    const [row] = await sql<[{ rows: number; count: number }]>`
      select count(*) as rows, sum((details ->> 'count')::int)::int as count from audit_logs`;
    expect(row.count).toBe(1500);
    expect(row.rows).toBeLessThanOrEqual(600 + 5 * seconds + 12 + 3);
    expect(await entries('several')).not.toEqual([]);
  });

  test('are counted exactly when two processes write in parallel', async () => {
    const [one, two] = database.twoConnections();
    const entry = { action: 'test.repeated', actor: { name: 'unknown' }, details: { reason: 'x' } };
    await Promise.all(
      Array.from({ length: 60 }, (_, number) =>
        recordRepeatedAudit(number % 2 ? one : two, entry, ['198.51.107.1']),
      ),
    );
    const rows = await sql<{ count: number }[]>`
      select (details ->> 'count')::int as count from audit_logs where action = 'test.repeated'`;
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(60);
    expect(rows.length).toBeLessThanOrEqual(2);
  });

  test('of different kinds and owners have separate audit entries', async () => {
    await sql`truncate audit_logs`;
    const address = '198.51.108.1';
    const { key, apiKey } = await createPerson(app);
    await app.call('POST', `/api/v1/api-keys/${apiKey.id}/disable`, { key: DEV_KEYS.admin });
    for (let turn = 0; turn < 3; turn++) {
      await whoami('nxs_wrong', address);
      await whoami(key, address);
      await app.call('POST', '/app/session', { body: { api_key: key }, headers: from(address) });
    }
    const rows = await sql<{ kind: string; count: number }[]>`
      select concat_ws(' ', actor, details ->> 'reason', details ->> 'by') as kind,
        sum((details ->> 'count')::int)::int as count
      from audit_logs where action = 'auth.failed' group by 1 order by 1`;
    const owner = apiKey.owner;
    expect([...rows]).toEqual([
      { kind: `${owner} disabled`, count: 3 },
      { kind: `${owner} disabled sign_in`, count: 3 },
      { kind: 'unknown unknown', count: 3 },
    ]);
  });
});
