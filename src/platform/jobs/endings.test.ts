import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { useDatabase } from '../../../test/support/database.ts';
import { gate, readJob, silentLog } from '../../../test/support/jobs.ts';
import { transaction } from '../database/transaction.ts';
import type { EndedJob } from './endings.ts';
import { createJobEngine } from './engine.ts';
import { defineJobType, type JobHandler } from './job-type.ts';
import { PermanentError } from './retry-policy.ts';
import { recoverStaleLeases } from './stale-leases.ts';
import type { Worker } from './worker.ts';

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

const engine = createJobEngine({
  sql,
  log: silentLog,
  listenAt: undefined,
  leaseSeconds: 30,
  retentionDays: 30,
  types: [quiet, plain, leaves, completes, fails, waits],
  async onJobsEnded(tx, jobs) {
    await tx`select`;
    if (refuses) throw new Error('not now');
    tx.afterCommit(() => told.push(...jobs));
  },
});
const workers: Worker[] = [];
afterEach(() => {
  told.length = 0;
  refuses = false;
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await engine.close();
});

const enqueue = (type: typeof plain) =>
  transaction(sql, (tx) =>
    engine.enqueue(tx, { type, payload: {}, createdBy: { name: 'ana' }, requestId: 'r-1' }),
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
        error_code,
      },
    ]);
    expect((await readJob(sql, id)).status).toBe(status);
  });

  test('in the transaction that ends it: as long as that fails, the job is not over', async () => {
    refuses = true;
    const { id } = await enqueue(plain);
    const worker = await work(1);
    await vi.waitFor(() => expect(worker.begun()).toBe(1), 30_000);
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
    await engine.control.cancel(id, { name: 'ana' });
    await engine.control.cancel(id, { name: 'ana' });
    await worker.stopped;
    expect(told).toMatchObject([{ job_id: id, status: 'cancelled', attempt_count: 1, error_code: null }]);
  });

  test('for one whose worker died in its last attempt', async () => {
    const { id } = await transaction(sql, (tx) =>
      engine.enqueue(tx, { type: plain, payload: {}, maxAttempts: 1 }),
    );
    await sql`
      insert into job_workers (id, name, queues, concurrency, lease_expires_at)
      values ('01900000-0000-7000-8000-000000000001', 'dead', '{default}', 1, now() - interval '1 minute')`;
    await sql`
      update job_queue
      set attempt_count = 1, lease_token = ${id}, worker_id = '01900000-0000-7000-8000-000000000001', started_at = now()
      where job_id = ${id}`;
    const endings = {
      concern: () => true,
      tell: async (_tx: unknown, jobs: EndedJob[]) => void told.push(...jobs),
    };
    await recoverStaleLeases(sql, engine.types, silentLog, endings);
    expect(told).toMatchObject([{ job_id: id, status: 'failed', error_code: 'E_LEASE_EXPIRED' }]);
  });
});

test('the end of a job of another type is not', async () => {
  const [{ id }, other] = [await enqueue(quiet), await enqueue(plain)];
  await (await work(2)).stopped;
  expect((await readJob(sql, id)).status).toBe('succeeded');
  expect(told.map(({ job_id }) => job_id)).toEqual([other.id]);
});
