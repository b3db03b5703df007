import { beforeAll, expect, test } from 'vitest';
import { useDatabase } from '../../../../test/support/database.ts';
import { jobType, readJob, useJobs } from '../../../../test/support/jobs.ts';
import { newId } from '../../ids.ts';
import { claim } from './claim.ts';

const database = useDatabase();
const { sql } = database;
const jobs = useJobs(database);
const workerId = newId();
const request = (want: number) => ({ workerId, queues: ['default', 'aside'], want, token: newId() });

beforeAll(async () => {
  await sql`
    insert into workers (id, name, queues, concurrency, lease_expires_at)
    values (${workerId}, 'a worker', '{default}', 1, now() + interval '1 hour')`;
});

test('a worker that was taken for dead is given nothing', async () => {
  const { id } = await jobs.enqueue(jobType('anything', async () => undefined));
  expect(await claim(sql, { ...request(10), workerId: newId() })).toHaveLength(0);
  expect(await readJob(sql, id)).toMatchObject({ status: 'queued', attempt_count: 0 });
  await sql`truncate jobs, job_queue`;
});
