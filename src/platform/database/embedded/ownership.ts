import pg from 'pg';
import { type Queryable, writeStatements } from '../database.ts';
import { identifier } from '../statement.ts';
import type { Cluster } from './cluster.ts';

/** A hold on a running server, through a connection that is kept open for nothing else. */
export interface Hold {
  serverVersion: number;
  /** Lets go. True when nobody else holds the server, so that whoever let go should stop it. */
  release(): Promise<boolean>;
}

export type Attempt =
  /** This process looks after the server. */
  | { kind: 'owner'; hold: Hold }
  /** Another living process does; this one may use the server. */
  | { kind: 'guest'; hold: Hold; owner: string }
  /** A server is there but does not answer queries now. */
  | { kind: 'busy' }
  /** No server listens. */
  | { kind: 'absent' };

/** Any two fixed numbers that differ from other advisory locks in the maintenance database. */
const OWNER_LOCK = 7_305_119;
const PRESENCE_LOCK = 7_305_121;

const NOBODY_LISTENS = ['ENOENT', 'ECONNREFUSED'];
const WRONG_PASSWORD = '28P01';
/** Shutting down, crashed, starting; and what a connection says that breaks meanwhile. */
const NOT_NOW = /^(57P0[123]|ECONNRESET|EPIPE)$/;

/**
 * Takes hold of the server. Everybody who uses it holds the presence lock, shared; one of them holds the owner lock,
 * too. Both belong to the connection: when the process dies, however it dies, the kernel closes it and the server
 * frees them. `onLost` is called when the connection ends without `release`.
 */
export async function takeHold(
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
    // Somebody holds it alone, and is about to stop the server.
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
        // It may be broken already, which is as good as ended.
        if (!isLast) await client.end().catch(() => undefined);
        // The last one keeps the lock until the server is gone, so that nobody comes in between.
        return isLast;
      },
    };
    return owner === undefined ? { kind: 'owner', hold } : { kind: 'guest', hold, owner };
  } catch (error) {
    await client.end().catch(() => undefined);
    const { code = '', message } = (failure ?? error) as NodeJS.ErrnoException;
    if (NOT_NOW.test(code) || /terminated/.test(message)) return { kind: 'busy' };
    if (NOBODY_LISTENS.includes(code)) return { kind: 'absent' };
    if (code === WRONG_PASSWORD) {
      throw new Error(
        'The file `password` is not the one that belongs to this data directory. Restore it together with `data`.',
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
    // Somebody else was faster.
    if (!(await exists())) throw error;
  }
}
