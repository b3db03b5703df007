import postgres from 'postgres';
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

/**
 * Tries to become the process that looks after the server. The lock belongs to a connection that is kept open for
 * nothing else: when this process dies, however it dies, the kernel closes it and the server frees the lock.
 * `onLost` is called when the connection ends without `release`.
 */
export async function takeOwnership(
  connection: Cluster['connection'],
  database: string,
  holder: string,
  onLost: () => void,
): Promise<Ownership> {
  let held = false;
  const client = postgres({
    ...connection,
    database: 'postgres',
    max: 1,
    max_lifetime: null,
    fetch_types: false,
    connection: { application_name: holder },
    onclose: () => {
      if (!held) return;
      held = false;
      void client.end().then(onLost, onLost);
    },
  });
  try {
    const [row] = await client<[{ locked: boolean; version: number }]>`
      select pg_try_advisory_lock(${OWNER_LOCK}) as locked, current_setting('server_version_num')::int as version`;
    if (!row.locked) {
      const name = await holderOf(client);
      await client.end();
      return { kind: 'taken', holder: name };
    }
    await ensureDatabase(client, database);
    held = true;
    return {
      kind: 'owned',
      serverVersion: row.version,
      async release() {
        held = false;
        await client.end({ timeout: 1 });
      },
    };
  } catch (error) {
    await client.end({ timeout: 1 });
    const code = (error as { code?: string }).code;
    if (code === CANNOT_CONNECT_NOW) return { kind: 'starting' };
    if (code && ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'CONNECTION_CLOSED'].includes(code))
      return { kind: 'absent' };
    throw error;
  }
}

async function holderOf(client: postgres.Sql): Promise<string> {
  const [row] = await client<{ application_name: string }[]>`
    select activity.application_name
    from pg_locks as lock
    join pg_stat_activity as activity using (pid)
    where lock.locktype = 'advisory' and lock.objid = ${OWNER_LOCK} and lock.granted`;
  return row?.application_name ?? 'which has just gone';
}

async function ensureDatabase(client: postgres.Sql, database: string): Promise<void> {
  const found = await client`select from pg_database where datname = ${database}`;
  if (found.length === 0) await client`create database ${client(database)}`;
}
