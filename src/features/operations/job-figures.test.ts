import { beforeAll, describe, expect, test } from 'vitest';
import { createPerson, DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { jobType, useJobs } from '../../../test/support/jobs.ts';
import { newId } from '../../platform/ids.ts';
import { PermanentError } from '../../platform/work/retry-policy.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const jobs = useJobs(database);
const key = DEV_KEYS.admin;
const get = (path: string, as = key) => app.call('GET', `/api/v1/jobs${path}`, { key: as });
const ids = (answer: { body: { jobs: { job_id: string }[] } }) => answer.body.jobs.map((job) => job.job_id);

const fetching = jobType(
  'fetching',
  async ({ error }) => {
    throw new PermanentError('E_FETCH', String(error));
  },
  { queue: 'web' },
);
const flaky = jobType('flaky', async () => {
  throw new Error('Not now.');
});
const good = jobType('good', async () => undefined, { queue: 'web' });
const made: Record<string, string> = {};

beforeAll(async () => {
  const doomed = async (name: string, error: string) => {
    made[name] = (await jobs.enqueue(fetching, { error }, { createdBy: { name: 'ana' } })).id;
  };
  await doomed('one', `https://a.example/1 answered 404 (request ${newId()}).`);
  await doomed('two', `https://b.example/2 answered 404 (request ${newId()}).`);
  await doomed('three', `https://a.example/1 answered 503 (request ${newId()}).`);
  await doomed('again', 'It was 100% <odd> _text_.');
  made.retrying = (await jobs.enqueue(flaky)).id;
  made.good = (await jobs.enqueue(good)).id;
  const worker = await jobs.work([fetching, flaky, good], { queues: ['default', 'web'], untilEmpty: true });
  await worker.stopped;
});

describe('a list of jobs', () => {
  test('can be filtered by the text of the last error, ignoring case, and by its code', async () => {
    expect(ids(await get('?error=ANSWERED%20404'))).toEqual([made.two, made.one]);
    expect(ids(await get('?error=100%25%20%3Codd%3E%20_text_'))).toEqual([made.again]);
    expect(ids(await get('?error=1%25'))).toEqual([]);
    expect(ids(await get('?error_code=E_FETCH&error=answered%20503'))).toEqual([made.three]);
    expect(ids(await get('?error=now&status=retry_wait'))).toEqual([made.retrying]);
    expect(ids(await get('?error=now&status=failed'))).toEqual([]);
    expect(ids(await get('?error=now&status=succeeded'))).toEqual([]);
  });

  test('has its jobs under both names', async () => {
    const { body } = await get('?error_code=E_FETCH&limit=2');
    expect(ids({ body })).toEqual([made.again, made.three]);
    expect(body.data).toEqual(body.jobs);
    expect(body.page).toEqual({ next_cursor: expect.any(String), has_more: true });
    const rest = await get(`?error_code=E_FETCH&cursor=${body.page.next_cursor}`);
    expect(ids(rest)).toEqual([made.two, made.one]);
    expect(rest.body.page).toEqual({ next_cursor: null, has_more: false });
  });

  test('shows the error text to admins and not to viewers', async () => {
    const { body } = await get('?error_code=E_FETCH&error=odd');
    expect(body.jobs).toMatchObject([{ error_code: 'E_FETCH', error_text: 'It was 100% <odd> _text_.' }]);
    const { key: outsider } = await createPerson(app, { role: 'viewer' });
    expect(ids(await get('?error=odd', outsider))).toEqual([]);
  });

  test('below admin, neither shows nor searches error texts of other people’s jobs', async () => {
    const { key: viewer, user } = await createPerson(app, { role: 'viewer' });
    const { id } = await jobs.enqueue(fetching, { error: 'Private words.' }, { createdBy: { name: 'ana' } });
    await (await jobs.work([fetching], { queues: ['web'], untilEmpty: true })).stopped;
    await sql`update jobs set job_type = 'integrity_audit' where id = ${id}`;
    const seen = async (query: string) => (await get(`?job_type=integrity_audit${query}`, viewer)).body.jobs;
    expect(await seen('')).toMatchObject([{ job_id: id, status: 'failed', error_text: null }]);
    expect(await seen('&error=private')).toEqual([]);
    await sql`update jobs set created_by_user_id = ${user.id} where id = ${id}`;
    expect(await seen('')).toMatchObject([{ error_text: 'Private words.' }]);
    expect(await seen('&error=private')).toMatchObject([{ job_id: id }]);
    await sql`delete from jobs where id = ${id}`;
    await sql`delete from job_attempts where job_id = ${id}`;
  });

  test.each(['error=', `error=${'x'.repeat(201)}`, 'failure_id=7', 'error=a%00b'])(
    'with %s is 400',
    async (query) => {
      expect(await get(`?${query}`)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    },
  );
});

describe('failures', () => {
  test('are grouped by their text without ids, addresses and long numbers', async () => {
    const { body } = await get('/failures?job_type=fetching');
    expect(body).toMatchObject({ since: expect.any(String), page: { next_cursor: null, has_more: false } });
    expect(body.data).toHaveLength(3);
    expect(body.data[0]).toMatchObject({
      job_type: 'fetching',
      error_code: 'E_FETCH',
      error_text: expect.stringContaining('https://b.example/2 answered 404'),
      failed_count: 2,
      retrying_count: 0,
      sample_job_ids: [made.two, made.one],
    });
    expect(Date.parse(body.data[0].first_seen_at)).toBeLessThanOrEqual(Date.parse(body.data[0].last_seen_at));
  });

  test('have an id that filters the list of jobs', async () => {
    const { body } = await get('/failures?queue=web');
    const [first] = body.data;
    expect(ids(await get(`?job_type=fetching&failure_id=${first.failure_id}&status=failed`))).toEqual([
      made.two,
      made.one,
    ]);
  });

  test('count jobs that will be retried separately', async () => {
    const { body } = await get('/failures?job_type=flaky');
    expect(body.data).toMatchObject([{ failed_count: 0, retrying_count: 1, error_code: null }]);
  });

  test('do not include requeued, cancelled and old jobs', async () => {
    const found = async (query = '') => (await get(`/failures?job_type=fetching${query}`)).body.data;
    await app.call('POST', `/api/v1/jobs/${made.three}/requeue`, { key });
    expect(await found()).toHaveLength(2);
    await app.call('POST', `/api/v1/jobs/${made.three}/cancel`, { key });
    expect(await found()).toHaveLength(2);
    await sql`
      update job_attempts set finished_at = now() - interval '2 hours' where job_id = ${made.again ?? ''}`;
    expect(await found('&minutes=60')).toHaveLength(1);
    expect(await found('&minutes=180')).toHaveLength(2);
  });
});

describe('throughput', () => {
  test('is reported for each queue, in buckets without gaps', async () => {
    await sql`truncate job_attempts`;
    await sql`
      insert into job_attempts (job_id, attempt_number, status, error_text, worker, queue, due_at, started_at,
        finished_at, runtime_ms)
      select gen_random_uuid(), 1, case when n % 10 = 0 then 'failed' else 'succeeded' end,
        case when n % 10 = 0 then 'no' end, 'w', 'web', now() - interval '4 minutes' - n * interval '10 ms',
        now() - interval '4 minutes', now() - interval '3 minutes', n
      from generate_series(1, 100) as n`;
    const { body } = await get('/throughput?minutes=15');
    expect(body.data).toMatchObject({ bucket_seconds: 15 });
    const [web] = body.data.queues;
    expect(web).toMatchObject({
      queue: 'web',
      finished: 100,
      failed: 10,
      wait_p50_ms: 500,
      wait_p95_ms: 950,
      run_p50_ms: 50,
      run_p95_ms: 95,
    });
    expect(web.buckets).toHaveLength(60);
    expect(web.buckets.filter(({ finished }: { finished: number }) => finished > 0)).toMatchObject([
      { finished: 100, failed: 10, run_p95_ms: 95 },
    ]);
    const times = web.buckets.map(({ at }: { at: string }) => Date.parse(at));
    expect(times[0]).toBe(Date.parse(body.data.since));
    expect(new Set(times.map((time: number, n: number) => time - times[0] - n * 15_000))).toEqual(
      new Set([0]),
    );
    expect(Date.parse(body.data.until) - times[59]).toBeLessThan(15_000);
  });

  test('does not include attempts that ended earlier', async () => {
    expect((await get('/throughput?minutes=1')).body.data.queues).toEqual([]);
  });

  test('uses the index on finished_at among many attempts', async () => {
    await sql`
      insert into job_attempts (job_id, attempt_number, status, worker, queue, started_at, finished_at, runtime_ms)
      select gen_random_uuid(), 1, 'succeeded', 'w', 'web', now(), now() - (20000 - n) * interval '1 minute', n
      from generate_series(1, 20000) as n`;
    await sql`vacuum analyze job_attempts`;
    const plan = await sql<{ 'QUERY PLAN': string }[]>`
      explain select from job_attempts where finished_at >= now() - interval '1 hour'`;
    expect(JSON.stringify(plan)).toContain('job_attempts_finished_at_idx');
  });

  test.each(['minutes=0', 'minutes=1441', 'minutes=soon'])('with %s is 400', async (query) => {
    expect(await get(`/throughput?${query}`)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });
});

test('an attempt has the time at which it was due', async () => {
  const { id } = await jobs.enqueue(good);
  await (await jobs.work([good], { queues: ['web'], untilEmpty: true })).stopped;
  const { body } = await get(`/${id}`);
  const [attempt] = body.attempts;
  expect(Date.parse(attempt.due_at)).toBeLessThanOrEqual(Date.parse(attempt.started_at));
});
