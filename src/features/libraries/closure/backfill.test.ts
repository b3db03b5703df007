import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DEV_KEYS, failure, useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import {
  auditOf,
  closureOf,
  createLibrary,
  createReader,
  join,
  type Reader,
  saveMedia,
} from '../../../../test/support/libraries.ts';
import type { BackfillKey } from '../../../contract/libraries.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { newId } from '../../../platform/ids.ts';
import { BACKFILL_RETRY_DELAYS_SECONDS, createBackfill, type RunContext } from './backfill.ts';
import * as store from './backfill-store.ts';
import { periodicBacklogCheck } from './backlog.ts';

const database = useDatabase();
const { sql } = database;
const secret = 'a-secret-for-internal-callers';
const app = useApp(database, { NEXUS_INTERNAL_SECRET: secret });

let owner: Reader;
let member: Reader;
let library: string;
let media: string[];
let key: BackfillKey;

beforeEach(async () => {
  [owner, member] = [await createReader(app), await createReader(app)];
  library = await createLibrary(owner);
  media = [await saveMedia(sql, owner), await saveMedia(sql, owner), await saveMedia(sql, owner)];
  for (const media_id of media) await owner.post(`/libraries/${library}/media`, { media_id });
  await join(owner, library, member);
  key = { default_library_id: member.defaultLibraryId, source_library_id: library, user_id: member.id };
});

afterEach(() => sql`truncate job_queue`);

const backfill = createBackfill({ sql });

const context = (more: Partial<RunContext> = {}): RunContext => ({
  jobId: newId(),
  requestId: 'req-1',
  signal: new AbortController().signal,
  complete: async () => undefined,
  ...more,
});

const run = ({ batchSize, ...more }: Partial<RunContext> & { batchSize?: number } = {}) =>
  createBackfill({ sql, ...(batchSize && { batchSize }) }).run(key, context(more));

/** Runs the row's job as the engine does: its row ends in the transaction in which the job ends. */
async function runJob(): Promise<void> {
  const worker = await app.engine.work({
    concurrency: 1,
    pollSeconds: 60,
    graceSeconds: 5,
    queues: ['ingest'],
    untilEmpty: true,
  });
  await worker.stopped;
}

/** The jobs that wait for this row, with their delays. */
const waiting = async () => [
  ...(await sql`
    select
      job_queue.job_id, jobs.max_attempts::int, jobs.request_id, jobs.queue,
      round(extract(epoch from job_queue.due_at - jobs.created_at))::int as delay
    from job_queue
    join jobs on jobs.id = job_queue.job_id
    where jobs.payload->>'user_id' = ${key.user_id}`),
];

const row = async () => {
  const [found] = await sql`
    select status, attempts::int, last_error_code, job_id, finished_at, due_at, updated_at
    from default_library_backfill_jobs
    where default_library_id = ${key.default_library_id} and source_library_id = ${key.source_library_id}`;
  return found;
};

const edges = async () =>
  (
    await sql<{ media_id: string }[]>`
      select media_id from default_library_closure_edges
      where default_library_id = ${member.defaultLibraryId} and source_library_id = ${library} order by media_id`
  ).map(({ media_id }) => media_id);

/** Makes every materialisation fail, the way a full disk would. */
async function whileWritesFail(work: () => Promise<void>, how = "raise exception 'no room';"): Promise<void> {
  await transaction(sql, (tx) =>
    tx.script(`create or replace function refuse() returns trigger language plpgsql as $$begin ${how} end$$`),
  );
  await sql`
    create trigger refuse before insert on default_library_closure_edges for each row execute function refuse()`;
  try {
    await work();
  } finally {
    await sql`drop trigger refuse on default_library_closure_edges`;
  }
}

const set = (values: { status: string; attempts?: number }) => sql`
  update default_library_backfill_jobs
  set status = ${values.status},
      attempts = ${values.attempts ?? 0},
      last_error_code = case when ${values.status} = 'failed' then 'E_BACKFILL_FAILED' end,
      finished_at = case when ${values.status} in ('failed', 'completed') then now() end
  where default_library_id = ${key.default_library_id}`;

