import { expect, test, vi } from 'vitest';
import { openTestDatabase, useDatabase } from '../../../test/support/database.ts';
import { transaction } from './transaction.ts';
import { isDatabaseTrouble } from './trouble.ts';

const database = useDatabase();
const { sql } = database;

const rejection = (promise: PromiseLike<unknown>) =>
  Promise.resolve(promise).then(
    () => undefined,
    (error: Error) => error,
  );

async function failureAfter(end: 'pg_terminate_backend' | 'pg_cancel_backend'): Promise<unknown> {
  const [victim] = database.twoConnections();
  const [{ pid }] = await victim<[{ pid: number }]>`select pg_backend_pid() as pid`;
  const failed = rejection(victim`select pg_sleep(60)`);
  const kill =
    end === 'pg_cancel_backend' ? sql`pg_cancel_backend(${pid})` : sql`pg_terminate_backend(${pid}, 5000)`;
  await vi.waitFor(async () =>
    expect(
      await sql`select ${kill} from pg_stat_activity where pid = ${pid} and wait_event = 'PgSleep'`,
    ).toHaveLength(1),
  );
  return failed;
}

test.each([
  ['a terminated connection', () => failureAfter('pg_terminate_backend')],
  ['a statement that was cancelled', () => failureAfter('pg_cancel_backend')],
  [
    'a server that nobody answers at',
    async () => {
      const nowhere = openTestDatabase({ ...database.target, host: '127.0.0.1', port: 1 }, 1);
      const error = await rejection(nowhere`select 1`);
      await nowhere.end();
      return error;
    },
  ],
  [
    'a transaction whose connection is lost',
    () =>
      rejection(
        transaction(sql, async (tx) => {
          const [{ pid }] = await tx<[{ pid: number }]>`select pg_backend_pid() as pid`;
          await sql`select pg_terminate_backend(${pid}, 5000)`;
          await tx`select 1`;
        }),
      ),
  ],
  [
    'a write to a read-only server',
    () =>
      rejection(
        transaction(sql, async (tx) => {
          await tx`set transaction read only`;
          await tx`create table refused ()`;
        }),
      ),
  ],
])('%s is the trouble of the database', async (_case, fail) => {
  const error = await fail();
  expect(error).toBeInstanceOf(Error);
  expect(isDatabaseTrouble(error)).toBe(true);
  expect(isDatabaseTrouble(new Error('It failed.', { cause: error }))).toBe(true);
});

test.each([
  ['a wrong statement', () => rejection(sql`select 1 / 0`)],
  ['a value that cannot be sent', () => rejection(sql`select ${{ toPostgres: () => BigInt('x') }}`)],
  [
    'a statement that exceeds its time limit',
    () =>
      rejection(
        transaction(sql, async (tx) => {
          await tx`set local statement_timeout = 10`;
          await tx`select pg_sleep(5)`;
        }),
      ),
  ],
  [
    'a lost connection to somewhere else',
    async () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
  ],
])('%s is not', async (_case, fail) => {
  const error = await fail();
  expect(error).toBeInstanceOf(Error);
  expect(isDatabaseTrouble(error)).toBe(false);
});
