import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { transaction } from '../../src/platform/database/transaction.ts';
import { useDatabase } from '../database.ts';
import { jobType, readJob, useJobs } from '../jobs.ts';
import { fileDir } from '../workspace.ts';

const database = useDatabase();
const { sql } = database;
const jobs = useJobs(database);
const types = Object.fromEntries(
  ['effect', 'plain', 'slow'].map((name) => [
    name,
    jobType(name, async () => undefined, { retry: { delays: [0.05] } }),
  ]),
);

interface WorkerProcess {
  child: ChildProcess;
  lines: string[];
  says(pattern: RegExp): Promise<string>;
  end(signal: NodeJS.Signals): Promise<number | null>;
}

const living = new Set<WorkerProcess>();

async function spawnWorker(env: Record<string, string> = {}): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('worker-process.mjs', import.meta.url))], {
    env: {
      PATH: process.env.PATH ?? '',
      DATABASE: JSON.stringify(database.target),
      TEST_FILE_DIR: fileDir,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    child.emit('line');
  });
  const exited = once(child, 'exit');
  const worker: WorkerProcess = {
    child,
    lines,
    async says(pattern) {
      for (;;) {
        const line = lines.find((candidate) => pattern.test(candidate));
        if (line) return line;
        await once(child, 'line');
      }
    },
    async end(signal) {
      living.delete(worker);
      child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
  living.add(worker);
  await worker.says(/^ready/);
  return worker;
}

beforeAll(async () => {
  await sql`create table effects (job_id uuid not null, attempt int not null, pid int not null)`;
  await sql`create table runs (job_id uuid not null, attempt int not null)`;
});

afterAll(async () => {
  await Promise.all([...living].map((worker) => worker.end('SIGKILL')));
});

function enqueueMany(type: string, count: number, maxAttempts: number) {
  return transaction(sql, (tx) =>
    jobs.enqueueMany(
      tx,
      Array.from({ length: count }, () => ({ type: types[type] as never, payload: {}, maxAttempts })),
    ),
  );
}

const unfinished = async () => Number((await sql`select count(*) as n from job_queue`)[0]?.n);

/** A fixed sequence, so that a failure can be repeated. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

test('workers killed at random lose no job, double no committed effect and leave one row for each attempt', async () => {
  const chance = random(20261115);
  const total = 3000;
  await enqueueMany('effect', total / 2, 10);
  await enqueueMany('plain', total / 2, 10);
  const crew = await Promise.all(Array.from({ length: 4 }, () => spawnWorker()));
  let kills = 0;
  while ((await unfinished()) > 0) {
    if (kills < 12) {
      const victim = Math.floor(chance() * crew.length);
      await crew[victim]?.end('SIGKILL');
      crew[victim] = await spawnWorker();
      kills += 1;
    }
    await once(crew[0]?.child as ChildProcess, 'line', { signal: AbortSignal.timeout(50) }).catch(
      () => undefined,
    );
  }
  expect(kills).toBeGreaterThan(0);

  const states = await sql`
    select job_type, count(*) as n from jobs where exists (
      select from job_attempts where job_id = jobs.id and status = 'succeeded'
    ) group by job_type order by job_type`;
  expect([...states]).toEqual([
    { job_type: 'effect', n: total / 2 },
    { job_type: 'plain', n: total / 2 },
  ]);
  const [doubled] =
    await sql`select count(*) as n from (select job_id from effects group by job_id having count(*) > 1) as d`;
  expect(doubled?.n).toBe(0);
  const [lost] = await sql`
    select count(*) as n from jobs where job_type = 'effect' and not exists (select from effects where job_id = jobs.id)`;
  expect(lost?.n).toBe(0);
  const [gaps] = await sql`
    select count(*) as n from (
      select job_id from job_attempts group by job_id
      having count(*) <> max(attempt_number) or count(*) filter (where status = 'succeeded') <> 1
    ) as odd`;
  expect(gaps?.n).toBe(0);
  await Promise.all(crew.map((worker) => worker.end('SIGTERM')));
  const interrupted =
    await sql`select from job_attempts where status = 'interrupted' and error_code = 'E_LEASE_EXPIRED'`;
  const audited = await sql`select from audit_logs where action = 'job.lease_expired'`;
  expect(audited.length).toBe(interrupted.length);
});

test('a worker frozen past its lease and thawed writes nothing; its job ran elsewhere', async () => {
  const [job] = await enqueueMany('slow', 1, 3);
  const id = job?.id ?? '';
  const frozen = await spawnWorker({ LEASE_SECONDS: '1' });
  await frozen.says(/^began/);
  frozen.child.kill('SIGSTOP');
  const other = await spawnWorker({ LEASE_SECONDS: '1' });
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
  await enqueueMany('slow', 50, 3);
  const worker = await spawnWorker({ CONCURRENCY: '5' });
  await worker.says(/^began/);
  expect(await worker.end('SIGTERM')).toBe(0);
  const began = worker.lines.filter((line) => line.startsWith('began'));
  const ended = worker.lines.filter((line) => line.startsWith('ended'));
  expect(ended).toHaveLength(began.length);
  const left = await sql`select state, attempt_count, lease_token from job_queue`;
  expect(left).toHaveLength(50 - began.length);
  expect(new Set(left.map((row) => JSON.stringify(row)))).toEqual(
    new Set([JSON.stringify({ state: 'queued', attempt_count: 0, lease_token: null })]),
  );
  await sql`delete from job_queue`;
});

test('the listening connection is lost: work goes on, and the listener comes back', async () => {
  const worker = await spawnWorker();
  await sql`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where application_name = 'nexus listener' and datname = current_database()`;
  const [job] = await enqueueMany('plain', 1, 3);
  await vi.waitFor(async () => expect((await readJob(sql, job?.id ?? '')).status).toBe('succeeded'), 10_000);
  await vi.waitFor(async () => {
    const listeners = await sql`
      select from pg_stat_activity where application_name = 'nexus listener' and datname = current_database()`;
    // This process listens, too.
    expect(listeners).toHaveLength(2);
  }, 10_000);
  expect(await worker.end('SIGTERM')).toBe(0);
});
