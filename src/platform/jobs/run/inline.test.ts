import { afterAll, describe, expect, test, vi } from 'vitest';
import { useDatabase } from '../../../../test/support/database.ts';
import { gate, jobType, readJob, silentLog, useJobs } from '../../../../test/support/jobs.ts';
import type { Transaction } from '../../database/database.ts';
import { createControl } from '../control/control.ts';
import { collectJobTypes, type JobType } from '../job-type.ts';
import { createEndings } from '../settle/endings.ts';
import { createInline } from './inline.ts';

const database = useDatabase();
const { sql } = database;
const jobs = useJobs(database);
const control = createControl(sql);

const double = jobType('double', async ({ n }) => ({
  result: { doubled: Number(n) * 2 },
  artifacts: [{ artifact_type: 'double_result', artifact_payload: { n } }],
}));
const failing = jobType('failing', async () => {
  throw new Error('it did not work');
});
let began = gate();
let finish = gate();
const patient = jobType('patient', async (_payload, { signal }) => {
  began.open();
  await Promise.race([
    finish.opened,
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  ]);
  return undefined;
});

function open() {
  const types = collectJobTypes([double, failing, patient]);
  const { listener } = jobs;
  return createInline({
    sql,
    types,
    listener,
    log: silentLog,
    endings: createEndings(types),
    leaseSeconds: 30,
  });
}
const inline = open();
afterAll(() => inline.close());

const run = (type: JobType<Record<string, unknown>>, payload = {}, idempotencyKey?: string) =>
  inline.run({ type, payload, idempotencyKey });

describe('a job that its caller waits for', () => {
  test('is over when the call returns, with its result, its artifact and one attempt', async () => {
    const { id, created } = await run(double, { n: 21 });
    expect(created).toBe(true);
    expect(await readJob(sql, id)).toMatchObject({
      status: 'succeeded',
      execution_mode: 'sync',
      result: { doubled: 42 },
      attempts: [{ attempt_number: 1, status: 'succeeded' }],
    });
    expect(await sql`select from job_artifacts where job_id = ${id}`).toHaveLength(1);
  });

  test('has failed after one attempt, whatever its retry policy', async () => {
    const { id } = await inline.run({ type: failing, payload: {}, maxAttempts: 5 });
    expect(await readJob(sql, id)).toMatchObject({ status: 'failed', max_attempts: 1, attempt_count: 1 });
  });

  test('is never seen by a worker', async () => {
    began = gate();
    finish = gate();
    const worker = await jobs.work([patient]);
    const running = run(patient);
    await began.opened;
    const [row] = await sql`
      select workers.name, workers.queues
      from job_queue join workers on workers.id = job_queue.worker_id`;
    expect(row?.name).not.toBe(worker.name);
    expect(row?.queues).toEqual([]);
    finish.open();
    await running;
    expect(worker.begun()).toBe(0);
    await worker.stop();
  });

  test('under a key that was used before is the job that exists; of many at once, one runs', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => run(double, { n: 1 }, 'the-same')));
    expect(answers.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect((await readJob(sql, answers[0]?.id ?? '')).attempts).toHaveLength(1);
  });

  test('exists together with the claim of its caller: the claim is there before it begins, or there is no job', async () => {
    await sql`create table claims (key text primary key)`;
    const claim = async (tx: Transaction) => void (await tx`insert into claims values ('once')`);
    began = gate();
    finish = gate();
    const running = inline.run({ type: patient, payload: {} }, { claim });
    await began.opened;
    expect(await sql`select from claims`).toHaveLength(1);
    const jobsBefore = await sql`select id from jobs order by id`;
    await expect(inline.run({ type: double, payload: { n: 1 } }, { claim })).rejects.toThrow('claims_pkey');
    expect(await sql`select id from jobs order by id`).toEqual(jobsBefore);
    finish.open();
    await running;
  });

  test('can be cancelled meanwhile', async () => {
    began = gate();
    finish = gate();
    const running = run(patient);
    await began.opened;
    const [{ job_id } = { job_id: '' }] = await sql<{ job_id: string }[]>`select job_id from job_queue`;
    await control.cancel(job_id, { name: 'test' });
    await running;
    expect((await readJob(sql, job_id)).status).toBe('cancelled');
  });

  test('is handed back when the process stops, and a worker finishes it', async () => {
    began = gate();
    finish = gate();
    const stopping = open();
    const running = stopping.run({ type: patient, payload: {} });
    await began.opened;
    await stopping.close();
    const { id } = await running;
    expect(await readJob(sql, id)).toMatchObject({
      status: 'queued',
      attempts: [{ status: 'interrupted', error_code: 'E_WORKER_STOPPED' }],
    });
    finish.open();
    const worker = await jobs.work([patient]);
    await vi.waitFor(async () => expect((await readJob(sql, id)).status).toBe('succeeded'), 30_000);
    await worker.stop();
  });

  test('is refused, and leaves nothing, while its process is taken for dead', async () => {
    const lost = open();
    await lost.run({ type: double, payload: { n: 1 } });
    await sql`delete from workers where queues = '{}'`;
    const [before] = await sql`select count(*) as n from jobs`;
    await expect(lost.run({ type: double, payload: { n: 2 } })).rejects.toMatchObject({
      code: 'E_UNAVAILABLE',
    });
    expect((await sql`select count(*) as n from jobs`)[0]).toEqual(before);
    await lost.close();
  });
});
