import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Database } from '../../../src/platform/database/database.ts';
import { register } from '../../../src/platform/work/registration.ts';
import { openTestDatabase } from '../../support/database.ts';
import { gate, silentLog } from '../../support/jobs.ts';
import { type RestartableServer, startServer } from '../../support/server.ts';
import { spawnWorker } from './crew.ts';
import { enqueueWork, expectAllDoneOnce, openLedger, unfinished } from './ledger.ts';

let server: RestartableServer;
let sql: Database;

beforeAll(async () => {
  server = await startServer();
  sql = openTestDatabase(server.target);
  await openLedger(sql);
});
afterAll(async () => {
  await sql.end();
  await server.stop();
});

/** Asks again when the server was just restarted. */
const left = () => vi.waitFor(() => unfinished(sql), 30_000);

test.each(['fast', 'immediate'] as const)(
  'PostgreSQL restarted under load (%s): workers reconnect by themselves, nothing is lost',
  { timeout: 120_000 },
  async (mode) => {
    await sql`truncate jobs, job_queue, job_attempts, effects, runs, audit_logs`;
    const crew = await Promise.all(Array.from({ length: 3 }, () => spawnWorker(server.target)));
    for (let portion = 1; portion <= 2; portion++) {
      await enqueueWork(sql, 'effect', 700, 10);
      await enqueueWork(sql, 'plain', 700, 10);
      await server.restart(mode);
    }
    await vi.waitFor(async () => expect(await left()).toBe(0), 60_000);
    await expectAllDoneOnce(sql, { effect: 1400, plain: 1400 });
    expect(await Promise.all(crew.map((worker) => worker.end('SIGTERM')))).toEqual([0, 0, 0]);
  },
);

test('PostgreSQL gone for longer than a lease: the jobs that the worker dropped are taken back and run again', async () => {
  await sql`truncate jobs, job_queue, job_attempts, effects, runs, audit_logs`;
  const worker = await spawnWorker(server.target);
  await enqueueWork(sql, 'slow', 3, 3);
  await worker.says(/^began/);
  await server.stop();
  await worker.says(/could not renew its leases in time/);
  await server.start();
  await vi.waitFor(async () => expect(await left()).toBe(0), 30_000);
  expect(worker.lines.filter((line) => line.startsWith('ended'))).toHaveLength(3);
  expect(await worker.end('SIGTERM')).toBe(0);
});

test('a worker that could not renew its leases in time never comes back to them', async () => {
  await sql`truncate workers`;
  const lost = gate();
  const registration = await register({
    sql,
    log: silentLog,
    queues: ['default'],
    concurrency: 1,
    leaseSeconds: 1,
    runningCount: () => 0,
  });
  registration.onLost(lost.open);
  const former = registration.current().id;
  await server.stop();
  await lost.opened;
  await server.start();

  const entry = (id: string) => sql`select lease_expires_at < now() as is_over from workers where id = ${id}`;
  await vi.waitFor(
    async () => expect([...(await entry(registration.current().id))]).toEqual([{ is_over: false }]),
    30_000,
  );
  // The entry must stay and expire, or the jobs that were leased under it are never taken back.
  expect([...(await entry(former))]).toEqual([{ is_over: true }]);
  await registration.close(false);
});

test('a worker that is told to stop while PostgreSQL is gone stops, and its job runs elsewhere', async () => {
  await sql`truncate jobs, job_queue, job_attempts, effects, runs, audit_logs`;
  const worker = await spawnWorker(server.target, { GRACE_SECONDS: '1' });
  await enqueueWork(sql, 'slow', 1, 3);
  await worker.says(/^began/);
  await server.stop();
  expect(await worker.end('SIGTERM')).toBe(0);
  expect(worker.lines).not.toContainEqual(expect.stringMatching(/^ended/));

  await server.start();
  const another = await spawnWorker(server.target);
  await another.says(/^ended/);
  await vi.waitFor(async () => expect(await left()).toBe(0), 30_000);
  expect(await another.end('SIGTERM')).toBe(0);
});
