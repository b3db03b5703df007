import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { useDatabase } from '../../../../test/support/database.ts';
import { gate, readJob, silentLog } from '../../../../test/support/jobs.ts';
import { createListener } from '../../database/listener.ts';
import { transaction } from '../../database/transaction.ts';
import { recoverDeadWorkers } from '../../work/recovery.ts';
import { PermanentError } from '../../work/retry-policy.ts';
import { createJobEngine } from '../engine.ts';
import type { EndedJob } from '../job-type.ts';
import { defineJobType, type JobHandler } from '../job-type.ts';
import { createJobQueue } from '../queue.ts';
import { takeBackJobs } from '../recover/take-back.ts';
import { enqueue as enqueueJob } from '../submit/enqueue.ts';
import type { Worker } from '../worker.ts';
import { createEndings } from './endings.ts';

const database = useDatabase();
const { sql } = database;
const payload = z.looseObject({});
const told: EndedJob[] = [];
let refuses = false;

const define = (type: string, handler: JobHandler<object>, isPublic = true) =>
  defineJobType(type, { payload, handler, ...(isPublic && { submittedBy: 'operator' as const }) });

const quiet = define('quiet', async () => undefined, false);
const plain = define('plain', async () => undefined);
const leaves = define('leaves', async () => ({ artifacts: [{ artifact_type: 'thing' }] }));
const completes = define('completes', async (_payload, context) => {
  await transaction(sql, (tx) => context.complete(tx));
  return undefined;
});
const fails = define('fails', async () => {
  throw new PermanentError('E_INVALID_PAYLOAD', 'No.');
});
const running = gate();
const waits = define('waits', async (_payload, { signal }) => {
  running.open();
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  return undefined;
});

const listener = createListener({ sql, log: silentLog, listenAt: undefined });
const queue = createJobQueue({
  sql,
  log: silentLog,
  listener,
  leaseSeconds: 30,
  async onJobsEnded(tx, jobs) {
    await tx`select`;
    if (refuses) throw new Error('not now');
    tx.afterCommit(() => told.push(...jobs));
  },
});
const engine = createJobEngine({
  queue,
  types: [quiet, plain, leaves, completes, fails, waits],
  retentionDays: 30,
});
const workers: Worker[] = [];
afterEach(() => {
  told.length = 0;
  refuses = false;
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await queue.close();
});

const enqueue = (type: typeof plain) =>
  transaction(sql, (tx) =>
    enqueueJob(tx, { type, payload: {}, createdBy: { name: 'ana' }, requestId: 'r-1' }),
  );
const work = async (maxJobs?: number) => {
  const worker = await engine.work({ concurrency: 5, pollSeconds: 60, graceSeconds: 5, maxJobs });
  workers.push(worker);
  return worker;
};

describe('the end of a job of a public type is told', () => {
  test.each([
    ['that returned', plain, 'succeeded', null],
    ['that left artifacts', leaves, 'succeeded', null],
    ['that completed itself', completes, 'succeeded', null],
    ['that failed', fails, 'failed', 'E_INVALID_PAYLOAD'],
  ] as const)('for one %s', async (_case, type, status, error_code) => {
    const { id } = await enqueue(type);
    await (await work(1)).stopped;
    expect(told).toEqual([
      {
        job_id: id,
        job_type: type.type,
        status,
        attempt_count: 1,
        created_by: 'ana',
        created_by_user_id: null,
        request_id: 'r-1',
        traceparent: null,
        error_code,
        error_text: error_code && 'No.',
        payload: {},
      },
    ]);
    expect((await readJob(sql, id)).status).toBe(status);
  });

  test('in the transaction that ends it: as long as that fails, the job is not over', async () => {
    refuses = true;
    const { id } = await enqueue(plain);
    const worker = await work(1);
    await vi.waitFor(() => expect(worker.begun()).toBe(1), 20_000);
    expect((await readJob(sql, id)).status).toBe('running');
    refuses = false;
    await worker.stopped;
    expect((await readJob(sql, id)).status).toBe('succeeded');
    expect(told).toMatchObject([{ job_id: id, status: 'succeeded' }]);
  });

  test('for one that was cancelled while it ran, once', async () => {
    const { id } = await enqueue(waits);
    const worker = await work(1);
    await running.opened;
    await queue.control.cancel(id, { name: 'ana' });
    await queue.control.cancel(id, { name: 'ana' });
    await worker.stopped;
    expect(told).toMatchObject([{ job_id: id, status: 'cancelled', attempt_count: 1, error_code: null }]);
  });

  test('for one whose workers died a hundred times', async () => {
    const { id } = await transaction(sql, (tx) =>
      enqueueJob(tx, { type: plain, payload: {}, maxAttempts: 1 }),
    );
    await sql`
      insert into workers (id, name, queues, concurrency, lease_expires_at)
      values ('01900000-0000-7000-8000-000000000001', 'dead', '{default}', 1, now() - interval '1 minute')`;
    await sql`
      update job_queue
      set attempt_count = 100, refunded_count = 99, interrupted_count = 99, lease_token = ${id}, worker_id = '01900000-0000-7000-8000-000000000001', started_at = now()
      where job_id = ${id}`;
    const endings = createEndings(queue.types, async (_tx, jobs) => void told.push(...jobs));
    await recoverDeadWorkers(sql, silentLog, [(tx, dead) => takeBackJobs(tx, dead, endings)]);
    expect(told).toMatchObject([{ job_id: id, status: 'failed', error_code: 'E_LEASE_EXPIRED' }]);
    expect((await readJob(sql, id)).error_text).toContain('interrupted 100 times');
  });
});

