import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { verifyBackup } from '../../../src/platform/backup/verify.ts';
import { transaction } from '../../../src/platform/database/transaction.ts';
import { createControl } from '../../../src/platform/jobs/control/control.ts';
import { enqueue } from '../../../src/platform/jobs/submit/enqueue.ts';
import { call, DEV_KEYS } from '../../support/app.ts';
import { runCommand } from '../../support/command.ts';
import { openTestDatabase, useDatabase } from '../../support/database.ts';
import { gate, jobType, readJob, useJobs } from '../../support/jobs.ts';
import { startNexus } from '../../support/nexus-process.ts';
import { newDirectory } from '../../support/workspace.ts';
import { startTransactionPooler, type TransactionPooler } from './transaction-pooler.ts';

const database = useDatabase();
let pooler: TransactionPooler;
const env = () => ({
  NEXUS_DATABASE_URL: `postgres://anybody@127.0.0.1:${pooler.port}/anything`,
  NEXUS_DATABASE_POOLED: 'true',
  NEXUS_WORKER_POLL_SECONDS: '0.1',
});

beforeAll(async () => {
  pooler = await startTransactionPooler(database.target, 3);
});
afterAll(() => pooler.close());

test('the pooler has the limits of a real one: no settings, no prepared statements, no listeners', async () => {
  const target = { url: env().NEXUS_DATABASE_URL };
  const asking = openTestDatabase(target);
  await expect(asking`select`).rejects.toThrow('unsupported startup parameter');
  await asking.end();

  const pooled = openTestDatabase(target, 1, true);
  const client = await pooled.connect();
  const prepared = () => client.query({ name: 'one', text: 'select 1' });
  await prepared();
  await expect(prepared()).rejects.toThrow('does not exist');
  client.release(true);
  await pooled.end();
});

describe('behind a transaction pooler', () => {
  test('a backup is made, which takes three of its connections', async () => {
    const file = path.join(await newDirectory('backups'), 'pooled.tar');
    const data = { NEXUS_DATA_DIR: await newDirectory('data') };
    expect(await runCommand(['backup', file], { ...env(), ...data })).toMatchObject({ code: 0 });
    const { manifest } = await verifyBackup(file);
    expect(manifest.tables.schema_migrations?.rows).toBeGreaterThan(30);
  });

  test('Nexus migrates, serves and runs jobs', async () => {
    expect(await runCommand(['migrate'], env())).toMatchObject({ code: 0 });
    const nexus = startNexus(['serve'], { env: env() });
    const url = await nexus.ready();
    const key = DEV_KEYS.operator;
    const before = pooler.transactions();
    for (const execution_mode of ['async', 'sync']) {
      const { body } = await call(url, 'POST', '/api/v1/jobs/submit', {
        key,
        body: { job_type: 'integrity_audit', execution_mode },
      });
      await vi.waitFor(async () => {
        const job = await call(url, 'GET', `/api/v1/jobs/${body.job_id}`, { key });
        expect(job.body).toMatchObject({ status: 'succeeded', error_text: null });
      }, 30_000);
    }
    expect(pooler.transactions()).toBeGreaterThan(before);
    expect(await nexus.stop()).toBe(0);
    expect(nexus.output()).not.toMatch(/"level":(40|50|60)/);
  });

  test('an idle worker finds by polling what another process queued', async () => {
    const worker = startNexus(['worker'], { env: env() });
    await worker.prints(/is ready/);
    const nexus = startNexus(['serve', '--no-worker'], { env: env() });
    const url = await nexus.ready();
    const key = DEV_KEYS.operator;
    const { body } = await call(url, 'POST', '/api/v1/jobs/submit', {
      key,
      body: { job_type: 'integrity_audit' },
    });
    await vi.waitFor(async () => {
      const job = await call(url, 'GET', `/api/v1/jobs/${body.job_id}`, { key });
      expect(job.body.status).toBe('succeeded');
    }, 30_000);
    expect(await Promise.all([nexus.stop(), worker.stop()])).toEqual([0, 0]);
  });
});

test('without notifications, a running job learns within two seconds that it was cancelled', async () => {
  const other = elsewhere();
  const began = gate();
  const stopped = gate();
  const patient = jobType('patient', async (_payload, { signal }) => {
    began.open();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    stopped.open();
    return undefined;
  });
  const worker = await jobs.work([patient], { pollSeconds: 0.1 });
  const { id } = await transaction(other.sql, (tx) => enqueue(tx, { type: patient, payload: {} }));
  await began.opened;
  await other.control.cancel(id, { name: 'test' });
  // Counted by a timer of the process that the worker is in: a busy machine delays both.
  let ticks = 0;
  const clock = setInterval(() => {
    ticks += 1;
  }, 100);
  await stopped.opened;
  clearInterval(clock);
  // Twice the promised two seconds: PostgreSQL may be busy with other tests.
  expect(ticks).toBeLessThan(40);
  expect((await readJob(database.sql, id)).status).toBe('cancelled');
  await worker.stop();
});

const jobs = useJobs(database, { listen: false });

/** The database as another process sees it: what it notifies is not heard by the worker of this file. */
function elsewhere() {
  const [sql] = database.twoConnections();
  return { sql, control: createControl(sql) };
}
