import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openTestDatabase, useDatabase } from '../../../test/support/database.ts';
import type { Database } from './database.ts';
import { transaction } from './transaction.ts';

const database = useDatabase();

test('statements of a pipeline run on one connection, in order, and give it back', async () => {
  const { sql } = database;
  const rows = await sql.pipeline((one) =>
    Promise.all(
      [1, 2, 3].map((n) => one`select ${n}::int as n, pg_backend_pid() as pid, clock_timestamp() as at`),
    ),
  );
  const answers = rows.map(([row]) => row);
  expect(answers.map((row) => row?.n)).toEqual([1, 2, 3]);
  expect(new Set(answers.map((row) => row?.pid)).size).toBe(1);
  expect(answers.map((row) => row?.at)).toEqual(answers.map((row) => row?.at).toSorted());
  const { open, idle } = sql.usage();
  expect(idle).toBe(open);
});

test('a statement of a pipeline that fails fails alone, and the connection can be used again', async () => {
  const { sql } = database;
  const results = await sql.pipeline((one) =>
    Promise.allSettled([one`select 1`, one`select 1 / 0`, one`select 2`]),
  );
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  const failed = sql.pipeline((one) => Promise.all([one`select 1 / 0`, one`select 1`]));
  await expect(failed).rejects.toMatchObject({ code: '22012' });
  expect((await sql`select 1 as one`)[0]).toEqual({ one: 1 });
});

test('a pipeline whose connection is lost fails, and the next one has another connection', async () => {
  const { sql } = database;
  const lost = sql.pipeline((one) =>
    Promise.allSettled([one`select pg_terminate_backend(pg_backend_pid())`, one`select 1`]),
  );
  expect((await lost).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await sql.pipeline((one) => one`select 1 as one`.then(([row]) => row))).toEqual({ one: 1 });
});

test('after an error, the connection is given back only when its other statements are done', async () => {
  const { sql } = database;
  const [other] = database.twoConnections();
  await transaction(other, async (tx) => {
    await tx`select pg_advisory_xact_lock(7)`;
    const failed = sql.pipeline((one) =>
      Promise.all([one`select 1 / 0`, one`select pg_advisory_xact_lock(7)`]),
    );
    await expect(failed).rejects.toMatchObject({ code: '22012' });
    const { open, idle } = sql.usage();
    expect(open - idle).toBe(1);
    // It would wait behind the lock on the same connection.
    expect((await sql.lookups`select 1 as one`)[0]).toEqual({ one: 1 });
  });
  await vi.waitFor(() => expect(sql.usage().idle).toBe(sql.usage().open));
});

test('a statement that comes after the end of its pipeline is refused', async () => {
  const { sql } = database;
  const kept = await sql.pipeline(async (one) => {
    await one`select 1`;
    return one;
  });
  await expect(kept`select 1`).rejects.toThrow('came too late');
});

test('who waits for the connection of a pipeline that is lost gets another one', async () => {
  const [sql] = database.twoConnections();
  for (let round = 0; round < 10; round++) {
    const lost = sql.pipeline((one) =>
      one`select pg_terminate_backend(pg_backend_pid())`.then(() => 'ended'),
    );
    const waiting = sql`select 1 as one`;
    await expect(lost).rejects.toMatchObject({ code: '57P01' });
    expect((await waiting)[0]).toEqual({ one: 1 });
  }
});

describe('behind a transaction pooler', () => {
  let sql: Database;
  beforeAll(() => {
    sql = openTestDatabase(database.target, 4, true);
  });
  afterAll(() => sql.end());

  test('statements run one after the other', async () => {
    const rows = await sql.pipeline((one) =>
      Promise.all([
        one`select clock_timestamp()::text as at from pg_sleep(0.05)`,
        one`select clock_timestamp()::text as at`,
      ]),
    );
    const answers = rows.map(([row]) => row?.at);
    expect(answers).toEqual(answers.toSorted());
  });

  test('statements of a transaction that nothing waits for are committed', async () => {
    await sql`create table numbers (number int)`;
    const [first, second] = await transaction(sql, async (tx) => {
      tx.send(tx`insert into numbers (number) values (1)`);
      const both = Promise.all([
        tx`insert into numbers (number) values (2) returning number`,
        tx`insert into numbers (number) values (3) returning number`,
      ]);
      tx.send(tx`insert into numbers (number) values (4)`);
      return both;
    });
    expect([first[0], second[0]]).toEqual([{ number: 2 }, { number: 3 }]);
    const rows = await sql`select number from numbers order by number`;
    expect(rows.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  });

  test('a statement that failed fails its transaction with its error', async () => {
    const failed = transaction(sql, async (tx) => {
      tx.send(tx`select 1 / 0`);
      tx.send(tx`select 1`);
    });
    await expect(failed).rejects.toMatchObject({ code: '22012' });
    expect((await sql`select 1 as one`)[0]).toEqual({ one: 1 });
  });
});
