import { expect, test } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';

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
