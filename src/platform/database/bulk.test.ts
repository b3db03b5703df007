import { expect, test } from 'vitest';
import { openTestDatabase, useDatabase } from '../../../test/support/database.ts';
import { startForwarder } from '../../../test/support/forwarder.ts';
import { bulkTransaction, holdLock, openBulkPool } from './bulk.ts';

const { sql, target } = useDatabase({ template: 'template0' });

test('rows go out and in again, whatever is in them', async () => {
  const pool = openBulkPool(sql, 1);
  await sql`create table texts (id int primary key, text text)`;
  await sql`create table copies (like texts)`;
  await sql`insert into texts values (1, ${'tab\t line\n \\N \\. é😀'}), (2, null), (3, ''), (4, repeat('long ', 500000))`;
  const rows = await bulkTransaction(pool, 'write', async (tx) => {
    const chunks: Buffer[] = [];
    for await (const chunk of tx.copyTo('copy texts to stdout')) chunks.push(chunk);
    const input = tx.copyFrom('copy copies from stdin');
    for (const chunk of chunks) await input.write(chunk);
    return input.finish();
  });
  expect(rows).toBe(4);
  expect(await sql`select * from texts except select * from copies`).toHaveLength(0);
  await pool.end();
});

test('a COPY that fails or is left half-way rolls back, and hangs nothing', async () => {
  const pool = openBulkPool(sql, 1);
  await sql`create table numbers (n int primary key)`;
  const failing = bulkTransaction(pool, 'write', async (tx) => {
    await tx`insert into numbers values (1)`;
    const input = tx.copyFrom('copy numbers from stdin');
    await input.write(Buffer.from('2\nnot a number\n'));
    for (let n = 0; n < 1000; n++) await input.write(Buffer.alloc(100_000, '3\n'));
    await input.finish();
  });
  await expect(failing).rejects.toThrow('invalid input syntax for type integer');
  const leaving = bulkTransaction(pool, 'write', async (tx) => {
    await tx`insert into numbers values (1)`;
    for await (const _ of tx.copyTo('copy (select generate_series(1, 10000000)) to stdout'))
      throw new Error('enough');
  });
  await expect(leaving).rejects.toThrow('enough');
  expect(await sql`select from numbers`).toHaveLength(0);
  await pool.end();
});

test('a snapshot sees nothing that is committed after it began, and holds back no event', async () => {
  const pool = openBulkPool(sql, 1);
  await sql`create table marks (n int)`;
  await bulkTransaction(pool, 'snapshot', async (tx) => {
    expect(await tx`select from marks`).toHaveLength(0);
    await sql`insert into marks values (1)`;
    expect(await tx`select from marks`).toHaveLength(0);
    // Without a number, a transaction delays no event of the feed.
    const numbered = await sql`
      select from pg_stat_activity where backend_xid is not null and datname = current_database()`;
    expect(numbered).toHaveLength(0);
  });
  await pool.end();
});

test('a lock is held by one, and released when its connection is lost', async () => {
  const pool = openBulkPool(sql, 3);
  const lock = await holdLock(pool, 42, 1);
  expect(await lock?.isHeld()).toBe(true);
  expect(await holdLock(pool, 42, 0.1)).toBeUndefined();
  await sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = 42`;
  const second = await holdLock(pool, 42, 5);
  expect(await lock?.isHeld()).toBe(false);
  expect(await second?.isHeld()).toBe(true);
  await Promise.all([lock?.release(), second?.release()]);
  await pool.end();
});

test('a lock whose first statement fails leaves no connection behind', async () => {
  const { host, port, username, password, database } = target;
  const forwarder = await startForwarder(`${host}/.s.PGSQL.${port}`, { refused: /lock_timeout/ });
  const url = `postgres://${username}:${password}@127.0.0.1:${forwarder.port}/${database}`;
  const outer = openTestDatabase({ url }, 1);
  const pool = openBulkPool(outer, 1);
  await expect(holdLock(pool, 1, 1)).rejects.toThrow(/terminated|ended|closed/);
  await pool.end();
  await outer.end();
  await forwarder.close();
});
