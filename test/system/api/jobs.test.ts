import { describe, expect, test, vi } from 'vitest';
import { transaction } from '../../../src/platform/database/transaction.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createPerson, DEV_KEYS, failure, useApp } from '../../support/app.ts';
import { runCommand } from '../../support/command.ts';
import { useDatabase } from '../../support/database.ts';
import { gate } from '../../support/jobs.ts';
import { runNexus, startNexus } from '../../support/nexus-process.ts';

const database = useDatabase();
const app = useApp(database);
const env = { NEXUS_DATABASE_URL: database.url };
const submit = (body: unknown, key = DEV_KEYS.operator) =>
  app.call('POST', '/api/v1/jobs/submit', { key, body });
const read = (id: string, key = DEV_KEYS.operator) => app.call('GET', `/api/v1/jobs/${id}`, { key });
const audit = { job_type: 'integrity_audit', payload: {} };

describe('POST /api/v1/jobs/submit', () => {
  test('queues a job, which a worker process runs', { tags: 'slow' }, async () => {
    const submitted = await submit({ ...audit, idempotency_key: 'first', max_attempts: 2 });
    expect(submitted).toMatchObject({
      status: 200,
      body: { status: 'queued', job_type: 'integrity_audit', execution_mode: 'async' },
    });
    const { job_id } = submitted.body;
    expect((await submit({ ...audit, idempotency_key: 'first' })).body.job_id).toBe(job_id);

    expect((await runNexus(['worker', '--once'], { env })).code).toBe(0);
    const { body } = await read(job_id);
    expect(body).toMatchObject({
      job_id,
      status: 'succeeded',
      result: { document_count: 0, inconsistencies: [] },
      error_text: null,
      idempotency_key: 'first',
      max_attempts: 2,
      attempt_count: 1,
      lease_owner: null,
      lease_expires_at: null,
      created_by: 'dev-operator',
      attempts: [{ attempt_number: 1, status: 'succeeded', error_text: null }],
      artifacts: [],
    });
    expect((await submit({ ...audit, idempotency_key: 'first' })).body).toMatchObject({
      job_id,
      status: 'succeeded',
    });
  });

  test('with execution_mode sync answers with the final state, and needs no worker', async () => {
    const submitted = await submit({ ...audit, execution_mode: 'sync', idempotency_key: 'at-once' });
    expect(submitted).toMatchObject({ status: 200, body: { status: 'succeeded', execution_mode: 'sync' } });
    const { body } = await read(submitted.body.job_id);
    expect(body).toMatchObject({ attempt_count: 1, max_attempts: 1, result: { inconsistencies: [] } });
    const again = await submit({ ...audit, execution_mode: 'sync', idempotency_key: 'at-once' });
    expect(again.body).toEqual(submitted.body);
  });

  test.each([
    ['sync and a time to run at', { ...audit, execution_mode: 'sync', run_at: '2030-01-01T00:00:00Z' }],
    ['an unknown execution mode', { ...audit, execution_mode: 'eventually' }],
    ['a NUL character in the key', { ...audit, idempotency_key: 'a\0b' }],
    ['an unknown type', { job_type: 'mine_bitcoin' }],
    ['a payload that does not fit', { job_type: 'integrity_audit', payload: { repair: 'please' } }],
    ['a payload with a field too many', { job_type: 'integrity_audit', payload: { force: true } }],
    ['no type', { payload: {} }],
    ['max_attempts 0', { ...audit, max_attempts: 0 }],
    ['max_attempts 11', { ...audit, max_attempts: 11 }],
    ['a priority of 10', { ...audit, priority: 10 }],
    ['an idempotency key of 129 characters', { ...audit, idempotency_key: 'x'.repeat(129) }],
  ])('with %s is 400 and queues nothing', async (_case, body) => {
    const [before] = await database.sql`select count(*) as n from jobs`;
    expect(await submit(body)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    expect((await database.sql`select count(*) as n from jobs`)[0]).toEqual(before);
  });

  test('with a RAW payload needs RAW rights', async () => {
    const raw = { ...audit, payload: { mode: 'RAW' } };
    expect(await submit(raw)).toMatchObject(failure(403, 'E_MODE_FORBIDDEN'));
  });
});

describe('where jobs are switched off', () => {
  const closed = useApp(database, { NEXUS_ASYNC_JOBS_ENABLED: 'false' });

  test('submitting is 400', async () => {
    const answer = await closed.call('POST', '/api/v1/jobs/submit', { key: DEV_KEYS.operator, body: audit });
    expect(answer).toMatchObject(failure(400, 'E_ASYNC_DISABLED'));
  });
});

describe('what a viewer sees of a job', () => {
  test('is all of their own jobs and an outline of others', async () => {
    const { key, user } = await createPerson(app, { role: 'viewer' });
    const { body } = await submit({ ...audit, payload: { repair: true } });
    const other = await read(body.job_id, key);
    expect(other.body).toMatchObject({
      job_id: body.job_id,
      status: 'queued',
      payload: {},
      result: {},
      artifacts: [],
    });
    await database.sql`update jobs set created_by_user_id = ${user.id} where id = ${body.job_id}`;
    expect((await read(body.job_id, key)).body.payload).toEqual({ repair: true });
    await app.call('POST', `/api/v1/jobs/${body.job_id}/cancel`, { key: DEV_KEYS.operator });
  });

  test('is no job of a type that is not public', async () => {
    const { body } = await submit(audit);
    await database.sql`update jobs set job_type = 'secret_work' where id = ${body.job_id}`;
    expect(await read(body.job_id, DEV_KEYS.viewer)).toMatchObject(failure(404, 'E_NOT_FOUND'));
    const listed = await app.call('GET', '/api/v1/jobs', { key: DEV_KEYS.viewer });
    expect(listed.body.jobs.map((job: { job_id: string }) => job.job_id)).not.toContain(body.job_id);
    expect((await read(body.job_id)).status).toBe(200);
    await app.call('POST', `/api/v1/jobs/${body.job_id}/cancel`, { key: DEV_KEYS.operator });
  });
});

test('cancel, requeue and their limits', async () => {
  const key = DEV_KEYS.operator;
  const { body } = await submit(audit);
  const act = (what: string, id = body.job_id) => app.call('POST', `/api/v1/jobs/${id}/${what}`, { key });
  expect(await act('requeue')).toMatchObject(failure(409, 'E_INVALID_STATE'));
  expect((await act('cancel')).body.status).toBe('cancelled');
  expect((await act('cancel')).body.status).toBe('cancelled');
  expect((await act('requeue')).body.status).toBe('queued');
  expect((await act('cancel')).body.status).toBe('cancelled');
  for (const what of ['cancel', 'requeue']) {
    expect(await act(what, newId())).toMatchObject(failure(404, 'E_NOT_FOUND'));
    expect(await act(what, '7')).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  }
  const actions = await database.sql`
    select action, actor from audit_logs where details->>'job_id' = ${body.job_id} order by id`;
  expect([...actions].map(({ action }) => action)).toEqual([
    'job.cancelled',
    'job.requeued',
    'job.cancelled',
  ]);
});

test.each(['limit=0', 'limit=1001', 'status=lost', 'created_after=soon', 'cursor=x'])(
  'a list with %s is 400',
  async (query) => {
    expect(await app.call('GET', `/api/v1/jobs?${query}`, { key: DEV_KEYS.viewer })).toMatchObject(
      failure(400, 'E_INVALID_REQUEST'),
    );
  },
);

test('a list is filtered and goes on from page to page', { tags: 'slow' }, async () => {
  const key = DEV_KEYS.viewer;
  const all = await app.call('GET', '/api/v1/jobs?limit=1000&job_type=integrity_audit', { key });
  const ids = all.body.jobs.map((job: { job_id: string }) => job.job_id);
  const first = await app.call('GET', '/api/v1/jobs?limit=2', { key });
  const second = await app.call('GET', `/api/v1/jobs?limit=2&cursor=${first.body.page.next_cursor}`, { key });
  expect([...first.body.jobs, ...second.body.jobs].map((job) => job.job_id)).toEqual(ids.slice(0, 4));
  const succeeded = await app.call('GET', '/api/v1/jobs?status=succeeded', { key });
  expect(succeeded.body.jobs).toHaveLength(2);
});

describe('nexus worker', { tags: 'slow' }, () => {
  test('--once exits at once when nothing is due', async () => {
    expect((await runNexus(['worker', '--once'], { env })).output).toContain('stopped after 0 jobs');
  });

  test('--once takes back the job of a worker that was killed', async () => {
    const { body } = await submit(
      { job_type: 'ingest_batch', payload: { urls: ['https://example.org/killed'] } },
      DEV_KEYS.operator,
    );
    const state = async () => (await read(body.job_id, DEV_KEYS.admin)).body;
    const held = gate();
    const holding = transaction(database.sql, async (tx) => {
      await tx`lock table media in exclusive mode`;
      await held.opened;
    });
    const worker = startNexus(['worker', '--queues', 'ingest'], {
      env: { ...env, NEXUS_WORKER_LEASE_SECONDS: '2' },
    });
    await vi.waitFor(async () => expect((await state()).status).toBe('running'), 30_000);
    await worker.stop('SIGKILL');
    held.open();
    await holding;
    const lease = () => database.sql`
      select from workers where queues = '{ingest}' and lease_expires_at >= now()`;
    await vi.waitFor(async () => expect(await lease()).toHaveLength(0), 30_000);
    expect((await state()).status).toBe('running');

    expect((await runNexus(['worker', '--once', '--queues', 'ingest'], { env })).code).toBe(0);
    expect(await state()).toMatchObject({
      status: 'retry_wait',
      attempts: [{ status: 'interrupted', error_code: 'E_LEASE_EXPIRED' }],
    });
    await database.sql`update job_queue set due_at = now() where job_id = ${body.job_id}`;
    expect((await runNexus(['worker', '--once', '--queues', 'ingest'], { env })).code).toBe(0);
    expect(await state()).toMatchObject({ status: 'succeeded', attempt_count: 2 });
    await database.sql`delete from job_queue`;
  });

  test('--max-jobs exits after that many jobs', async () => {
    for (let n = 0; n < 3; n++) await submit(audit);
    expect((await runNexus(['worker', '--max-jobs', '2'], { env })).output).toContain('stopped after 2 jobs');
    const stats = await app.call('GET', '/api/v1/jobs/stats', { key: DEV_KEYS.operator });
    expect(stats.body.data).toMatchObject([{ queue: 'default', queued: 1, running: 0, retry_wait: 0 }]);
    await database.sql`delete from job_queue`;
  });

  test('is listed while it lives, and stops on SIGTERM with 0', async () => {
    const worker = startNexus(['worker', '--queues', 'default,aside', '--concurrency', '3'], { env });
    await worker.prints(/is ready/);
    const { body } = await app.call('GET', '/api/v1/workers', { key: DEV_KEYS.operator });
    expect(body.data).toMatchObject([{ queues: ['default', 'aside'], concurrency: 3, running_count: 0 }]);
    expect(await worker.stop()).toBe(0);
    expect((await app.call('GET', '/api/v1/workers', { key: DEV_KEYS.operator })).body.data).toEqual([]);
  });

  test.each([
    ['--max-jobs', '0'],
    ['--concurrency', 'many'],
    ['--queues', 'a b'],
  ])('%s %s is refused', async (flag, value) => {
    expect((await runCommand(['worker', flag, value], env)).code).toBe(2);
  });
});

test('serve works, too, unless --no-worker tells it not to', { tags: 'slow' }, async () => {
  const idle = startNexus(['serve', '--no-worker'], { env });
  await idle.ready();
  expect((await app.call('GET', '/api/v1/workers', { key: DEV_KEYS.operator })).body.data).toEqual([]);
  await idle.stop();
  const busy = startNexus(['serve'], { env });
  await busy.ready();
  const { body } = await submit(audit);
  await expect.poll(async () => (await read(body.job_id)).body.status, { timeout: 30_000 }).toBe('succeeded');
  expect(await busy.stop()).toBe(0);
});
