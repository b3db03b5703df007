import { afterEach, describe, expect, test } from 'vitest';
import type { Worker } from '../../../src/platform/jobs/worker.ts';
import { createPerson, DEV_KEYS, failure, useApp } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';

const database = useDatabase();
const app = useApp(database);

const submit = (key: string, body: object) => app.call('POST', '/api/v1/jobs/submit', { key, body });
const read = (id: string, key: string) => app.call('GET', `/api/v1/jobs/${id}`, { key });
const importOf = (url: string, more: object = {}) => ({
  job_type: 'ingest_batch',
  payload: { urls: [url] },
  ...more,
});

const workers: Worker[] = [];
afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.stop())));

async function runOneJob(): Promise<void> {
  const worker = await app.engine.work({
    concurrency: 1,
    pollSeconds: 60,
    graceSeconds: 5,
    maxJobs: 1,
    queues: ['ingest'],
  });
  workers.push(worker);
  await worker.stopped;
}

describe('an idempotency key', () => {
  test('of one person is not that of another: each gets a job of their own', async () => {
    const [ana, ben] = [await createPerson(app), await createPerson(app)];
    const first = await submit(ana.key, importOf('https://a.example/', { idempotency_key: 'monday' }));
    const second = await submit(ben.key, importOf('https://b.example/', { idempotency_key: 'monday' }));
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body.job_id).not.toBe(first.body.job_id);
    expect((await read(second.body.job_id, ben.key)).body.payload.urls).toEqual(['https://b.example/']);
  });

  test('with the same payload answers with the job that exists, whatever its priority', async () => {
    const { key } = await createPerson(app);
    const body = importOf('https://a.example/', { idempotency_key: 'again' });
    const first = await submit(key, body);
    const again = await submit(key, { ...body, priority: 9, max_attempts: 5 });
    expect(again.body).toEqual(first.body);
  });

  test.each([
    ['another payload', importOf('https://other.example/')],
    ['another execution mode', importOf('https://a.example/', { execution_mode: 'sync' })],
  ])('with %s is 409 and queues nothing', async (_case, other) => {
    const { key, user } = await createPerson(app);
    await submit(key, importOf('https://a.example/', { idempotency_key: 'one' }));
    const answer = await submit(key, { ...other, idempotency_key: 'one' });
    expect(answer).toMatchObject(failure(409, 'E_IDEMPOTENCY_CONFLICT'));
    const jobs = await database.sql`select from jobs where created_by = ${user.username}`;
    expect(jobs).toHaveLength(1);
  });

  test('submitted fifty times at once makes one job', async () => {
    const { key } = await createPerson(app);
    const body = importOf('https://a.example/', { idempotency_key: 'rush' });
    const answers = await Promise.all(Array.from({ length: 50 }, () => submit(key, body)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body: { job_id } }) => job_id)).size).toBe(1);
  });

  test('submitted at once by many people makes one job for each', async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => createPerson(app)));
    const body = importOf('https://a.example/', { idempotency_key: 'together' });
    const answers = await Promise.all(people.flatMap(({ key }) => [submit(key, body), submit(key, body)]));
    expect(new Set(answers.map(({ body: { job_id } }) => job_id)).size).toBe(people.length);
  });
});

describe('a job belongs to a person, not to a username', () => {
  /** The first person submits a job and is renamed; the second takes the name. */
  async function takeName(body: object) {
    const [ana, ben] = [await createPerson(app), await createPerson(app)];
    const { job_id } = (await submit(ana.key, body)).body;
    const rename = (key: string, username: string) =>
      app.call('PATCH', '/api/v1/me', { key, body: { username } });
    expect((await rename(ana.key, `${ana.user.username}-renamed`)).status).toBe(200);
    // Nexus reserves former usernames; a restored or edited database may not.
    expect((await rename(ben.key, ana.user.username)).status).toBe(409);
    await database.sql`update users set username = ${ana.user.username} where id = ${ben.user.id}`;
    return { ana, ben, job_id };
  }

  test('a person who takes the username does not see it; its owner still does', async () => {
    const { ana, ben, job_id } = await takeName(importOf('https://canary.example/'));
    expect((await read(job_id, ana.key)).body.payload).toEqual({ urls: ['https://canary.example/'] });
    expect(JSON.stringify((await read(job_id, ben.key)).body)).not.toContain('canary');
  });

  test('a queued job runs with the rights of its owner', async () => {
    const { ana, ben, job_id } = await takeName(importOf('https://renamed.example/page'));
    await database.sql`update job_queue set due_at = now() - interval '1 day' where job_id = ${job_id}`;
    await runOneJob();
    expect((await read(job_id, DEV_KEYS.admin)).body).toMatchObject({ status: 'succeeded' });
    const saved = async (key: string) => (await app.call('GET', '/media', { key })).body.data.length;
    expect([await saved(ana.key), await saved(ben.key)]).toEqual([1, 0]);
  });

  test('its events reach only its owner', async () => {
    const { ana, ben, job_id } = await takeName(importOf('https://cancelled.example/'));
    await app.call('POST', `/api/v1/jobs/${job_id}/cancel`, { key: DEV_KEYS.admin });
    const heard = async (key: string) => {
      const { body } = await app.call('GET', '/api/v1/events?limit=200', { key });
      return body.data.map((event: { type: string }) => event.type);
    };
    // The feed shows an event once no older transaction is open on the server.
    await expect.poll(() => heard(ana.key), { timeout: 100_000 }).toEqual(['job.cancelled']);
    expect(await heard(ben.key)).toEqual([]);
  });
});
