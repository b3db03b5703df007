import { beforeAll, expect, test } from 'vitest';
import { useDatabase } from '../../../../test/support/database.ts';
import { jobType, useJobs } from '../../../../test/support/jobs.ts';
import { transaction } from '../../database/transaction.ts';
import { newId } from '../../ids.ts';
import { claim, type LeasedJob } from '../claim/claim.ts';
import { completeJob, writeProgress } from './complete.ts';
import type { Outcome } from './endings.ts';
import { createEndings } from './endings.ts';
import { settle } from './settle.ts';

const { sql, ...database } = useDatabase();
const jobs = useJobs({ sql, ...database });
const worker = { id: newId(), name: 'a worker' };

beforeAll(async () => {
  await sql`
    insert into workers (id, name, queues, concurrency, lease_expires_at)
    values (${worker.id}, ${worker.name}, '{default}', 1, now() + interval '1 hour')`;
});

/** The outcomes that a worker can report for a job whose lease it has lost. */
const said: Record<string, (job: LeasedJob) => Outcome> = {
  succeeded: (job) => ({ kind: 'succeeded', job, runtimeMs: 1, result: '{"stale": true}' }),
  failed: (job) => ({ kind: 'failed', job, runtimeMs: 1, errorText: 'stale', errorCode: null }),
  retry: (job) => ({ kind: 'retry', job, runtimeMs: 1, errorText: 'stale', errorCode: null, delayMs: 0 }),
  cancelled: (job) => ({
    kind: 'cancelled',
    job,
    runtimeMs: 1,
    errorText: 'stale',
    errorCode: 'E_CANCELLED',
  }),
  interrupted: (job) => ({
    kind: 'interrupted',
    job,
    runtimeMs: 1,
    errorText: 'stale',
    errorCode: null,
    delayMs: 0,
  }),
  stopped: (job) => ({
    kind: 'stopped',
    job,
    runtimeMs: 1,
    errorText: 'stale',
    errorCode: 'E_WORKER_STOPPED',
  }),
  released: (job) => ({ kind: 'released', job }),
};

const complete = (job: LeasedJob) =>
  transaction(sql, (tx) =>
    completeJob(tx, {
      job,
      workerName: worker.name,
      runtimeMs: 1,
      completion: {},
      endings: createEndings(new Map()),
    }),
  );

async function leased(): Promise<LeasedJob> {
  await jobs.enqueue(jobType('fenced', async () => undefined));
  const [job] = await claim(sql, { workerId: worker.id, queues: ['default'], want: 1, token: newId() });
  if (!job) throw new Error('Nothing was claimed.');
  return job;
}

test.each(Object.keys(said))('%s under another token or another attempt changes nothing', async (kind) => {
  const job = await leased();
  const row = async () => (await sql`select * from job_queue where job_id = ${job.id}`)[0];
  const before = await row();
  for (const stale of [
    { ...job, lease_token: newId() },
    { ...job, attempt: job.attempt + 1 },
  ]) {
    expect(await settle(sql, worker.name, [said[kind]?.(stale) as Outcome])).toEqual([job.id]);
    await expect(complete(stale)).rejects.toThrow('no longer leased');
    expect(await writeProgress(sql, stale, { stale: true })).toBe(false);
  }
  expect(await row()).toEqual(before);
  expect(await sql`select from job_attempts where job_id = ${job.id}`).toHaveLength(0);
  expect(await settle(sql, worker.name, [said[kind]?.(job) as Outcome])).toEqual([]);
  await sql`delete from job_queue where job_id = ${job.id}`;
});

test('of many outcomes of every kind at once, those that are held no longer are named and the others are written', async () => {
  const kinds = Object.keys(said);
  const held: LeasedJob[] = [];
  for (const _ of kinds) held.push(await leased());
  const lost: LeasedJob[] = [];
  for (const _ of kinds) lost.push({ ...(await leased()), lease_token: newId() });
  const outcomes = [...held, ...lost].map(
    (job, index) => said[kinds[index % kinds.length] ?? '']?.(job) as Outcome,
  );

  expect((await settle(sql, worker.name, outcomes)).sort()).toEqual(lost.map(({ id }) => id).sort());

  const attempts = await sql<{ job_id: string; status: string }[]>`
    select job_id, status from job_attempts where job_id = any(${held.map(({ id }) => id)}) order by job_id`;
  expect(attempts.map(({ status }) => status)).toEqual([
    'succeeded',
    'failed',
    'failed',
    'interrupted',
    'interrupted',
    'interrupted',
  ]);
  const waiting = await sql`
    select from job_queue where job_id = any(${held.map(({ id }) => id)}) and lease_token is null`;
  expect(waiting).toHaveLength(4);
  const untouched = await sql`
    select from job_queue where job_id = any(${lost.map(({ id }) => id)}) and lease_token is not null`;
  expect(untouched).toHaveLength(kinds.length);
});
