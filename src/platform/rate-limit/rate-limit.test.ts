import { expect, test } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import type { Queryable } from '../database/database.ts';
import { deleteIdleBuckets, takeTokens } from './bucket.ts';
import { createRateLimiter } from './rate-limiter.ts';

const database = useDatabase();
/** Refills so slowly that nothing is added during a test. */
const NO_REFILL = { capacity: 100, perSecond: 1e-6 };

/** Counts the statements that take tokens. */
function counting(sql: Queryable) {
  let count = 0;
  const counted: Queryable = (...statement) => {
    // Fragments of a statement pass through here, too; only the statement itself contains the insert.
    if (statement[0].join('').includes('insert into')) count += 1;
    return sql(...statement);
  };
  return { sql: counted, statements: () => count };
}

test('a bucket grants exactly its tokens to parallel callers', async () => {
  const [one, two] = database.twoConnections();
  const taken = await Promise.all(
    Array.from({ length: 150 }, (_, count) => takeTokens(count % 2 ? one : two, 'exact', NO_REFILL)),
  );
  expect(taken.filter(({ granted }) => granted === 1)).toHaveLength(100);
  expect(taken.filter(({ granted }) => granted === 0)).toHaveLength(50);
});

test('a bucket refills over time, up to its capacity', async () => {
  const limit = { capacity: 10, perSecond: 1 };
  const later = (seconds: number) => database.sql`
    update rate_limit_buckets set refilled_at = refilled_at - ${seconds} * interval '1 second' where name = 'filling'`;
  expect((await takeTokens(database.sql, 'filling', limit, { max: 50 })).granted).toBe(10);
  expect(await takeTokens(database.sql, 'filling', limit, { min: 4, max: 4 })).toMatchObject({
    granted: 0,
  });
  await later(5);
  expect((await takeTokens(database.sql, 'filling', limit, { min: 4, max: 4 })).granted).toBe(4);
  const { granted, retryAfterSeconds } = await takeTokens(database.sql, 'filling', limit, { min: 9 });
  expect([granted, retryAfterSeconds]).toEqual([0, expect.closeTo(8, -0.5)]);
  await later(1000);
  expect((await takeTokens(database.sql, 'filling', limit, { max: 50 })).granted).toBe(10);
});

test('buckets that were not used for an hour are deleted', async () => {
  await takeTokens(database.sql, 'idle', NO_REFILL);
  await database.sql`update rate_limit_buckets set refilled_at = now() - interval '2 hours' where name = 'idle'`;
  expect(await deleteIdleBuckets(database.sql)).toBe(1);
});

test('processes share one limit, with one statement for many requests', async () => {
  const limit = { capacity: 1000, perSecond: 1e-6 };
  const processes = database.twoConnections().map((sql) => {
    const { sql: counted, statements } = counting(sql);
    return { limiter: createRateLimiter({ sql: counted }), statements };
  });
  const passed = await Promise.all(
    Array.from({ length: 1200 }, (_, count) => processes[count % 2]?.limiter.take('shared', limit)),
  );
  expect(passed.filter((taken) => taken?.wait === 0)).toHaveLength(1000);
  expect(passed.filter((taken) => taken && taken.wait > 0)).toHaveLength(200);
  // Fifty shares of twenty, and at most one refusal per process.
  const statements = processes.reduce((sum, process) => sum + process.statements(), 0);
  expect([51, 52]).toContain(statements);
});

test('unused tokens are dropped after a minute, and an empty bucket is not queried again too soon', async () => {
  let time = 1_000_000;
  const { sql, statements } = counting(database.sql);
  const limiter = createRateLimiter({ sql, now: () => time });
  const limit = { capacity: 100, perSecond: 1e-6 };
  expect((await limiter.take('mine', limit)).wait).toBe(0);
  expect((await limiter.take('mine', limit)).wait).toBe(0);
  expect(statements()).toBe(1);
  await limiter.take('mine', limit);
  time += 61_000;
  expect((await limiter.take('mine', limit)).wait).toBe(0);
  expect(statements()).toBe(3);
  const slow = { capacity: 1, perSecond: 0.1 };
  expect((await limiter.take('slow', slow)).wait).toBe(0);
  expect((await limiter.take('slow', slow)).wait).toBe(10);
  const before = statements();
  time += 5000;
  expect((await limiter.take('slow', slow)).wait).toBe(5);
  expect(statements()).toBe(before);
});
