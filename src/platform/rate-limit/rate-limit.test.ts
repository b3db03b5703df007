import { expect, test } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import type { Queryable } from '../database/database.ts';
import { createAllotments } from './allotments.ts';
import { deleteIdleBuckets, takeTokens } from './bucket.ts';

const database = useDatabase();
/** So slow that nothing trickles in during a test. */
const STILL = { capacity: 100, perSecond: 1e-6 };

/** Counts how often the database is asked. */
function counting(sql: Queryable) {
  let asked = 0;
  const counted: Queryable = (...statement) => {
    // The pieces of a statement are made by the same function; the statement itself is the one that inserts.
    if (statement[0].join('').includes('insert into')) asked += 1;
    return sql(...statement);
  };
  return { sql: counted, asked: () => asked };
}

test('a bucket gives what it holds, and no more, to however many ask at once', async () => {
  const [one, two] = database.twoConnections();
  const taken = await Promise.all(
    Array.from({ length: 150 }, (_, count) => takeTokens(count % 2 ? one : two, 'exact', STILL)),
  );
  expect(taken.filter(({ granted }) => granted === 1)).toHaveLength(100);
  expect(taken.filter(({ granted }) => granted === 0)).toHaveLength(50);
});

test('a bucket fills with time, up to its brim', async () => {
  const limit = { capacity: 10, perSecond: 1 };
  const later = (seconds: number) => database.sql`
    update rate_limit_buckets set refilled_at = refilled_at - ${seconds} * interval '1 second' where name = 'filling'`;
  expect((await takeTokens(database.sql, 'filling', limit, { most: 50 })).granted).toBe(10);
  expect(await takeTokens(database.sql, 'filling', limit, { least: 4, most: 4 })).toMatchObject({
    granted: 0,
  });
  await later(5);
  expect((await takeTokens(database.sql, 'filling', limit, { least: 4, most: 4 })).granted).toBe(4);
  const { granted, retryAfterSeconds } = await takeTokens(database.sql, 'filling', limit, { least: 9 });
  expect([granted, retryAfterSeconds]).toEqual([0, expect.closeTo(8, -0.5)]);
  await later(1000);
  expect((await takeTokens(database.sql, 'filling', limit, { most: 50 })).granted).toBe(10);
});

test('buckets that nobody has touched for an hour go', async () => {
  await takeTokens(database.sql, 'idle', STILL);
  await database.sql`update rate_limit_buckets set refilled_at = now() - interval '2 hours' where name = 'idle'`;
  expect(await deleteIdleBuckets(database.sql)).toBe(1);
});

test('processes share one limit, and ask the database once for many requests', async () => {
  const limit = { capacity: 1000, perSecond: 1e-6 };
  const processes = database.twoConnections().map((sql) => {
    const { sql: counted, asked } = counting(sql);
    return { allotments: createAllotments({ sql: counted }), asked };
  });
  const passed = await Promise.all(
    Array.from({ length: 1200 }, (_, count) => processes[count % 2]?.allotments.take('shared', limit)),
  );
  expect(passed.filter((wait) => wait === 0)).toHaveLength(1000);
  expect(passed.filter((wait) => wait !== undefined && wait > 0)).toHaveLength(200);
  // Fifty shares of twenty, and at most one refusal for each process.
  const asked = processes.reduce((sum, process) => sum + process.asked(), 0);
  expect([51, 52]).toContain(asked);
});

test('what was taken and not used for a minute is given up, and an empty bucket is not asked again too soon', async () => {
  let time = 1_000_000;
  const { sql, asked } = counting(database.sql);
  const allotments = createAllotments({ sql, now: () => time });
  const limit = { capacity: 100, perSecond: 1e-6 };
  expect(await allotments.take('mine', limit)).toBe(0);
  expect(await allotments.take('mine', limit)).toBe(0);
  expect(asked()).toBe(1);
  await allotments.take('mine', limit);
  time += 61_000;
  expect(await allotments.take('mine', limit)).toBe(0);
  expect(asked()).toBe(3);
  const slow = { capacity: 1, perSecond: 0.1 };
  expect(await allotments.take('slow', slow)).toBe(0);
  expect(await allotments.take('slow', slow)).toBe(10);
  const before = asked();
  time += 5000;
  expect(await allotments.take('slow', slow)).toBe(5);
  expect(asked()).toBe(before);
});
