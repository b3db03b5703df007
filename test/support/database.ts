import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, vi } from 'vitest';
import { type ConnectionTarget, type Database, openDatabase } from '../../src/platform/database/database.ts';
import { identifier } from '../../src/platform/database/statement.ts';

const OPTIONS = {
  poolSize: 4,
  statementTimeoutSeconds: 30,
  idleTransactionTimeoutSeconds: 30,
  applicationName: 'nexus test',
};

export function openTestDatabase(
  target: ConnectionTarget,
  poolSize = OPTIONS.poolSize,
  isPooled = false,
): Database {
  return openDatabase(target, { ...OPTIONS, poolSize, isPooled });
}

export interface TestDatabase {
  /** A pool on the file's own database. */
  readonly sql: Database;
  readonly target: Exclude<ConnectionTarget, { url: string }>;
  /** The database as a value for NEXUS_DATABASE_URL. */
  readonly url: string;
  /** Two connections that share nothing, as two processes have. */
  twoConnections(): [Database, Database];
}

/** A database, and a way to close all connections to it that the file has opened. */
export interface Connected {
  database: TestDatabase;
  close(): Promise<void>;
}

export function connectTo(target: TestDatabase['target']): Connected {
  const pools: Database[] = [];
  const open = (poolSize?: number) => {
    const pool = openTestDatabase(target, poolSize);
    pools.push(pool);
    return pool;
  };
  return {
    database: { sql: open(), target, url: socketUrl(target), twoConnections: () => [open(1), open(1)] },
    close: async () => void (await Promise.all(pools.map((pool) => pool.end()))),
  };
}

/**
 * Gives the test file a migrated database of its own on the server that all files share, and fails the file if
 * anything is still connected at its end.
 */
export function useDatabase({ template = 'nexus' } = {}): TestDatabase {
  const name = `test_${fileName()}_${randomBytes(6).toString('hex')}`;
  const { database, close } = connectTo({ ...inject('server'), database: name });

  beforeAll(() =>
    withMaintenance((admin) => admin`create database ${identifier(name)} template ${identifier(template)}`),
  );
  afterAll(async () => {
    await close();
    await withMaintenance(async (admin) => {
      try {
        await vi.waitFor(async () => {
          const left = await admin`
            select application_name, state, query from pg_stat_activity where datname = ${name}`;
          if (left.length > 0) throw new Error(JSON.stringify(left, null, 2));
        }, 10_000);
      } catch (error) {
        throw new Error(`This file left database connections open: ${(error as Error).message}`);
      } finally {
        await admin`drop database ${identifier(name)} with (force)`;
      }
    });
  });
  return database;
}

/** The name of the test file, as far as a name of a database can hold it. */
function fileName(): string {
  return path.basename(expect.getState().testPath ?? '', '.test.ts').slice(0, 40);
}

export async function withMaintenance<T>(work: (admin: Database) => PromiseLike<T>): Promise<T> {
  const admin = openTestDatabase({ ...inject('server'), database: 'postgres' }, 1);
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

/** The value for NEXUS_DATABASE_URL. */
export function socketUrl({ host, port, username, password, database }: TestDatabase['target']): string {
  return `postgres://${username}:${password}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}
