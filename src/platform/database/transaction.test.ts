import { beforeAll, describe, expect, test, vi } from 'vitest';
import { openTestDatabase, useDatabase } from '../../../test/support/database.ts';
import { silentLog } from '../../../test/support/jobs.ts';
import { connectionConfig, openDatabase, refuseOldServer, type Transaction } from './database.ts';
import { createListener } from './listener.ts';
import type { Subjects } from './notifications.ts';
import { transaction } from './transaction.ts';

const database = useDatabase();
const { sql } = database;

beforeAll(async () => {
  await sql`create table accounts (id int primary key, balance int not null)`;
  await sql`insert into accounts values (1, 0), (2, 0)`;
});

const balances = async () =>
  (await sql`select balance from accounts order by id`).map(({ balance }) => balance);
const pay = (tx: Transaction, id: number) => tx`update accounts set balance = balance + 1 where id = ${id}`;

describe('transaction', () => {
  test('commits when the work returns, and rolls back when it throws', async () => {
    expect(await transaction(sql, async (tx) => (await pay(tx, 1)).count)).toBe(1);
    const failed = transaction(sql, async (tx) => {
      await pay(tx, 1);
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    expect(await balances()).toEqual([1, 0]);
  });

  test('two that deadlock are both applied, without an error', async () => {
    const [a, b] = database.twoConnections();
    const before = await balances();
    let arrived = 0;
    let open: () => void = () => undefined;
    const bothLocked = new Promise<void>((resolve) => {
      open = resolve;
    });
    let tries = 0;
    const cross = (first: number, second: number) => async (tx: Transaction) => {
      tries += 1;
      await pay(tx, first);
      arrived += 1;
      if (arrived === 2) open();
      await bothLocked;
      await pay(tx, second);
    };
    await Promise.all([transaction(a, cross(1, 2)), transaction(b, cross(2, 1))]);
    expect(await balances()).toEqual(before.map((balance) => balance + 2));
    // The one that is retried may meet the other again, before it has committed.
    expect(tries).toBeGreaterThanOrEqual(3);
  });

  test('fails when the error of a statement was ignored', async () => {
    const before = await balances();
    const careless = transaction(sql, async (tx) => {
      await pay(tx, 1);
      await tx`select 1 / 0`.then(undefined, () => undefined);
    });
    await expect(careless).rejects.toThrow('nothing was committed');
    expect(await balances()).toEqual(before);
  });

  test('commits statements of `send`, and fails with their error', async () => {
    const before = await balances();
    await transaction(sql, async (tx) => tx.send(pay(tx, 1)));
    const after = [Number(before[0]) + 1, before[1]];
    expect(await balances()).toEqual(after);
    const breaksARule = (tx: Transaction) => tx.send(tx`insert into accounts values (1, 0)`);
    await expect(transaction(sql, async (tx) => breaksARule(tx))).rejects.toMatchObject({ code: '23505' });
    const goesOn = transaction(sql, async (tx) => {
      breaksARule(tx);
      await pay(tx, 2);
    });
    await expect(goesOn).rejects.toMatchObject({ code: '23505' });
    expect(await balances()).toEqual(after);
  });

  test('refuses statements after its end', async () => {
    const before = await balances();
    let late: Promise<unknown> = Promise.resolve();
    let go: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      go = resolve;
    });
    const failed = transaction(sql, async (tx) => {
      late = ended.then(() => pay(tx, 1));
      throw new Error('over');
    });
    await expect(failed).rejects.toThrow('over');
    go();
    await expect(late).rejects.toThrow('This transaction has ended');
    expect(await balances()).toEqual(before);
  });

  test('calls its callbacks after a commit, and not after a rollback', async () => {
    const given: string[] = [];
    await transaction(sql, async (tx) => {
      tx.afterCommit(() => given.push('committed'));
      expect(given).toEqual([]);
    });
    const failed = transaction(sql, async (tx) => {
      tx.afterCommit(() => given.push('rolled back'));
      await tx`select 1 / 0`;
    });
    await expect(failed).rejects.toThrow('division by zero');
    expect(given).toEqual(['committed']);
  });

  test('notifies listeners after its commit, and never after a rollback', async () => {
    const [elsewhere] = database.twoConnections();
    const listener = createListener({ sql: elsewhere, log: silentLog, listenAt: database.target });
    const heard: Subjects[] = [];
    listener.on('told', (subjects) => heard.push(subjects));
    await vi.waitFor(() => expect(heard).toEqual(['any']), 20_000);
    await transaction(sql, async (tx) => {
      tx.notifyAfterCommit('told', ['first']);
      tx.notifyAfterCommit('told', ['second']);
      await tx`select 1`;
      expect(heard).toHaveLength(1);
    });
    const failed = transaction(sql, async (tx) => {
      tx.notifyAfterCommit('told', ['rolled back']);
      await tx`select 1 / 0`;
    });
    await expect(failed).rejects.toThrow('division by zero');
    await transaction(sql, async (tx) => tx.notifyAfterCommit('told', ['last']));
    await vi.waitFor(() => expect(heard).toHaveLength(3), 30_000);
    expect(heard).toEqual(['any', new Set(['first', 'second']), new Set(['last'])]);
    await listener.close();
  });

  test('notifies listeners of its own process without a connection that listens', async () => {
    const heard: Subjects[] = [];
    const stop = sql.notifications.on('told', (subjects) => heard.push(subjects));
    await transaction(sql, async (tx) => tx.notifyAfterCommit('told', ['here']));
    stop();
    expect(heard).toEqual([new Set(['here'])]);
  });

  test('fails and has no effect when its connection is lost, and the pool recovers', async () => {
    const [a, killer] = database.twoConnections();
    const before = await balances();
    const lost = transaction(a, async (tx) => {
      await pay(tx, 1);
      const [row] = await tx<[{ pid: number }]>`select pg_backend_pid() as pid`;
      await killer`select pg_terminate_backend(${row.pid}, 5000)`;
      await pay(tx, 2);
    });
    await expect(lost).rejects.toThrow();
    expect(await balances()).toEqual(before);
    await transaction(a, (tx) => pay(tx, 1));
    expect(await balances()).toEqual([before[0] + 1, before[1]]);
  });

  test('is a separate type: a pool is not accepted', () => {
    const needsTransaction = async (tx: Transaction) => pay(tx, 1);
    // @ts-expect-error a function that must commit with its cause does not accept a pool
    const misuse = () => needsTransaction(sql);
    expect(misuse).toBeTypeOf('function');
  });
});

