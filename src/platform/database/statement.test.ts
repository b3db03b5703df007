import { expect, test } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { identifier, Statement } from './statement.ts';

const { sql } = useDatabase();

test('values are sent separately from the text, in order, also those of fragments', () => {
  const fragment = sql`b = ${2} and ${sql`c = ${'three'}`}`;
  const { text, values } = sql`select a from t where a = ${1} and ${fragment} limit ${4}`.prepare();
  expect(text).toBe('select a from t where a = $1 and b = $2 and c = $3 limit $4');
  expect(values).toEqual([1, 2, 'three', 4]);
});

test('an array that is used twice is sent once; other values are sent each time', async () => {
  const ids = [1, 2, 3];
  const { text, values } = sql`select ${ids}, ${sql`any(${ids})`}, ${7}, ${7}, ${[1, 2, 3]}`.prepare();
  expect(text).toBe('select $1, any($1), $2, $3, $4');
  expect(values).toEqual([ids, 7, 7, [1, 2, 3]]);
});

test('SQL in a value stays a value', async () => {
  const nasty = `'; drop table users; --`;
  const [row] = await sql`select ${nasty}::text as value`;
  expect(row?.value).toBe(nasty);
});

test('an identifier is quoted', async () => {
  const rows = await sql`select 1 as ${identifier('odd "name"; --')}`;
  expect([...rows]).toEqual([{ 'odd "name"; --': 1 }]);
});

test('undefined is refused before anything is sent', async () => {
  await expect(async () => sql`select ${undefined}`).rejects.toThrow('use null for an absent value');
});

test('awaiting twice runs once', async () => {
  await sql`create table counted (id int)`;
  const insert = sql`insert into counted values (1)`;
  await insert;
  expect((await insert).count).toBe(1);
  expect(await sql`select from counted`).toHaveLength(1);
});

test('a fragment without a connection cannot be run', async () => {
  await expect(async () => new Statement(['select 1'], [])).rejects.toThrow('cannot be run by itself');
});

test('counts, times, JSON and bytes have the right JavaScript types', async () => {
  const [row] = await sql`
    select count(*) as n, '2026-01-02T03:04:05.678Z'::timestamptz as at, '{"a": [1]}'::jsonb as json, '\\x0102'::bytea as bytes
    from generate_series(1, 3)`;
  expect(row).toEqual({
    n: 3,
    at: new Date('2026-01-02T03:04:05.678Z'),
    json: { a: [1] },
    bytes: Buffer.from([1, 2]),
  });
});
