import { beforeEach, describe, expect, test } from 'vitest';
import { DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { gate, jobType, readJob, useJobs } from '../../../test/support/jobs.ts';
import { blockedOrDone, holdBeforeCommit } from '../../../test/support/races.ts';
import { newId } from '../../platform/ids.ts';
import { createControl } from '../../platform/jobs/control/control.ts';
import { PermanentError } from '../../platform/work/retry-policy.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const jobs = useJobs(database);
const actor = { name: 'ana' };
const key = DEV_KEYS.admin;
const act = (action: 'cancel' | 'requeue', body: unknown) =>
  app.call('POST', `/api/v1/jobs/${action}`, { key, body });

const doomed = jobType('doomed', async ({ why }) => {
  throw new PermanentError('E_DOOMED', `It failed: ${why}.`);
});
const fail = async (count: number, why = 'no luck') => {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push((await jobs.enqueue(doomed, { why })).id);
  await (await jobs.work([doomed], { untilEmpty: true })).stopped;
  return ids;
};
const statuses = async (ids: string[]) =>
  Promise.all(ids.map(async (id) => (await readJob(sql, id)).status as string));
const auditedJobs = async (action: string) => {
  const rows = await sql<{ job_id: string }[]>`
    select details->>'job_id' as job_id from audit_logs where action = ${action}`;
  return rows.map(({ job_id }) => job_id).sort();
};

beforeEach(async () => {
  await sql`truncate jobs, job_queue, job_attempts, audit_logs`;
});

describe('by ids', () => {
  test('requeues failed and cancelled jobs, and counts changed, unchanged and unknown ones', async () => {
    const failed = await fail(3);
    const waiting = (await jobs.enqueue(doomed)).id;
    const cancelled = (await jobs.enqueue(doomed)).id;
    await act('cancel', { job_ids: [cancelled] });
    const ids = [...failed, waiting, cancelled, newId()];
    const answer = await act('requeue', { job_ids: [...ids, ...ids] });
    expect(answer).toMatchObject({ status: 200, body: { data: { changed: 4, unchanged: 1, not_found: 1 } } });
    expect(new Set(await statuses([...failed, waiting, cancelled]))).toEqual(new Set(['queued']));
    expect(await auditedJobs('job.requeued')).toEqual([...failed, cancelled].sort());
    expect((await act('requeue', { job_ids: ids })).body.data).toMatchObject({ changed: 0, unchanged: 5 });
  });

  test('cancels unfinished jobs, audits it, and aborts a running job', async () => {
    const [failed = ''] = await fail(1);
    const [started, aborted] = [gate(), gate()];
    const busy = jobType('busy', async (_payload, { signal }) => {
      signal.addEventListener('abort', aborted.open);
      started.open();
      await aborted.opened;
      return undefined;
    });
    const running = (await jobs.enqueue(busy)).id;
    const worker = await jobs.work([busy], { maxJobs: 1 });
    await started.opened;
    const later = (await jobs.enqueue(busy, {}, { delaySeconds: 60 })).id;
    const answer = await act('cancel', { job_ids: [running, later, failed] });
    expect(answer.body.data).toMatchObject({ changed: 2, unchanged: 1, not_found: 0 });
    await aborted.opened;
    await worker.stopped;
    expect(await statuses([running, later, failed])).toEqual(['cancelled', 'cancelled', 'failed']);
    expect(await auditedJobs('job.cancelled')).toEqual([running, later].sort());
    expect((await readJob(sql, running)).attempts).toMatchObject([
      { status: 'interrupted', error_code: 'E_CANCELLED', queue: 'default' },
    ]);
  });
});

describe('by filter', () => {
  test('changes the matching jobs and no others', async () => {
    const unlucky = await fail(3, 'bad LUCK');
    const other = await fail(2, 'a strike');
    const answer = await act('requeue', { filter: { error: 'bad luck', job_type: 'doomed' } });
    expect(answer.body).toEqual({ data: { changed: 3, unchanged: 0, not_found: 0, next_cursor: null } });
    expect(new Set(await statuses(unlucky))).toEqual(new Set(['queued']));
    expect(new Set(await statuses(other))).toEqual(new Set(['failed']));
    expect((await act('cancel', { filter: { queue: 'default' } })).body.data).toMatchObject({ changed: 3 });
    expect(
      (await act('requeue', { filter: { status: 'cancelled', error_code: 'E_DOOMED' } })).body.data,
    ).toMatchObject({ changed: 3 });
  });

  test('a request changes up to 10,000 jobs, and the next one continues with the cursor', async () => {
    await sql`
      insert into jobs (id, job_type, queue)
      select ('01a10000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'doomed', 'many'
      from generate_series(1, 10010) as n`;
    await sql`insert into job_queue (job_id, queue, priority, due_at) select id, queue, 5, now() from jobs`;
    const first = await act('cancel', { filter: { queue: 'many' } });
    expect(first.body.data).toMatchObject({ changed: 10_000, next_cursor: expect.any(String) });
    const rest = await act('cancel', { filter: { queue: 'many' }, cursor: first.body.data.next_cursor });
    expect(rest.body.data).toMatchObject({ changed: 10, next_cursor: null });
    const [left] = await sql<[{ count: number }]>`select count(*) from job_queue`;
    expect(left.count).toBe(0);
  });
});

test('two operators who requeue the same jobs in parallel requeue each job once', async () => {
  const ids = await fail(20);
  const [one, two] = database.twoConnections();
  const held = holdBeforeCommit(one);
  const first = createControl(held.sql).requeueMany(ids, actor);
  await held.reached;
  const second = createControl(two).requeueMany([...ids].reverse(), { name: 'ben' });
  expect(await blockedOrDone(sql, second)).toBe('blocked');
  held.letGo();
  expect(await first).toEqual({ changed: 20, unchanged: 0, not_found: 0 });
  expect(await second).toEqual({ changed: 0, unchanged: 20, not_found: 0 });
  expect(await auditedJobs('job.requeued')).toEqual([...ids].sort());
});

test('overlapping parallel requests requeue each job once', async () => {
  const ids = await fail(60);
  const requests = Array.from({ length: 6 }, (_, n) => ids.slice(n * 5, n * 5 + 35));
  const answers = await Promise.all(
    requests.map((job_ids, n) => act('requeue', { job_ids: n % 2 ? job_ids.reverse() : job_ids })),
  );
  const changed = answers.reduce((sum, { body }) => sum + body.data.changed, 0);
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
  expect(changed).toBe(60);
  expect(await auditedJobs('job.requeued')).toEqual([...ids].sort());
});

test('jobs that finish while two operators cancel them end exactly once', async () => {
  const quick = jobType('quick', async () => undefined);
  const enqueued = (await Promise.all(Array.from({ length: 400 }, () => jobs.enqueue(quick)))).map(
    ({ id }) => id,
  );
  const [one, two] = database.twoConnections();
  const worker = await jobs.work([quick], { untilEmpty: true });
  const cancelled = await Promise.all(
    [one, two].map(async (connection, side) => {
      const control = createControl(connection);
      const order = side === 0 ? enqueued : enqueued.toReversed();
      let changed = 0;
      for (let start = 0; start < order.length; start += 40) {
        changed += (await control.cancelMany(order.slice(start, start + 40), actor)).changed;
      }
      return changed;
    }),
  );
  await worker.stopped;
  const ended = await statuses(enqueued);
  expect(ended.filter((status) => status !== 'succeeded' && status !== 'cancelled')).toEqual([]);
  const count = ended.filter((status) => status === 'cancelled').length;
  expect(cancelled.reduce((sum, changed) => sum + changed, 0)).toBe(count);
  expect(await auditedJobs('job.cancelled')).toHaveLength(count);
});

test.each([
  ['neither ids nor a filter', {}],
  ['both', { job_ids: [newId()], filter: { queue: 'default' } }],
  ['no ids', { job_ids: [] }],
  ['an invalid id', { job_ids: ['7'] }],
  ['too many ids', { job_ids: Array.from({ length: 1001 }, newId) }],
  ['an empty filter', { filter: {} }],
  ['a filter with an unknown condition', { filter: { colour: 'red' } }],
  ['a status that does not allow the action', { filter: { status: 'succeeded' } }],
  ['a cursor together with ids', { job_ids: [newId()], cursor: 'x' }],
  ['an invalid cursor', { filter: { queue: 'default' }, cursor: 'x' }],
])('%s is 400', async (_case, body) => {
  for (const action of ['cancel', 'requeue'] as const) {
    expect(await act(action, body)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  }
});