describe('the backfill worker', () => {
  test('claims a pending row and completes materialisation, idempotently', async () => {
    expect(await edges()).toEqual([]);
    const completions: unknown[] = [];
    await run({ complete: async (_tx, completion) => void completions.push(completion) });
    expect(await edges()).toEqual([...media].sort());
    for (const id of media) expect((await closureOf(sql, member.defaultLibraryId, id)).listed).toBe(true);
    expect(await row()).toMatchObject({ status: 'completed', attempts: 0 });
    expect(completions).toEqual([{ result: { outcome: 'completed', media_count: 3 } }]);
    await set({ status: 'pending' });
    await run();
    expect(await edges()).toEqual([...media].sort());
    expect(await auditOf(sql)).toEqual([]);
  });

  test('materialises in as many batches as it takes', async () => {
    for (const batchSize of [1, 2, 3]) {
      await sql`delete from default_library_closure_edges where default_library_id = ${member.defaultLibraryId}`;
      await set({ status: 'pending' });
      await run({ batchSize });
      expect(await edges()).toEqual([...media].sort());
      expect(await row()).toMatchObject({ status: 'completed' });
    }
  });

  test('does nothing when the row is missing or not pending', async () => {
    for (const status of ['running', 'completed', 'failed']) {
      await set({ status });
      expect(await run()).toEqual({ result: { outcome: 'skipped', reason: 'not pending' } });
      expect(await row()).toMatchObject({ status });
    }
    await sql`delete from default_library_backfill_jobs where user_id = ${member.id}`;
    expect(await run()).toMatchObject({ result: { outcome: 'skipped' } });
    expect(await edges()).toEqual([]);
  });

  test('completes and fails only the row of its own job', async () => {
    const other = newId();
    const tryBoth = () =>
      transaction(sql, async (tx) => [
        await store.markCompleted(tx, key, other),
        await store.markFailed(tx, key, other, { error_code: 'E_BACKFILL_FAILED', isCounted: true }),
      ]);
    for (const status of ['pending', 'completed', 'failed', 'running']) {
      await set({ status });
      const before = await row();
      expect(await tryBoth()).toEqual([false, undefined]);
      expect(await row()).toEqual(before);
    }
    expect(await transaction(sql, (tx) => store.resetForRetry(tx, key, 60))).toBe(false);
  });

  test.each([1, 2, 3, 4])(
    'failing for the %sth time enqueues the next attempt in the same transaction, with the delay of the schedule',
    async (n) => {
      await set({ status: 'pending', attempts: n - 1 });
      const first = (await row())?.job_id;
      await whileWritesFail(runJob);
      const delay = BACKFILL_RETRY_DELAYS_SECONDS[n - 1] ?? 0;
      const after = await row();
      expect(after).toMatchObject({
        status: 'pending',
        attempts: n,
        last_error_code: null,
        finished_at: null,
      });
      expect(await waiting()).toMatchObject([
        { job_id: after?.job_id, max_attempts: 1, queue: 'ingest', delay },
      ]);
      expect(after?.job_id).not.toBe(first);
      expect(after?.due_at.getTime() - after?.updated_at.getTime()).toBe(delay * 1000);
      expect(await edges()).toEqual([]);
    },
  );

  test('the schedule is 1 min, 5 min, 15 min, 1 h, 6 h', () => {
    expect(BACKFILL_RETRY_DELAYS_SECONDS).toEqual([60, 300, 900, 3600, 21600]);
  });

  test('failing for the fifth time stays failed and is not enqueued again', async () => {
    await set({ status: 'pending', attempts: 4 });
    await whileWritesFail(runJob);
    expect(await waiting()).toEqual([]);
    expect(await row()).toMatchObject({
      status: 'failed',
      attempts: 5,
      last_error_code: 'E_BACKFILL_FAILED',
    });
  });

  test('lost connections to the database cost no attempt, however many there are', async () => {
    await whileWritesFail(async () => {
      for (let n = 0; n < 6; n++) {
        await sql`update job_queue set due_at = now()`;
        await runJob();
        expect(await row()).toMatchObject({ status: 'running', attempts: 0 });
      }
    }, 'perform pg_terminate_backend(pg_backend_pid()); return new;');
    await sql`update job_queue set due_at = now()`;
    await runJob();
    expect(await row()).toMatchObject({ status: 'completed', attempts: 0 });
    expect(await edges()).toEqual([...media].sort());
  });

  test('a row whose job is cancelled has failed, and goes on when the job is queued again', async () => {
    const jobId = (await row())?.job_id;
    const operate = (what: string) =>
      app.call('POST', `/api/v1/jobs/${jobId}/${what}`, { key: DEV_KEYS.operator });
    await operate('cancel');
    expect(await row()).toMatchObject({ status: 'failed', attempts: 0, last_error_code: 'E_CANCELLED' });
    expect((await operate('requeue')).status).toBe(200);
    expect(await row()).toMatchObject({ status: 'pending', attempts: 0, job_id: jobId });
    await runJob();
    expect(await row()).toMatchObject({ status: 'completed' });
    expect(await operate('requeue')).toMatchObject(failure(409, 'E_INVALID_STATE'));
  });

  test.each([
    ['whose source is a default library', () => ({ ...key, source_library_id: owner.defaultLibraryId })],
    [
      'whose default library is none',
      async () => ({ ...key, default_library_id: await createLibrary(member) }),
    ],
  ])('a tuple %s has failed for good, without a write or a retry', async (_case, make) => {
    key = await make();
    await sql`
      insert into default_library_backfill_jobs (default_library_id, source_library_id, user_id)
      values (${key.default_library_id}, ${key.source_library_id}, ${key.user_id})`;
    const count = async () => (await sql`select count(*) as n from default_library_closure_edges`)[0]?.n;
    const before = await count();
    await sql`truncate job_queue`;
    await transaction(sql, (tx) => backfill.start(tx, key));
    await runJob();
    expect(await row()).toMatchObject({ status: 'failed', last_error_code: 'E_BACKFILL_INVALID_TUPLE' });
    expect([await waiting(), await count()]).toEqual([[], before]);
    await sql`delete from default_library_backfill_jobs where source_library_id = ${key.source_library_id}`;
  });

  test("nobody's default library can be filled for somebody else: such a row cannot exist", async () => {
    const insert = sql`
      insert into default_library_backfill_jobs (default_library_id, source_library_id, user_id)
      values (${owner.defaultLibraryId}, ${library}, ${member.id})`;
    await expect(insert).rejects.toMatchObject({ constraint: 'default_library_backfill_jobs_own_library' });
  });

  test('materialises nothing when the membership is absent, and completes', async () => {
    await sql`delete from memberships where library_id = ${library} and user_id = ${member.id}`;
    expect(await run()).toBeUndefined();
    expect(await edges()).toEqual([]);
    expect(await row()).toMatchObject({ status: 'completed', attempts: 0 });
    await sql`delete from default_library_backfill_jobs where user_id = ${member.id}`;
  });

  test('an interrupted run counts nothing; the same job takes its row up again, another does not', async () => {
    const jobId = newId();
    const stopped = AbortSignal.abort(new Error('shutdown'));
    await expect(run({ jobId, signal: stopped })).rejects.toThrow('shutdown');
    expect(await row()).toMatchObject({ status: 'running', attempts: 0, job_id: jobId });
    expect(await run()).toMatchObject({ result: { outcome: 'skipped' } });
    expect(await run({ jobId })).toBeUndefined();
    expect(await row()).toMatchObject({ status: 'completed' });
  });

  test('as a job of the engine: one attempt, on the queue ingest, completed together with its row', async () => {
    const worker = await app.engine.work({
      concurrency: 2,
      pollSeconds: 1,
      graceSeconds: 5,
      queues: ['ingest'],
    });
    await vi.waitFor(async () => expect(await row()).toMatchObject({ status: 'completed' }), 30_000);
    await worker.stop();
    const { body } = await app.call('GET', `/api/v1/jobs/${(await row())?.job_id}`, {
      key: DEV_KEYS.admin,
    });
    expect(body).toMatchObject({
      job_type: 'backfill_default_library_closure_job',
      queue: 'ingest',
      max_attempts: 1,
      status: 'succeeded',
      payload: key,
      result: { outcome: 'completed', media_count: 3 },
    });
    expect(await edges()).toEqual([...media].sort());
  });
});

