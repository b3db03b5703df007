import { expect, test } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import type { Queryable } from './database.ts';
import { transaction } from './transaction.ts';

const database = useDatabase();

const pidOf = async (sql: Queryable) => {
  const [row] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
  return row.pid;
};

test('look-ups that are under way at the same time share a connection, and give it back', async () => {
  const { sql } = database;
  const pids = await Promise.all(Array.from({ length: 20 }, () => pidOf(sql.lookups)));
  expect(new Set(pids).size).toBe(1);
  const { open, idle } = sql.usage();
  expect(idle).toBe(open);
});

test('each look-up gets its own rows', async () => {
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, number) => database.sql.lookups`select ${number}::int as number`),
  );
  expect(answers.map(([row]) => row?.number)).toEqual(Array.from({ length: 300 }, (_, number) => number));
});

test('a look-up that fails fails alone', async () => {
  const { lookups } = database.sql;
  const results = await Promise.allSettled([lookups`select 1`, lookups`select 1 / 0`, lookups`select 2`]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('a lost connection fails the look-ups on it, and the next one has another connection', async () => {
  const { sql } = database;
  const [first, second] = await Promise.allSettled([
    sql.lookups`select pg_terminate_backend(pg_backend_pid())`,
    sql.lookups`select pg_sleep(60)`,
  ]);
  expect([first.status, second.status]).toEqual(['rejected', 'rejected']);
  const [row] = await sql.lookups`select 1 as one`;
  expect(row).toEqual({ one: 1 });
});

test('once a lost connection is noticed, look-ups that begin have another one', async () => {
  const { lookups } = database.sql;
  for (let round = 0; round < 5; round++) {
    let isNoticed = false;
    let failedLate = 0;
    const notice = () => {
      isNoticed = true;
    };
    const keepAsking = async () => {
      for (let n = 0; n < 50; n++) {
        const isLate = isNoticed;
        await lookups`select 1`.then(undefined, () => {
          notice();
          if (isLate) failedLate += 1;
        });
      }
    };
    const asking = Array.from({ length: 8 }, keepAsking);
    await lookups`select pg_terminate_backend(pg_backend_pid())`.then(undefined, notice);
    await Promise.all(asking);
    expect(failedLate).toBe(0);
    expect(isNoticed).toBe(true);
  }
});

test('a transaction gets a connection while look-ups never pause', async () => {
  const [sql] = database.twoConnections();
  let isOver = false;
  const keepAsking = async () => {
    while (!isOver) await sql.lookups`select 1`;
  };
  const asking = Promise.all([keepAsking(), keepAsking(), keepAsking()]);
  await transaction(sql, (tx) => tx`select 1`);
  isOver = true;
  await asking;
});
