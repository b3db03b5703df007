import { expect, test } from 'vitest';
import { useDatabase } from '../../../../test/support/database.ts';
import { gate, jobType, readJob, useJobs } from '../../../../test/support/jobs.ts';
import { transaction } from '../../database/transaction.ts';

const database = useDatabase();
const { sql } = database;
const jobs = useJobs(database);
const PATIENCE = { timeout: 20_000 };

const artifactsOf = async (jobId: string) => [
  ...(await sql`select artifact_type, artifact_payload from job_artifacts where job_id = ${jobId}`),
];

test('a checkpoint shows while the job runs, is replaced by the next, and by the completion', async () => {
  const [reached, released] = [gate(), gate()];
  const type = jobType('checkpointed', async (_payload, context) => {
    for (const step of [1, 2]) {
      await transaction(sql, (tx) =>
        context.checkpoint(tx, { artifact_type: 'steps', artifact_payload: { step } }),
      );
    }
    reached.open();
    await released.opened;
    return { artifacts: [{ artifact_type: 'steps', artifact_payload: { all: true } }] };
  });
  const worker = await jobs.work([type]);
  const { id } = await jobs.enqueue(type);
  await reached.opened;
  expect(await artifactsOf(id)).toEqual([{ artifact_type: 'steps', artifact_payload: { step: 2 } }]);
  released.open();
  await expect.poll(() => readJob(sql, id), PATIENCE).toMatchObject({ status: 'succeeded' });
  expect(await artifactsOf(id)).toEqual([{ artifact_type: 'steps', artifact_payload: { all: true } }]);
  await worker.stop();
});

test('the next attempt finds what the last one left', async () => {
  const found: unknown[] = [];
  const type = jobType(
    'resumed',
    async (_payload, context) => {
      found.push(await context.lastCheckpoint('steps'));
      if (context.attempt === 2) return undefined;
      await transaction(sql, (tx) =>
        context.checkpoint(tx, { artifact_type: 'steps', artifact_payload: { step: 1 } }),
      );
      throw new Error('not yet');
    },
    { retry: { delays: [0] } },
  );
  const worker = await jobs.work([type], { pollSeconds: 0.1 });
  const { id } = await jobs.enqueue(type);
  await expect.poll(() => readJob(sql, id), PATIENCE).toMatchObject({ status: 'succeeded' });
  expect(found).toEqual([undefined, { step: 1 }]);
  await worker.stop();
});

test('whoever has lost the lease checkpoints nothing, and what goes with it is undone', async () => {
  const [reached, released] = [gate(), gate()];
  let failure: unknown;
  const type = jobType('late', async (_payload, context) => {
    reached.open();
    await released.opened;
    const work = transaction(sql, async (tx) => {
      await tx`insert into job_schedules (name) values ('done by somebody who is late')`;
      await context.checkpoint(tx, { artifact_type: 'steps' });
    });
    failure = await work.catch((error) => error);
    return undefined;
  });
  const worker = await jobs.work([type]);
  const { id } = await jobs.enqueue(type);
  await reached.opened;
  await sql`delete from job_queue where job_id = ${id}`;
  released.open();
  await expect.poll(() => failure, PATIENCE).toMatchObject({ name: 'LeaseLost' });
  expect(await artifactsOf(id)).toEqual([]);
  expect(await sql`select from job_schedules where name like 'done by%'`).toHaveLength(0);
  await worker.stop();
});