describe('the backlog guardrail', () => {
  const health = async () => {
    const { body } = await app.call('GET', '/internal/libraries/backfill-jobs/health', {
      headers: { 'x-nexus-internal': secret },
    });
    return body.data;
  };

  beforeEach(
    () => sql`update default_library_backfill_jobs set status = 'completed', finished_at = now(),
    last_error_code = null`,
  );

  async function pending(count: number, ageSeconds: number): Promise<void> {
    await sql`
      with library as (
        insert into libraries (id, name, owner_user_id)
        select gen_random_uuid(), 'backlog', ${owner.id} from generate_series(1, ${count})
        returning id
      )
      insert into default_library_backfill_jobs (default_library_id, source_library_id, user_id, due_at)
      select ${member.defaultLibraryId}, id, ${member.id}, now() - ${ageSeconds} * interval '1 second'
      from library`;
  }

  afterEach(() => sql`delete from libraries where name = 'backlog'`);

  test('is at rest when nothing waits', async () => {
    expect(await health()).toEqual({ pending_count: 0, pending_age_p95_seconds: 0, degraded: false });
  });

  test('flags degraded when more than 500 wait', async () => {
    await pending(500, 0);
    expect(await health()).toMatchObject({ pending_count: 500, degraded: false });
    await pending(1, 0);
    expect(await health()).toMatchObject({ pending_count: 501, degraded: true });
  });

  test('flags degraded when the 95th percentile waits for more than 900 seconds', async () => {
    await pending(95, 10);
    await pending(5, 1000);
    expect(await health()).toMatchObject({ pending_count: 100, degraded: false });
    await pending(1, 1000);
    const degraded = await health();
    expect(degraded).toMatchObject({ pending_count: 101, degraded: true });
    expect(degraded.pending_age_p95_seconds).toBeGreaterThanOrEqual(1000);
  });

  test('does not count the time that a retry is meant to wait', async () => {
    await pending(1, -3600);
    expect(await health()).toMatchObject({ pending_count: 1, pending_age_p95_seconds: 0, degraded: false });
  });

  test('is logged as a warning by a periodic check', async () => {
    await pending(501, 0);
    const warnings: unknown[] = [];
    const log = { warn: (...line: unknown[]) => void warnings.push(line) };
    await periodicBacklogCheck(backfill).type.handler({}, { log } as never);
    expect(warnings).toContainEqual([
      expect.objectContaining({ pending_count: 501, degraded: true }),
      expect.stringContaining('guardrails'),
    ]);
  });
});

