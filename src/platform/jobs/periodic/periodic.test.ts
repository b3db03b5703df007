import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useDatabase } from '../../../../test/support/database.ts';
import { anyNothing, silentLog, useJobs } from '../../../../test/support/jobs.ts';
import type { Database } from '../../database/database.ts';
import { defineJobType } from '../job-type.ts';
import { createSchedule } from './periodic.ts';

const database = useDatabase();
const { sql } = database;
const _jobs = useJobs(database);
const sweep = defineJobType('sweep', { payload: anyNothing, handler: async () => undefined });
const keepers: { stop(): Promise<void> }[] = [];

function keep(on: Database = sql, everySeconds = 3600) {
  const schedule = createSchedule({
    sql: on,
    log: silentLog,
    periodic: [{ type: sweep, everySeconds }],
  });
  const keeper = schedule.keep();
  keepers.push(keeper);
  return keeper;
}

const queued = async () => (await sql`select from jobs where job_type = 'sweep'`).length;
const untilQueued = (count: number) => vi.waitFor(async () => expect(await queued()).toBe(count), 30_000);
const finishAll = () => sql`delete from job_queue`;
const bringForward = (by: string) =>
  sql`update job_schedules set next_run_at = next_run_at - ${by}::interval`;
const nextInSeconds = async () => {
  const [row] =
    await sql`select extract(epoch from next_run_at - now())::float8 as seconds from job_schedules`;
  return Number(row?.seconds);
};

beforeEach(async () => {
  await sql`truncate jobs, job_queue, job_attempts, job_schedules`;
});
afterEach(async () => {
  await Promise.all(keepers.splice(0).map((keeper) => keeper.stop()));
});

test('work is queued once for an interval, however many look at once', async () => {
  const pools = database.twoConnections();
  for (const pool of [...pools, ...pools, ...pools, ...pools]) keep(pool);
  await untilQueued(1);
  await Promise.all(keepers.map((keeper) => keeper.stop()));
  expect(await queued()).toBe(1);
});

test('when its time comes it is queued again, without anybody starting anew', async () => {
  keep(sql, 0.2);
  await untilQueued(1);
  await finishAll();
  await untilQueued(2);
});

test('a job that is not over stands for its interval', async () => {
  await keep().stop();
  await bringForward('1 hour');
  await keep().stop();
  expect(await queued()).toBe(1);
  await finishAll();
  await bringForward('1 hour');
  await keep().stop();
  expect(await queued()).toBe(2);
});

test('intervals that passed while nobody worked are one, and the rhythm is kept', async () => {
  await keep().stop();
  await finishAll();
  await bringForward('10 hours 30 minutes');
  await keep().stop();
  expect(await queued()).toBe(2);
  expect(await nextInSeconds()).toBeCloseTo(1800, -1);
});

test('of the jobs that succeeded the last one is kept; one that failed stays', async () => {
  const jobOf = async () => (await sql`select last_job_id as id from job_schedules`)[0]?.id as string;
  const end = async (status: 'succeeded' | 'failed') => {
    await sql`
      insert into job_attempts (job_id, attempt_number, status, error_text, worker, started_at, runtime_ms)
      values (${await jobOf()}, 1, ${status}, ${status === 'failed' ? 'it failed' : null}, 'a worker', now(), 1)`;
    await finishAll();
    await bringForward('1 hour');
  };
  await keep().stop();
  const first = await jobOf();
  await end('succeeded');
  await keep().stop();
  const second = await jobOf();
  await end('failed');
  await keep().stop();
  const third = await jobOf();
  const left = await sql<{ id: string }[]>`select id from jobs order by id`;
  expect(left.map(({ id }) => id)).toEqual([second, third]);
  expect(await sql`select from job_attempts where job_id = ${first}`).toHaveLength(0);
});

test('a shorter interval takes effect at once', async () => {
  await keep(sql, 3600).stop();
  await keep(sql, 60).stop();
  expect(await nextInSeconds()).toBeLessThanOrEqual(60);
});

test('what two processes queue at the same moment is one: the second waits and finds it done', async () => {
  await keep().stop();
  await finishAll();
  await bringForward('1 hour');
  const [holder] = database.twoConnections();
  const client = await holder.connect();
  await client.query('begin');
  await client.query(`select from job_schedules for update`);
  const blocked = [keep(), keep()];
  await vi.waitFor(async () => {
    const waiting =
      await sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    expect(waiting).toHaveLength(2);
  }, 30_000);
  await client.query('commit');
  client.release();
  await Promise.all(blocked.map((keeper) => keeper.stop()));
  expect(await queued()).toBe(2);
});