test('the end of a job of another type is not', async () => {
  const [{ id }, other] = [await enqueue(quiet), await enqueue(plain)];
  await (await work(2)).stopped;
  expect((await readJob(sql, id)).status).toBe('succeeded');
  expect(told.map(({ job_id }) => job_id)).toEqual([other.id]);
});

describe('a job type with onEnded is called in the transaction that ends its job', () => {
  const ended: [status: string, payload: unknown][] = [];
  const begun = gate();
  const typeOf = (name: string, handler: JobHandler<{ n: number }>) =>
    defineJobType(name, {
      queue: 'ended',
      payload: z.object({ n: z.number() }),
      handler,
      async onEnded(tx, { status, payload: given }) {
        await tx`select`;
        tx.afterCommit(() => ended.push([status, given]));
      },
    });
  const types = {
    returns: typeOf('returns', async () => undefined),
    completes: typeOf('completes_itself', async (_payload, context) => {
      await transaction(sql, (tx) => context.complete(tx));
      return undefined;
    }),
    fails: typeOf('fails_for_good', async () => {
      throw new PermanentError('E_HOPELESS', 'No.');
    }),
    unstorable: typeOf('unstorable', async () => ({ result: { text: 'a\0b' } })),
    waits: typeOf('waits_to_end', async (_payload, { signal }) => {
      begun.open();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return undefined;
    }),
  };
  const own = createJobQueue({ sql, log: silentLog, listener, leaseSeconds: 30 });
  const ownEngine = createJobEngine({ queue: own, types: Object.values(types), retentionDays: 30 });
  afterEach(() => void ended.splice(0));
  afterAll(() => own.close());

  const submit = (name: keyof typeof types, n: number) =>
    transaction(sql, (tx) => enqueueJob(tx, { type: types[name], payload: { n } }));
  const workOn = () =>
    ownEngine.work({ concurrency: 5, pollSeconds: 60, graceSeconds: 5, queues: ['ended'], untilEmpty: true });

  test.each([
    ['returns', 'succeeded'],
    ['completes', 'succeeded'],
    ['fails', 'failed'],
    ['unstorable', 'failed'],
  ] as const)('%s', async (name, status) => {
    await submit(name, 7);
    await (await workOn()).stopped;
    expect(ended).toEqual([[status, { n: 7 }]]);
  });

  test('cancelled while it waits, one by one or many at once', async () => {
    const first = await submit('returns', 1);
    await own.control.cancel(first.id, { name: 'ana' });
    const others = [await submit('returns', 2), await submit('fails', 3)];
    await own.control.cancelMany(
      others.map(({ id }) => id),
      { name: 'ana' },
    );
    expect(ended).toEqual([1, 2, 3].map((n) => ['cancelled', { n }]));
  });

  test('cancelled while it runs', async () => {
    const { id } = await submit('waits', 4);
    const worker = await workOn();
    await begun.opened;
    await own.control.cancel(id, { name: 'ana' });
    await worker.stopped;
    expect(ended).toEqual([['cancelled', { n: 4 }]]);
  });
});