describe('a connection', () => {
  const options = {
    poolSize: 1,
    statementTimeoutSeconds: 1,
    idleTransactionTimeoutSeconds: 1,
    applicationName: 'limits',
  };

  test('cancels a statement that runs too long', async () => {
    const limited = openDatabase(database.target, options);
    await expect(limited`select pg_sleep(10)`).rejects.toMatchObject({ code: '57014' });
    await limited.end();
  });

  test('ends a transaction that is idle for too long, and releases its locks', async () => {
    const limited = openDatabase(database.target, options);
    const idle = transaction(limited, async (tx) => {
      await pay(tx, 1);
      // Waits behind the idle transaction's lock until the server ends it.
      await sql`update accounts set balance = 0 where id = 1`;
      await tx`select 1`;
    });
    await expect(idle).rejects.toBeDefined();
    expect((await balances())[0]).toBe(0);
    await limited.end();
  });

  test('runs in UTC under the name of its process', async () => {
    const limited = openDatabase(database.target, options);
    const [row] =
      await limited`select current_setting('TimeZone') as zone, current_setting('application_name') as name`;
    expect(row).toEqual({ zone: 'UTC', name: 'limits' });
    await limited.end();
  });

  test('can use a URL with a socket', async () => {
    const byUrl = openTestDatabase({ url: database.url });
    const [row] = await byUrl`select current_database() as name`;
    expect(row?.name).toBe(database.target.database);
    await byUrl.end();
  });

  test.each([
    [
      'postgres://u:p@db.example:5433/nexus',
      { host: 'db.example', port: 5433, user: 'u', database: 'nexus' },
    ],
    ['postgres:///nexus?host=/run/pg', { host: '/run/pg', database: 'nexus' }],
    ['postgresql://u@/nexus?host=/run/pg&port=6000', { host: '/run/pg', port: 6000, user: 'u' }],
    // Like libpq: encrypted, with any certificate.
    ['postgres://db.example/nexus?sslmode=require', { ssl: { rejectUnauthorized: false } }],
  ])('reads %s', (url, expected) => {
    expect(connectionConfig({ url })).toMatchObject(expected);
  });

  test('accepts a server that is new enough, and refuses an older one', async () => {
    await refuseOldServer(sql);
    await expect(refuseOldServer(sql, 99)).rejects.toThrow(
      /^The database server runs PostgreSQL .*\. Nexus requires 99 or newer/,
    );
  });

  test("keeps the URL's own options", async () => {
    const options = encodeURIComponent('-c work_mem=7MB');
    const byUrl = openTestDatabase({ url: `${database.url}&options=${options}` });
    const [row] =
      await byUrl`select current_setting('work_mem') as memory, current_setting('TimeZone') as zone`;
    expect(row).toEqual({ memory: '7MB', zone: 'UTC' });
    await byUrl.end();
  });
});
