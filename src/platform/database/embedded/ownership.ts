import pg from 'pg';
import { type Queryable, writeStatements } from '../database.ts';
import { identifier } from '../statement.ts';
import type { Cluster } from './cluster.ts';

/** The right to use a running server, held by a connection that serves no other purpose. */
interface Hold {
  serverVersion: number;
  /** Releases the server. Returns true when no other process uses it: then the caller should stop it. */
  release(): Promise<boolean>;
}

export type Attempt =
  /** This process owns the server. */
  | { kind: 'owner'; hold: Hold }
  /** Another process owns the server; this one may use it. */
  | { kind: 'guest'; hold: Hold; owner: string }
  /** The server runs but does not accept queries now. */
  | { kind: 'busy' }
  /** No server runs. */
  | { kind: 'absent' };

/** Two fixed numbers that no other advisory lock in the maintenance database uses. */
const OWNER_LOCK = 7_305_119;
const PRESENCE_LOCK = 7_305_121;

const NOT_LISTENING = ['ENOENT', 'ECONNREFUSED'];
const WRONG_PASSWORD = '28P01';
/** The server is shutting down, has crashed or is starting, or the connection broke meanwhile. */
const BUSY = /^(57P0[123]|ECONNRESET|EPIPE)$/;

/**
 * Tries to get a hold on the server. Every process that uses the server holds the shared presence lock; one of them also
 * holds the owner lock. Both locks belong to the connection, so the server releases them when the process dies. `onLost`
 * is called when the connection ends without `release`.
 */
export async function acquireHold(
  { host, port, username, password }: Cluster['connection'],
  database: string,
  holder: string,
  onLost: () => void,
): Promise<Attempt> {
  const client = new pg.Client({
    host,
    port,
    user: username,
    password,
    database: 'postgres',
    application_name: holder,
    connectionTimeoutMillis: 10_000,
  });
  let failure: unknown;
  let isHeld = false;
  client.on('error', (error) => {
    failure = error;
  });
  client.on('end', () => {
    if (isHeld) onLost();
  });
  const sql = writeStatements(client, false);
  try {
    await client.connect();
    const [locks] = await sql<[{ present: boolean; version: number }]>`
      select
        pg_try_advisory_lock_shared(${PRESENCE_LOCK}) as present,
        current_setting('server_version_num')::int as version`;
    // Another process holds the lock exclusively and is about to stop the server.
    if (!locks.present) {
      await client.end();
      return { kind: 'busy' };
    }
    const [own] = await sql<[{ locked: boolean }]>`select pg_try_advisory_lock(${OWNER_LOCK}) as locked`;
    const owner = own.locked ? undefined : await findOwner(sql);
    await ensureDatabase(sql, database);
    isHeld = true;
    const hold: Hold = {
      serverVersion: locks.version,
      async release() {
        isHeld = false;
        const isLast = await isAlone(sql).catch(() => false);
        // An error means that the connection has already ended.
        if (!isLast) await client.end().catch(() => undefined);
        // The last process keeps the lock until the server has stopped, so that no other process can use it meanwhile.
        return isLast;
      },
    };
    return owner === undefined ? { kind: 'owner', hold } : { kind: 'guest', hold, owner };
  } catch (error) {
    await client.end().catch(() => undefined);
    const { code = '', message } = (failure ?? error) as NodeJS.ErrnoException;
    if (BUSY.test(code) || /terminated/.test(message)) return { kind: 'busy' };
    if (NOT_LISTENING.includes(code)) return { kind: 'absent' };
    if (code === WRONG_PASSWORD) {
      throw new Error(
        'The file `password` does not belong to this data directory. Restore it together with `data`.',
      );
    }
    throw error;
  }
}

async function isAlone(sql: Queryable): Promise<boolean> {
  const [row] = await sql<[{ alone: boolean }]>`
    select pg_advisory_unlock_shared(${PRESENCE_LOCK}) and pg_try_advisory_lock(${PRESENCE_LOCK}) as alone`;
  return row.alone;
}

async function findOwner(sql: Queryable): Promise<string> {
  const [row] = await sql<{ application_name: string }[]>`
    select activity.application_name
    from pg_locks as lock
    join pg_stat_activity as activity using (pid)
    where lock.locktype = 'advisory' and lock.objid = ${OWNER_LOCK} and lock.granted`;
  return row?.application_name ?? '';
}

async function ensureDatabase(sql: Queryable, database: string): Promise<void> {
  const exists = async () => (await sql`select from pg_database where datname = ${database}`).length > 0;
  if (await exists()) return;
  try {
    await sql`create database ${identifier(database)}`;
  } catch (error) {
    // Another process may have created it in parallel.
    if (!(await exists())) throw error;
  }
}
