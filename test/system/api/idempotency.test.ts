import { describe, expect, test, vi } from 'vitest';
import {
  createIdempotentRequests,
  deleteOldRequests,
} from '../../../src/platform/idempotency/idempotent-requests.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createPerson, DEV_KEYS, failure, useApp } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';
import { createReader } from '../../support/libraries.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });

async function librariesNamed(name: string): Promise<number> {
  const rows = await sql`select from libraries where name = ${name}`;
  return rows.length;
}

describe('a request with an Idempotency-Key', () => {
  test('is carried out once, and answered the same again', async () => {
    const { key } = await createPerson(app);
    const create = () =>
      app.call('POST', '/api/v1/libraries', { key, body: { name: 'Once' }, ...withKey('first') });
    const first = await create();
    const second = await create();
    expect(first.status).toBe(201);
    expect(second).toMatchObject({ status: 201, body: first.body });
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect([first, second].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    expect(await librariesNamed('Once')).toBe(1);
  });

  test('is the same under the path of the API and its former path', async () => {
    const { key } = await createPerson(app);
    const at = (path: string) =>
      app.call('POST', path, { key, body: { name: 'Paths' }, ...withKey('paths') });
    const first = await at('/api/v1/libraries');
    expect((await at('/libraries')).body).toEqual(first.body);
    expect(await librariesNamed('Paths')).toBe(1);
  });

  test.each([
    ['another body', '/api/v1/libraries', { name: 'Other' }],
    ['another route', '/api/v1/media', { url: 'https://example.org/' }],
  ])('is refused with %s', async (_case, path, body) => {
    const { key } = await createPerson(app);
    const used = withKey('taken');
    await app.call('POST', '/api/v1/libraries', { key, body: { name: 'Mine' }, ...used });
    expect(await app.call('POST', path, { key, body, ...used })).toMatchObject(
      failure(409, 'E_IDEMPOTENCY_CONFLICT'),
    );
    expect(await librariesNamed('Other')).toBe(0);
  });

  test('belongs to its caller: another person with the same key gets their own answer', async () => {
    const [ana, ben] = [await createPerson(app), await createPerson(app)];
    const create = (key: string) =>
      app.call('POST', '/api/v1/libraries', { key, body: { name: 'Shared key' }, ...withKey('same') });
    const answers = [await create(ana.key), await create(ben.key)];
    expect(answers.map(({ body }) => body.data.owner_user_id)).toEqual([ana.user.id, ben.user.id]);
    expect(await librariesNamed('Shared key')).toBe(2);
  });

  test('of which many arrive at once, is carried out once', async () => {
    const { key } = await createPerson(app);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        app.call('POST', '/api/v1/libraries', { key, body: { name: 'At once' }, ...withKey('race') }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    expect(await librariesNamed('At once')).toBe(1);
  });

  test('for a job that runs inline, of which many arrive at once, runs one job', async () => {
    const body = { job_type: 'integrity_audit', execution_mode: 'sync' };
    const request = { key: DEV_KEYS.admin, body, ...withKey('one-audit') };
    await Promise.all(Array.from({ length: 5 }, () => app.call('POST', '/api/v1/jobs/submit', request)));
    expect(await sql`select from jobs where job_type = 'integrity_audit'`).toHaveLength(1);
  });

  test('for a webhook, of which many arrive at once, tests it and rotates its secret once', async () => {
    const key = DEV_KEYS.admin;
    const { body } = await app.call('POST', '/api/v1/webhooks', {
      key,
      body: { url: 'https://example.org/' },
    });
    const path = `/api/v1/webhooks/${body.data.id}`;
    for (const action of ['test', 'rotate-secret']) {
      const ask = () => app.call('POST', `${path}/${action}`, { key, ...withKey(`once-${action}`) });
      const answers = await Promise.all(Array.from({ length: 5 }, ask));
      expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    }
    const [made] = await sql`
      select
        (select count(*) from webhook_deliveries where event_type = 'webhook.test') as tests,
        (select count(*) from webhook_secrets) as secrets`;
    expect(made).toEqual({ tests: 1, secrets: 2 });
  });

  test('that failed is not remembered, and may be sent again', async () => {
    const { key } = await createPerson(app);
    const send = (name: string) =>
      app.call('POST', '/api/v1/libraries', { key, body: { name }, ...withKey('again') });
    expect(await send('')).toMatchObject(failure(400, 'E_NAME_INVALID'));
    expect((await send('Right')).status).toBe(201);
  });

  test.each(['', ' ', 'a b', 'ü', 'x'.repeat(256)])('with the key %j is refused', async (given) => {
    const answer = await app.call('POST', '/api/v1/libraries', {
      key: DEV_KEYS.viewer,
      body: { name: 'Never' },
      headers: { 'idempotency-key': Buffer.from(given).toString('latin1') },
    });
    expect(answer).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    expect(answer.body.error.details.fields[0].path).toBe('Idempotency-Key');
  });

  test('gets a new secret again, which the database does not contain', async () => {
    const { key } = await createPerson(app);
    const create = () =>
      app.call('POST', '/api/v1/me/api-keys', {
        key,
        body: { name: 'Phone', scopes: ['read'] },
        ...withKey('6f1f4b1e-5a0e-4d0e-9d1c-2f6a8c1b7e42'),
      });
    const [first, second] = [await create(), await create()];
    expect(second.body.data.key).toBe(first.body.data.key);
    const stored = await sql<{ answer: Buffer; key_hash: Buffer }[]>`
      select answer, key_hash from idempotent_requests where answer is not null`;
    for (const { answer, key_hash } of stored) {
      expect(answer.includes(first.body.data.key)).toBe(false);
      expect(key_hash.includes('6f1f4b1e')).toBe(false);
    }
  });

  test('whose answer was lost in a crash is not carried out again', { tags: 'slow' }, async () => {
    const { key, user } = await createPerson(app);
    const send = () =>
      app.call('POST', '/api/v1/libraries', { key, body: { name: 'Lost answer' }, ...withKey('lost') });
    expect((await send()).status).toBe(201);
    // As after a crash between the commit and the answer.
    await sql`update idempotent_requests set answer = null where user_id = ${user.id}`;
    expect(await send()).toMatchObject(failure(409, 'E_IDEMPOTENCY_CONFLICT'));
    expect(await librariesNamed('Lost answer')).toBe(1);
  });

  test('waits for the answer of an equal request that has just committed', async () => {
    const { key, user } = await createPerson(app);
    const send = () =>
      app.call('POST', '/api/v1/libraries', { key, body: { name: 'Slow answer' }, ...withKey('slow') });
    const first = await send();
    const [row] = await sql<{ answer: Buffer }[]>`
      update idempotent_requests set answer = null where user_id = ${user.id} returning answer`;
    expect(row?.answer).toBeNull();
    const requests = createIdempotentRequests({ sql });
    const second = send();
    await sql`update idempotent_requests set answer = null where user_id = ${user.id}`;
    const [claimed] = await sql<[{ at: string }]>`
      select extract(epoch from created_at)::text as at from idempotent_requests where user_id = ${user.id}`;
    await requests.storeAnswer(
      { userId: user.id, key: 'slow' },
      {
        claimedAt: claimed.at,
        status: 201,
        headers: { location: first.headers.get('location') ?? '' },
        body: JSON.stringify({ id: first.body.data.id }),
        apiKeyId: null,
        role: 'viewer',
      },
    );
    expect(await second).toMatchObject({ status: 201, body: first.body });
  });

  test('keeps its answer when an equal request, whose claim was rolled back, is refused later', async () => {
    const { key, user } = await createPerson(app);
    const send = () =>
      app.call('POST', '/api/v1/libraries', { key, body: { name: 'Kept' }, ...withKey('kept') });
    const first = await send();
    const refusal = { status: 403, headers: {}, body: '{}', apiKeyId: null, role: 'viewer', claimedAt: '0' };
    await createIdempotentRequests({ sql }).storeAnswer({ userId: user.id, key: 'kept' }, refusal);
    expect(await send()).toMatchObject({ status: 201, body: first.body });
  });

  test('is forgotten after a day', async () => {
    const { key, user } = await createPerson(app);
    const send = () =>
      app.call('POST', '/api/v1/libraries', { key, body: { name: 'Next day' }, ...withKey('daily') });
    await send();
    await sql`
      update idempotent_requests set created_at = now() - interval '25 hours' where user_id = ${user.id}`;
    expect(await deleteOldRequests(sql)).toBe(1);
    await send();
    expect(await librariesNamed('Next day')).toBe(2);
  });
});

describe('a second DELETE', () => {
  test('by the same person answers 204, and 404 to everybody else', async () => {
    const [owner, stranger] = [await createReader(app), await createReader(app)];
    const { body } = await owner.post('/api/v1/libraries', { name: 'Doomed' });
    const path = `/api/v1/libraries/${body.data.id}`;
    const refused = failure(404, 'E_LIBRARY_NOT_FOUND');
    expect(await stranger.delete(path)).toMatchObject(refused);
    const statuses = [await owner.delete(path), await owner.delete(path), await owner.delete(path)];
    expect(statuses.map(({ status, body: text }) => [status, text])).toEqual([
      [204, ''],
      [204, ''],
      [204, ''],
    ]);
    expect(await stranger.delete(path)).toMatchObject(refused);
    expect(await owner.get(path)).toMatchObject(refused);
  });

  test('whose first answer cannot be looked up is 503 in the format of the API', async () => {
    const { key } = await createPerson(app);
    const locker = await sql.connect();
    await locker.query('begin; lock table idempotent_requests');
    const deleted = app.call('DELETE', `/api/v1/libraries/${newId()}`, { key });
    await vi.waitFor(async () => {
      const ended = await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database() and query like '%idempotent_requests%'`;
      expect(ended).toHaveLength(1);
    }, 10_000);
    await locker.query('rollback');
    locker.release();
    expect(await deleted).toMatchObject(failure(503, 'E_UNAVAILABLE'));
  });
});
