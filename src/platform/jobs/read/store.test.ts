import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useDatabase } from '../../../../test/support/database.ts';
import { gate, jobType, useJobs } from '../../../../test/support/jobs.ts';
import type { JobStatus } from '../../../contract/jobs.ts';
import type { Queryable } from '../../database/database.ts';
import { PermanentError } from '../../work/retry-policy.ts';
import { createControl } from '../control/control.ts';
import { findJob, listJobs, listWorkers } from './store.ts';

const database = useDatabase();
const { sql } = database;
const jobs = useJobs(database);
const ids: Record<string, string> = {};
const hold = gate();

beforeAll(async () => {
  const began = gate();
  const good = jobType('good', async () => ({
    result: { fine: true },
    artifacts: [{ artifact_type: 'good_result' }],
  }));
  const bad = jobType('bad', async () => {
    throw new PermanentError('E_BAD', 'It is bad.');
  });
  const flaky = jobType('flaky', async () => {
    throw new Error('not now');
  });
  const busy = jobType('busy', async (_payload, context) => {
    await context.progress({ done: 1, of: 2 });
    began.open();
    await hold.opened;
    return undefined;
  });
  ids.succeeded = (await jobs.enqueue(good, { n: 1 }, { createdBy: { name: 'ana' }, requestId: 'r-1' })).id;
  ids.failed = (await jobs.enqueue(bad, {}, { createdBy: { name: 'ben' } })).id;
  ids.retry_wait = (await jobs.enqueue(flaky)).id;
  await (await jobs.work([good, bad, flaky], { untilEmpty: true })).stopped;
  // Its retry must not come due on a slow machine: workers claim by queue, and a later one would take this job.
  await sql`update job_queue set due_at = now() + interval '1 hour' where job_id = ${ids.retry_wait}`;
  ids.cancelled = (await jobs.enqueue(good)).id;
  await createControl(sql).cancel(ids.cancelled, { name: 'test' });
  ids.running = (await jobs.enqueue(busy)).id;
  await jobs.work([busy], { maxJobs: 1 });
  await began.opened;
  ids.queued = (await jobs.enqueue(good, {}, { delaySeconds: 3600, priority: 9 })).id;
});

// Registered last, so it runs first: the worker can then stop at once.
afterAll(() => hold.open());

describe('a list of jobs', () => {
  test.each(['succeeded', 'failed', 'retry_wait', 'cancelled', 'running', 'queued'] as const)(
    'with status %s shows exactly those',
    async (status) => {
      const found = await listJobs(sql, { status }, null, 100);
      expect(found.map((job) => [job.job_id, job.status])).toEqual([[ids[status], status]]);
    },
  );

  test.each([
    [{ job_type: 'bad' }, ['failed']],
    [{ created_by: 'ana' }, ['succeeded']],
    [{ queue: 'nowhere' }, []],
    [{ types: ['bad', 'flaky'] }, ['retry_wait', 'failed']],
    [{ created_after: new Date(0), created_before: new Date(1) }, []],
    [{ created_by: 'ben', created_after: new Date(0), created_before: new Date('2100-01-01') }, ['failed']],
  ])('filtered by %o', async (filter, expected) => {
    const found = await listJobs(sql, filter, null, 100);
    expect(found.map((job) => job.job_id)).toEqual(expected.map((name) => ids[name]));
  });

  test('shows a job that failed twice once, and not as failed while it is queued again', async () => {
    const listed = async (status: JobStatus) => {
      const found = await listJobs(sql, { status, job_type: 'hopeless' }, null, 100);
      return found.map((job) => job.job_id);
    };
    const hopeless = jobType(
      'hopeless',
      async () => {
        throw new PermanentError('E_HOPELESS', 'It is hopeless.');
      },
      { queue: 'hopeless' },
    );
    const fail = async () =>
      (await jobs.work([hopeless], { queues: ['hopeless'], untilEmpty: true })).stopped;
    const { id } = await jobs.enqueue(hopeless);
    await fail();
    expect(await listed('failed')).toEqual([id]);
    await createControl(sql).requeue(id, { name: 'test' });
    expect([await listed('failed'), await listed('queued')]).toEqual([[], [id]]);
    await fail();
    expect([await listed('failed'), await listed('queued')]).toEqual([[id], []]);
    await sql`delete from jobs where id = ${id}`;
    await sql`delete from job_attempts where job_id = ${id}`;
  });

  test('is newest first and goes on after any job', async () => {
    const all = await listJobs(sql, {}, null, 100);
    expect(all.map((job) => job.job_id)).toEqual(Object.values(ids).sort().reverse());
    const rest = await listJobs(sql, {}, all[2]?.job_id ?? null, 2);
    expect(rest.map((job) => job.job_id)).toEqual(all.slice(3, 5).map((job) => job.job_id));
  });
});

describe('one job', () => {
  test('shows what it was given, what it gave and who did it', async () => {
    expect(await findJob(sql, ids.succeeded ?? '')).toMatchObject({
      status: 'succeeded',
      payload: { n: 1 },
      result: { fine: true },
      created_by: 'ana',
      request_id: 'r-1',
      attempts: [{ attempt_number: 1, status: 'succeeded', error_text: null }],
      artifacts: [{ artifact_type: 'good_result', artifact_ref: null, artifact_payload: {} }],
      lease_owner: null,
    });
  });

  test('shows why it failed', async () => {
    expect(await findJob(sql, ids.failed ?? '')).toMatchObject({
      status: 'failed',
      error_text: 'It is bad.',
      error_code: 'E_BAD',
      attempts: [{ status: 'failed', error_code: 'E_BAD' }],
    });
  });

  test('shows, while it runs, its attempt, its lease and its progress', async () => {
    const [worker] = await listWorkers(sql);
    expect(await findJob(sql, ids.running ?? '')).toMatchObject({
      status: 'running',
      attempt_count: 1,
      progress: { done: 1, of: 2 },
      lease_owner: worker?.name,
      lease_expires_at: worker?.lease_expires_at,
      attempts: [
        { attempt_number: 1, status: 'running', worker: worker?.name, finished_at: null, runtime_ms: null },
      ],
    });
  });

  test('that ends while it is read shows its attempt once', async () => {
    const [began, finish] = [gate(), gate()];
    const brief = jobType('brief', async () => {
      began.open();
      await finish.opened;
      return undefined;
    });
    const { id } = await jobs.enqueue(brief, {}, { priority: 0 });
    const worker = await jobs.work([brief], { maxJobs: 1 });
    await began.opened;
    const endsMeanwhile = ((...statement: Parameters<Queryable>) => {
      if (!statement[0].join().includes('from job_attempts\n    where')) return sql(...statement);
      finish.open();
      return worker.stopped.then(() => sql(...statement));
    }) as unknown as Queryable;
    expect(await findJob(endsMeanwhile, id)).toMatchObject({
      status: 'succeeded',
      attempts: [{ attempt_number: 1, status: 'succeeded' }],
    });
    await sql`delete from jobs where id = ${id}`;
    await sql`delete from job_attempts where job_id = ${id}`;
  });

  test('that does not exist is undefined', async () => {
    expect(await findJob(sql, '01a1e0bf-0000-7000-8000-000000000000')).toBeUndefined();
  });
});