describe.each([
  ['POST /internal/libraries/backfill-jobs/requeue', true],
  ['POST /api/v1/backfill-jobs/requeue', false],
])('%s', (route, isInternal) => {
  const requeue = async (body: unknown) => {
    const answer = await app.call('POST', route.split(' ')[1] ?? '', {
      body,
      ...(isInternal ? { headers: { 'x-nexus-internal': secret } } : { key: DEV_KEYS.operator }),
    });
    return { ...answer, data: answer.body.data };
  };

  test('of a missing row is 404', async () => {
    expect(await requeue({ ...key, user_id: newId() })).toMatchObject(failure(404, 'E_NOT_FOUND'));
  });

  test('of a running row changes nothing', async () => {
    await set({ status: 'running', attempts: 2 });
    const before = await row();
    const { status, data } = await requeue(key);
    expect([status, data.status, data.idempotent, data.enqueue_dispatched]).toEqual([
      200,
      'running',
      true,
      false,
    ]);
    expect(await row()).toEqual(before);
    await set({ status: 'pending' });
  });

  test.each(['pending', 'failed', 'completed'])(
    'of a %s row resets it and dispatches once',
    async (status) => {
      await set({ status, attempts: 3 });
      const queued = async () =>
        (await sql`select from jobs where payload->>'user_id' = ${member.id}`).length;
      const before = await queued();
      const { data } = await requeue(key);
      expect(data).toEqual({
        ...key,
        status: 'pending',
        attempts: 0,
        last_error_code: null,
        updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
        finished_at: null,
        idempotent: false,
        enqueue_dispatched: true,
      });
      expect(await queued()).toBe(before + 1);
      expect(await row()).toMatchObject({ status: 'pending', attempts: 0 });
    },
  );

  test.each([
    ['a field missing', () => ({ user_id: newId() })],
    ['a malformed id', () => ({ ...key, user_id: '7' })],
    ['a field too many', () => ({ ...key, force: true })],
  ])('with %s is 400', async (_case, body) => {
    expect(await requeue(body())).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });
});

