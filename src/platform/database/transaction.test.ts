import { beforeAll, describe, expect, test, vi } from 'vitest';
import { openTestDatabase, useDatabase } from '../../../test/support/database.ts';
import { connectionConfig, openDatabase, refuseOldServer, type Transaction } from './database.ts';
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
  test('commits what returns and rolls back what throws', async () => {
    expect(await transaction(sql, async (tx) => (await pay(tx, 1)).count)).toBe(1);
    const failed = transaction(sql, async (tx) => {
      await pay(tx, 1);
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    expect(await balances()).toEqual([1, 0]);
  });

  test('two that lock each other out are both applied, without the callers noticing', async () => {
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
    expect(tries).toBe(3);
  });

  test('does not pass for committed when an error inside it was dropped', async () => {
    const before = await balances();
    const careless = transaction(sql, async (tx) => {
      await pay(tx, 1);
      await tx`select 1 / 0`.then(undefined, () => undefined);
    });
    await expect(careless).rejects.toThrow('nothing was committed');
    expect(await balances()).toEqual(before);
  });

  test('commits what was sent without waiting for the answer, and fails as it failed', async () => {
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

  test('takes no statement after its end, which would land in another one', async () => {
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
    await expect(late).rejects.toThrow('This transaction is over');
    expect(await balances()).toEqual(before);
  });

  test('gives its hints once it has committed, and none when it has not', async () => {
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

  test('tells listeners in the wake of its commit, and asks only then what is to be said', async () => {
    const listener = await sql.connect();
    const heard: (string | undefined)[] = [];
    listener.on('notification', ({ payload }) => heard.push(payload));
    await listener.query('listen told');
    let isAsked = false;
    await transaction(sql, async (tx) => {
      tx.notifyAfterCommit('told', () => {
        isAsked = true;
        return 'committed';
      });
      tx.notifyAfterCommit('told', () => undefined);
      await tx`select 1`;
      expect(isAsked).toBe(false);
    });
    const failed = transaction(sql, async (tx) => {
      tx.notifyAfterCommit('told', () => 'rolled back');
      await tx`select 1 / 0`;
    });
    await expect(failed).rejects.toThrow('division by zero');
    await transaction(sql, async (tx) => tx.notifyAfterCommit('told', () => 'the last'));
    await vi.waitFor(() => expect(heard).toContain('the last'), 30_000);
    expect(heard).toEqual(['committed', 'the last']);
    await listener.query('unlisten told');
    listener.release();
  });

  test('fails when its connection is lost, takes effect in no part, and the pool goes on', async () => {
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

  test('is a type of its own: a pool does not pass for one', () => {
    const needsTransaction = async (tx: Transaction) => pay(tx, 1);
    // @ts-expect-error what must commit with its cause cannot be given a pool
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

  test('ends a transaction that does nothing for too long, and its locks with it', async () => {
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

  test('can be made by a URL that names a socket', async () => {
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
    // As for PostgreSQL's own programs: encrypted, whoever signed the certificate.
    ['postgres://db.example/nexus?sslmode=require', { ssl: { rejectUnauthorized: false } }],
  ])('reads %s', (url, expected) => {
    expect(connectionConfig({ url })).toMatchObject(expected);
  });

  test('passes a server that is new enough, and refuses an older one with a sentence', async () => {
    await refuseOldServer(sql);
    await expect(refuseOldServer(sql, 99)).rejects.toThrow(
      /^The database server runs PostgreSQL .*; Nexus needs 99 or newer/,
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
