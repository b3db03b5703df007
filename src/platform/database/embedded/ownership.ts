import pg from 'pg';
import { writeStatements } from '../database.ts';
import { identifier } from '../statement.ts';
import type { Cluster } from './cluster.ts';

export type Ownership =
  /** This process holds the lock. */
  | { kind: 'owned'; serverVersion: number; release(): Promise<void> }
  /** Another living process holds it. */
  | { kind: 'taken'; holder: string }
  /** A server is there but does not answer queries yet. */
  | { kind: 'starting' }
  /** No server listens. */
  | { kind: 'absent' };

/** The two answers that waiting cannot change. */
export type Settled = Extract<Ownership, { kind: 'owned' | 'taken' }>;

/** Any fixed number; it only has to differ from other advisory locks in the maintenance database. */
const OWNER_LOCK = 7_305_119;
const CANNOT_CONNECT_NOW = '57P03';
const NOBODY_LISTENS = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET'];

/**
 * Tries to become the process that looks after the server. The lock belongs to a connection that is kept open for
 * nothing else: when this process dies, however it dies, the kernel closes it and the server frees the lock.
 * `onLost` is called when the connection ends without `release`.
 */
export async function takeOwnership(
  { host, port, username, password }: Cluster['connection'],
  database: string,
  holder: string,
  onLost: () => void,
): Promise<Ownership> {
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
  let held = false;
  client.on('error', (error) => {
    failure = error;
  });
  client.on('end', () => {
    if (held) onLost();
  });
  const sql = writeStatements(client);
  try {
    await client.connect();
    const [row] = await sql<[{ locked: boolean; version: number }]>`
      select pg_try_advisory_lock(${OWNER_LOCK}) as locked, current_setting('server_version_num')::int as version`;
    if (!row.locked) {
      const [owner] = await sql<{ application_name: string }[]>`
        select activity.application_name
        from pg_locks as lock
        join pg_stat_activity as activity using (pid)
        where lock.locktype = 'advisory' and lock.objid = ${OWNER_LOCK} and lock.granted`;
      await client.end();
      return { kind: 'taken', holder: owner?.application_name ?? 'which has just gone' };
    }
    const found = await sql`select from pg_database where datname = ${database}`;
    if (found.length === 0) await sql`create database ${identifier(database)}`;
    held = true;
    return {
      kind: 'owned',
      serverVersion: row.version,
      async release() {
        held = false;
        await client.end();
      },
    };
  } catch (error) {
    await client.end().catch(() => undefined);
    const { code, message } = (failure ?? error) as NodeJS.ErrnoException;
    if (code === CANNOT_CONNECT_NOW) return { kind: 'starting' };
    if (NOBODY_LISTENS.includes(code ?? '') || /terminated/.test(message)) return { kind: 'absent' };
    throw error;
  }
}
