import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Database } from '../../src/platform/database/database.ts';
import { random, spawnWorker, type WorkerProcess } from '../crash/jobs/crew.ts';
import { enqueueWork, expectAllDoneOnce, openLedger, unfinished } from '../crash/jobs/ledger.ts';
import { openTestDatabase } from '../support/database.ts';
import { type RestartableServer, startServer } from '../support/server.ts';

const SEED = Number(process.env.SOAK_SEED ?? 20261115);
const JOBS = Number(process.env.SOAK_JOBS ?? 200_000);
const WORKERS = 8;
const BATCH = 2000;

let server: RestartableServer;
let sql: Database;

beforeAll(async () => {
  server = await startServer({ max_connections: '200' });
  sql = openTestDatabase(server.target);
  await openLedger(sql);
});
afterAll(async () => {
  await sql.end();
  await server.stop();
});

const say = (line: string) => process.stdout.write(`${line}\n`);

/** Retries while the server restarts. */
const retrying = <T>(work: () => Promise<T>) => vi.waitFor(work, { timeout: 60_000, interval: 100 });

test(`${WORKERS} workers do ${JOBS} jobs, each once, whatever happens to them`, async () => {
  const chance = random(SEED);
  const crew = await Promise.all(Array.from({ length: WORKERS }, () => spawnWorker(server.target)));
  const frozen = new Set<WorkerProcess>();
  const happened = new Map<string, number>();

  const anyone = () => Math.floor(chance() * crew.length);
  async function replace(index: number, signal: NodeJS.Signals): Promise<void> {
    const worker = crew[index] as WorkerProcess;
    if (frozen.delete(worker)) worker.child.kill('SIGCONT');
    const code = await worker.end(signal);
    if (signal === 'SIGTERM') expect(code).toBe(0);
    crew[index] = await retrying(() => spawnWorker(server.target));
  }
  const trouble: [name: string, weight: number, happen: () => PromiseLike<unknown>][] = [
    ['a worker was killed (SIGKILL)', 40, () => replace(anyone(), 'SIGKILL')],
    ['a worker was told to stop (SIGTERM)', 15, () => replace(anyone(), 'SIGTERM')],
    [
      'a worker was frozen (SIGSTOP)',
      10,
      async () => {
        const worker = crew[anyone()] as WorkerProcess;
        frozen.add(worker);
        worker.child.kill('SIGSTOP');
      },
    ],
    [
      'the frozen workers were thawed (SIGCONT)',
      10,
      async () => {
        for (const worker of frozen) worker.child.kill('SIGCONT');
        frozen.clear();
      },
    ],
    [
      'a database connection was ended',
      20,
      () => sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'nexus crash test worker' order by md5(pid || ${String(chance())}) limit 1`,
    ],
    [
      'every listener was ended',
      5,
      () => sql`
        select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'nexus listener'`,
    ],
    ['PostgreSQL was stopped and started', 2, () => server.restart('fast')],
    ['PostgreSQL crashed and was started', 2, () => server.restart('immediate')],
  ];
  const tickets = trouble.flatMap((entry) => Array<typeof entry>(entry[1]).fill(entry));
  const pick = () => tickets[Math.floor(chance() * tickets.length)] as (typeof trouble)[number];

  say(`seed ${SEED}, ${JOBS} jobs, ${WORKERS} workers`);
  let queued = 0;
  let left = 0;
  for (let step = 1; queued < JOBS || left > 0; step++) {
    while (queued < JOBS && left < BATCH * 4) {
      await retrying(() => enqueueWork(sql, queued % (2 * BATCH) === 0 ? 'effect' : 'plain', BATCH, 10));
      queued += BATCH;
      left += BATCH;
    }
    const [name, , happen] = pick();
    await retrying(async () => happen());
    happened.set(name, (happened.get(name) ?? 0) + 1);
    left = await retrying(() => unfinished(sql));
    if (step % 20 === 0) say(`${queued - left} of ${JOBS} done, ${step} times trouble`);
    if (queued >= JOBS && frozen.size === crew.length)
      for (const worker of frozen) worker.child.kill('SIGCONT');
  }

  await expectAllDoneOnce(sql, { effect: JOBS / 2, plain: JOBS / 2 });
  const [attempts] = await sql<[{ n: number; interrupted: number }]>`
    select count(*) as n, count(*) filter (where status = 'interrupted') as interrupted from job_attempts`;
  for (const worker of frozen) worker.child.kill('SIGCONT');
  expect(await Promise.all(crew.map((worker) => worker.end('SIGTERM')))).toEqual(Array(WORKERS).fill(0));
  say(
    `\nAll ${JOBS} jobs are done, each once, in ${attempts.n} attempts, ${attempts.interrupted} of them interrupted.`,
  );
  for (const [name] of trouble) say(`${String(happened.get(name) ?? 0).padStart(6)}  ${name}`);
});
