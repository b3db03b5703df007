import { beforeAll, expect, test, vi } from 'vitest';
import { useDatabase } from '../../support/database.ts';
import { readJob } from '../../support/jobs.ts';
import { random, spawnWorker, type WorkerProcess } from './crew.ts';
import { enqueueWork, expectAllDoneOnce, openLedger, unfinished } from './ledger.ts';

const database = useDatabase();
const { sql, target } = database;

beforeAll(() => openLedger(sql));

const SEED = 20261115;

test(`five workers killed at random (seed ${SEED}) do 4,000 jobs, each once`, {
  timeout: 180_000,
}, async () => {
  const chance = random(SEED);
  const crew = await Promise.all(Array.from({ length: 5 }, () => spawnWorker(target)));
  // One worker is killed per portion of work, so that a fast machine sees as many kills as a slow one.
  for (let portion = 1; portion <= 10; portion++) {
    await enqueueWork(sql, 'effect', 200, 10);
    await enqueueWork(sql, 'plain', 200, 10);
    const victim = Math.floor(chance() * crew.length);
    await (crew[victim] as WorkerProcess).end('SIGKILL');
    crew[victim] = await spawnWorker(target);
  }
  await vi.waitFor(async () => expect(await unfinished(sql)).toBe(0), { timeout: 120_000, interval: 100 });
  await expectAllDoneOnce(sql, { effect: 2000, plain: 2000 });
  expect(await Promise.all(crew.map((worker) => worker.end('SIGTERM')))).toEqual(Array(5).fill(0));
});

test('a worker frozen past its lease and thawed writes nothing; its job ran elsewhere', async () => {
  const [job] = await enqueueWork(sql, 'slow', 1, 3);
  const id = job?.id ?? '';
  const frozen = await spawnWorker(target, { LEASE_SECONDS: '1' });
  await frozen.says(/^began/);
  frozen.child.kill('SIGSTOP');
  const other = await spawnWorker(target, { LEASE_SECONDS: '1' });
  await vi.waitFor(async () => expect((await readJob(sql, id)).status).toBe('succeeded'), 20_000);
  const before = await readJob(sql, id);
  frozen.child.kill('SIGCONT');
  await frozen.says(/^ended/);
  expect(await frozen.end('SIGTERM')).toBe(0);
  expect(await readJob(sql, id)).toEqual(before);
  expect(before.attempts).toMatchObject([
    { attempt_number: 1, status: 'interrupted', error_code: 'E_LEASE_EXPIRED' },
    { attempt_number: 2, status: 'succeeded' },
  ]);
  await other.end('SIGTERM');
});

test('SIGTERM under load: running jobs finish, the rest go back untouched, the exit code is 0', async () => {
  await enqueueWork(sql, 'slow', 50, 3);
  const worker = await spawnWorker(target, { CONCURRENCY: '5' });
  await worker.says(/^began/);
  expect(await worker.end('SIGTERM')).toBe(0);
  const began = worker.lines.filter((line) => line.startsWith('began'));
  const ended = worker.lines.filter((line) => line.startsWith('ended'));
  expect(ended).toHaveLength(began.length);
  const left = await sql`select attempt_count, refunded_count, lease_token from job_queue`;
  expect(left).toHaveLength(50 - began.length);
  expect(new Set(left.map((row) => JSON.stringify(row)))).toEqual(
    new Set([JSON.stringify({ attempt_count: 0, refunded_count: 0, lease_token: null })]),
  );
  await sql`delete from job_queue`;
});

test('the listening connection is lost: work goes on, and the listener comes back', async () => {
  const worker = await spawnWorker(target);
  await sql`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where application_name = 'nexus listener' and datname = current_database()`;
  const [job] = await enqueueWork(sql, 'plain', 1, 3);
  await vi.waitFor(async () => expect((await readJob(sql, job?.id ?? '')).status).toBe('succeeded'), 30_000);
  await vi.waitFor(async () => {
    const listeners = await sql`
      select from pg_stat_activity where application_name = 'nexus listener' and datname = current_database()`;
    expect(listeners).toHaveLength(1);
  }, 30_000);
  expect(await worker.end('SIGTERM')).toBe(0);
});
