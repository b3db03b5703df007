import { afterAll, expect, test, vi } from 'vitest';
import { createListener } from '../../../src/platform/database/listener.ts';
import { collectJobTypes } from '../../../src/platform/jobs/job-type.ts';
import { createInline } from '../../../src/platform/jobs/run/inline.ts';
import { createEndings } from '../../../src/platform/jobs/settle/endings.ts';
import { startWorker } from '../../../src/platform/jobs/worker.ts';
import { openTestDatabase, useDatabase } from '../../support/database.ts';
import { jobType, readJob, silentLog, useJobs } from '../../support/jobs.ts';
import { openLosingProxy } from '../../support/losing-proxy.ts';

const database = useDatabase();
const jobs = useJobs(database, { listen: false });
const { sql, target } = database;
const way = await openLosingProxy(target);
/** The address of the database through a proxy that can lose answers. */
const far = openTestDatabase({ ...target, host: '127.0.0.1', port: way.port });
afterAll(async () => {
  await far.end();
  way.close();
});

test('jobs of a claim whose answer was lost are returned to the queue and run', async () => {
  const began = vi.fn(async () => undefined);
  const type = jobType('claimed', began);
  const listener = createListener({ sql: far, log: silentLog, listenAt: undefined });
  const types = collectJobTypes([type]);
  const { id } = await jobs.enqueue(type);
  // A connection sends the text of a statement when it uses it for the first time.
  way.cut('set attempt_count = attempt_count + 1');
  const worker = await startWorker({
    sql: far,
    listener,
    log: silentLog,
    types,
    endings: createEndings(types),
    queues: ['default'],
    concurrency: 1,
    leaseSeconds: 60,
    pollSeconds: 0.2,
    graceSeconds: 5,
  });
  await vi.waitFor(async () => expect(await readJob(sql, id)).toMatchObject({ status: 'succeeded' }), 20_000);

  expect(way.cuts()).toBe(1);
  expect(began).toHaveBeenCalledTimes(1);
  expect(await readJob(sql, id)).toMatchObject({ attempt_count: 1 });
  await worker.stop();
  await listener.close();
});

test('a synchronous job whose start was lost on the connection is left to the workers', async () => {
  const type = jobType('waited for', async () => undefined);
  const inline = createInline({
    sql: far,
    types: collectJobTypes([type]),
    endings: createEndings(new Map()),
    listener: jobs.listener,
    log: silentLog,
    leaseSeconds: 60,
  });
  await inline.run({ type, payload: {} });
  // Other transactions of the worker commit meanwhile, too.
  way.cut('commit', 'key of the cut');
  await expect(inline.run({ type, payload: {}, idempotencyKey: 'key of the cut' })).rejects.toThrow(
    'terminated',
  );

  const [lost] = await sql<[{ id: string }]>`select id from jobs where idempotency_key = 'key of the cut'`;
  await vi.waitFor(
    async () => expect(await readJob(sql, lost.id)).toMatchObject({ status: 'queued' }),
    30_000,
  );
  const worker = await jobs.work([type]);
  await vi.waitFor(
    async () => expect(await readJob(sql, lost.id)).toMatchObject({ status: 'succeeded' }),
    30_000,
  );
  await worker.stop();
  await inline.close();
});