test('an acceptance and the job of its backfill commit together, or not at all', async () => {
  const [other] = [await createReader(app)];
  const others = {
    default_library_id: other.defaultLibraryId,
    source_library_id: library,
    user_id: other.id,
  };
  const undone = transaction(sql, async (tx) => {
    await backfill.start(tx, others);
    throw new Error('changed my mind');
  });
  await expect(undone).rejects.toThrow('changed my mind');
  expect(await sql`select from jobs where payload->>'user_id' = ${other.id}`).toHaveLength(0);
  await join(owner, library, other);
  const [accepted] = await sql`
    select backfill.status
    from default_library_backfill_jobs as backfill
    join job_queue on job_queue.job_id = backfill.job_id
    where backfill.user_id = ${other.id}`;
  expect(accepted).toEqual({ status: 'pending' });
});

test('the audit names a backfill without a live job, and repairs the closure', async () => {
  await sql`delete from job_queue`;
  expect(await auditOf(sql)).toContainEqual({ kind: 'backfill_without_job', ...key });
  await auditOf(sql, { repair: true });
  expect(await auditOf(sql)).toEqual([]);
  expect(await edges()).toEqual([...media].sort());
});

test('the internal requeue route requires the internal header', async () => {
  const call = (headers: Record<string, string>) =>
    app.call('POST', '/internal/libraries/backfill-jobs/requeue', { body: key, headers });
  expect(await call({})).toMatchObject(failure(403, 'E_INTERNAL_ONLY'));
  expect(await call({ 'x-nexus-internal': 'wrong' })).toMatchObject(failure(403, 'E_INTERNAL_ONLY'));
  expect(await call({ 'x-nexus-api-key': DEV_KEYS.admin })).toMatchObject(failure(403, 'E_INTERNAL_ONLY'));
  expect((await call({ 'x-nexus-internal': secret })).status).toBe(200);
});

test('a requeue is audited with who asked for it', async () => {
  await app.call('POST', '/api/v1/backfill-jobs/requeue', { body: key, key: DEV_KEYS.operator });
  const [entry] = await sql`select action, actor, details from audit_logs order by id desc limit 1`;
  expect(entry).toMatchObject({ action: 'backfill.requeued', actor: 'dev-operator', details: key });
});

test('the web app goes through no internal route', () => {
  const root = fileURLToPath(new URL('../../../..', import.meta.url));
  const files = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name === 'web')
    .flatMap(({ name }) => readdirSync(path.join(root, name), { recursive: true, encoding: 'utf8' }))
    .filter((file) => /\.(ts|tsx|js|mjs|html)$/.test(file) && !file.includes('node_modules'));
  for (const file of files)
    expect(readFileSync(path.join(root, 'web', file), 'utf8')).not.toContain('/internal/');
  const proxied = app.routes.filter(({ url, access }) => url.includes('/internal/') && access !== 'internal');
  expect(proxied).toEqual([]);
});

describe('GET /api/v1/backfill-jobs', () => {
  const list = (query: string) => app.call('GET', `/api/v1/backfill-jobs?${query}`, { key: DEV_KEYS.admin });

  test('lists newest first, by status, page by page', async () => {
    await set({ status: 'failed', attempts: 5 });
    const { body } = await list('status=failed');
    expect(body.data[0]).toMatchObject({
      ...key,
      status: 'failed',
      attempts: 5,
      last_error_code: 'E_BACKFILL_FAILED',
      username: member.user.username,
      source_library_name: 'Shared',
    });
    const all = (await list('limit=200')).body.data.map(JSON.stringify);
    const paged: string[] = [];
    for (let cursor = ''; ; ) {
      const { body: page } = await list(`limit=2${cursor}`);
      paged.push(...page.data.map(JSON.stringify));
      if (!page.page.has_more) break;
      cursor = `&cursor=${page.page.next_cursor}`;
    }
    expect(paged).toEqual(all);
    expect(new Set(paged).size).toBeGreaterThan(4);
  });

  test.each([
    'status=lost',
    'cursor=x',
    `cursor=${Buffer.from('{"created_us":1}').toString('base64url')}`,
    'limit=0',
  ])('with %s is 400', async (query) => {
    expect(await list(query)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });
});
