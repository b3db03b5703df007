import { SpanStatusCode } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { jobType, readJob, useJobs } from '../../../test/support/jobs.ts';
import { useTracing } from '../../../test/support/tracing.ts';
import { transaction } from '../database/transaction.ts';
import { contextOf, currentTraceparent, errorType, inSpan, trace } from './tracing.ts';

const spans = useTracing();
const database = useDatabase();
const { sql } = database;
const jobs = useJobs(database);
const PATIENCE = { timeout: 20_000 };

const named = (name: string) => spans().filter((span) => span.name === name);
const idOf = (span: { spanContext(): { spanId: string } } | undefined) => span?.spanContext().spanId;

test('a retry is another span in the trace of the request that enqueued the job; so is what its end causes', async () => {
  const follower = jobType('follower', async () => undefined);
  const unsteady = jobType(
    'unsteady',
    async (_payload, { attempt }) => {
      if (attempt === 1) throw Object.assign(new Error('A private sentence.'), { code: 'E_TIMEOUT' });
      return undefined;
    },
    { retry: { delays: [0] } },
  );
  const type: typeof unsteady = {
    ...unsteady,
    onEnded: async (tx) => void (await jobs.enqueueIn(tx, { type: follower, payload: {} })),
  };
  const worker = await jobs.work([type, follower], { pollSeconds: 0.1 });
  const { id } = await inSpan({ name: 'request' }, () => jobs.enqueue(type));
  await expect.poll(() => readJob(sql, id), PATIENCE).toMatchObject({ status: 'succeeded' });
  await expect.poll(() => named('process follower').length, PATIENCE).toBe(1);
  await worker.stop();

  const [request] = named('request');
  const [first, second] = named('process unsteady');
  const [caused] = named('process follower');
  expect(first?.parentSpanContext?.spanId).toBe(idOf(request));
  expect(second?.parentSpanContext?.spanId).toBe(idOf(request));
  expect(first?.status.code).toBe(SpanStatusCode.ERROR);
  expect(first?.attributes).toMatchObject({ 'error.type': 'E_TIMEOUT', 'nexus.job.outcome': 'retry' });
  expect(second?.attributes).toMatchObject({ 'nexus.job.attempt': 2, 'nexus.job.outcome': 'succeeded' });
  expect(caused?.parentSpanContext?.spanId).toBe(idOf(second));
  const traces = new Set([request, first, second, caused].map((span) => span?.spanContext().traceId));
  expect(traces.size).toBe(1);
  expect(
    JSON.stringify(spans().map(({ attributes, events, status }) => [attributes, events, status])),
  ).not.toContain('private');
});

test('a worker that a request wakes up adds nothing to its span but the statements of the request', async () => {
  const type = jobType('plain', async () => undefined);
  const worker = await jobs.work([type]);
  // A worker that is just claiming is not woken up, so several times.
  for (let n = 0; n < 5; n++) {
    await inSpan({ name: 'request' }, async () => {
      const { id } = await jobs.enqueue(type);
      await expect.poll(() => readJob(sql, id), PATIENCE).toMatchObject({ status: 'succeeded' });
    });
  }
  await worker.stop();
  const statements = spans().filter(({ attributes }) => attributes['db.system.name']);
  expect(statements.map(({ name }) => name)).not.toEqual([]);
  for (const { name } of statements) expect(name).not.toMatch(/^(update|delete|insert) (job_queue|workers)/);
});

test('statements and transactions outside of a span, or after its end, make no spans', async () => {
  await sql`select 1`;
  let late = Promise.resolve();
  await inSpan({ name: 'short' }, async () => {
    late = new Promise((resolve) => setTimeout(resolve, 20)).then(async () => void (await sql`select 2`));
  });
  await late;
  expect(spans().map(({ name }) => name)).toEqual(['short']);
});

test('a failed statement has its code and no message, and the statements of a span are limited', async () => {
  const work = inSpan({ name: 'long' }, () =>
    transaction(sql, async (tx) => {
      for (let n = 0; n < 510; n++) tx.send(tx`select ${n}::int`);
      await tx`select 'a private sentence'::int`;
    }),
  );
  await expect(work).rejects.toThrow();
  const [long] = named('long');
  expect(named('select')).toHaveLength(500);
  expect(long?.attributes).toEqual({ 'error.type': '22P02', 'nexus.statements.omitted': 11 });

  await inSpan({ name: 'other' }, () => sql`select 'a private sentence'::int`.then()).catch(() => undefined);
  const failed = spans().at(-2);
  expect(failed?.attributes).toMatchObject({ 'error.type': '22P02', 'db.response.status_code': '22P02' });
  expect(JSON.stringify([failed?.attributes, failed?.events, failed?.status])).not.toContain('private');
});

test.each([
  '',
  '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331',
  '00-00000000000000000000000000000000-b7ad6b7169203331-01',
  '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
  'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  '00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01x',
  "00-'; drop table jobs; --",
  `00-${'a'.repeat(100_000)}`,
])('a malformed traceparent begins a new trace (%#)', (traceparent) => {
  expect(trace.getSpanContext(contextOf(traceparent))).toBeUndefined();
});

test('what is stored with work has 55 characters, whatever version the caller speaks', async () => {
  const caller = 'cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what-the-future-will-be-like';
  const stored = await inSpan({ name: 'request', parent: contextOf(caller) }, async () =>
    currentTraceparent(),
  );
  expect(stored).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
  expect(currentTraceparent()).toBeNull();
});

test('the type of an error is a code or a name, never free text', () => {
  expect(errorType(Object.assign(new Error('x'), { code: 'ECONNRESET' }))).toBe('ECONNRESET');
  expect(errorType(new TypeError('x'))).toBe('TypeError');
  for (const odd of [undefined, null, 'text', { name: 'My secret title' }, { code: 'a b', name: 1 }])
    expect(errorType(odd)).toBe('_OTHER');
});
