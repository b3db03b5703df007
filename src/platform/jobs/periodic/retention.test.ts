import { beforeEach, expect, test } from 'vitest';
import { useDatabase } from '../../../../test/support/database.ts';
import { jobType, readJob, useJobs } from '../../../../test/support/jobs.ts';
import { firstIdAt } from '../../ids.ts';
import { createControl } from '../control/control.ts';
import { periodicJobRetention } from './retention.ts';

const database = useDatabase();
const { sql } = database;
const jobs = useJobs(database);
const control = createControl(sql);
const DAYS = 30;
const retention = periodicJobRetention(sql, DAYS).type as never;
const kept = jobType('kept', async () => ({ artifacts: [{ artifact_type: 'kept_result' }] }));

beforeEach(async () => {
  await sql`truncate jobs, job_queue, job_attempts, job_artifacts`;
});

/** Lets a job have been made, tried and cancelled so many days earlier. */
async function age(id: string, days: number): Promise<string> {
  const older = firstIdAt(new Date(Date.now() - days * 86_400_000)).slice(0, 13) + id.slice(13);
  const by = `${days} days`;
  await sql`
    update jobs
    set id = ${older}, created_at = created_at - ${by}::interval, cancelled_at = cancelled_at - ${by}::interval
    where id = ${id}`;
  await sql`update job_queue set job_id = ${older} where job_id = ${id}`;
  await sql`update job_artifacts set job_id = ${older} where job_id = ${id}`;
  await sql`
    update job_attempts set job_id = ${older}, finished_at = finished_at - ${by}::interval where job_id = ${id}`;
  return older;
}

async function finished(): Promise<string> {
  const { id } = await jobs.enqueue(kept);
  await (await jobs.work([kept], { untilEmpty: true })).stopped;
  return id;
}

async function sweep(): Promise<unknown> {
  const { id } = await jobs.enqueue(retention);
  await (await jobs.work([retention], { queues: ['maintenance'], untilEmpty: true })).stopped;
  const job = await readJob(sql, id);
  expect(job.status).toBe('succeeded');
  return job.result;
}

test('what has been over for long goes, with its attempts and artifacts; the rest stays', async () => {
  const old = await age(await finished(), DAYS + 1);
  const young = await age(await finished(), DAYS - 1);
  const { id: cancelled } = await jobs.enqueue(kept);
  await control.cancel(cancelled, { name: 'test' });
  await age(cancelled, DAYS + 1);
  const { id: waiting } = await jobs.enqueue(kept, {}, { delaySeconds: 3600 });
  const stillWaiting = await age(waiting, DAYS + 1);

  expect(await sweep()).toEqual({ deleted: 2 });
  const left = await sql<{ id: string }[]>`select id from jobs where job_type = 'kept' order by id`;
  expect(left.map(({ id }) => id)).toEqual([stillWaiting, young]);
  for (const table of [sql`job_attempts`, sql`job_artifacts`]) {
    expect(await sql`select from ${table} where job_id = ${old}`).toHaveLength(0);
    expect(await sql`select from ${table} where job_id = ${young}`).toHaveLength(1);
  }
});

test('a job that was made long ago and has just ended stays', async () => {
  const { id } = await jobs.enqueue(kept);
  const older = await age(id, DAYS + 1);
  await (await jobs.work([kept], { untilEmpty: true })).stopped;
  expect(await sweep()).toEqual({ deleted: 0 });
  expect((await readJob(sql, older)).status).toBe('succeeded');
});

test('a job that an operator is queueing again at this moment stays', async () => {
  const id = await age(await finished(), DAYS + 1);
  const [operator] = database.twoConnections();
  const client = await operator.connect();
  await client.query('begin');
  await client.query('select from jobs where id = $1 for update', [id]);
  expect(await sweep()).toEqual({ deleted: 0 });
  await client.query('commit');
  client.release();
  expect(await sweep()).toEqual({ deleted: 1 });
});

test('more than one batch is swept', async () => {
  await sql`
    insert into jobs (id, job_type, queue, cancelled_at)
    select overlay(gen_random_uuid()::text placing '00000000-0000' from 1 for 13)::uuid, 'kept', 'default', '1970-01-01'
    from generate_series(1, 2500)`;
  expect(await sweep()).toEqual({ deleted: 2500 });
});
