import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Queryable } from '../../src/platform/database/database.ts';
import { gate } from './jobs.ts';

/** A connection whose transactions stop right before they commit, holding all their locks, until `letGo` is called. */
export interface HeldConnection {
  sql: Database;
  /** Resolves when a transaction is about to commit. */
  reached: Promise<void>;
  letGo(): void;
}

/** Holds transactions before they commit; the first `skip` of them pass. */
export function holdBeforeCommit(sql: Database, { skip = 0 } = {}): HeldConnection {
  const [arrived, released] = [gate(), gate()];
  let commits = 0;
  const connect = async () => {
    const client = await sql.connect();
    const query = client.query;
    const release = client.release;
    const held = async (...statement: unknown[]) => {
      if (statement[0] === 'commit' && ++commits > skip) {
        arrived.open();
        await released.opened;
      }
      return Reflect.apply(query, client, statement);
    };
    return Object.assign(client, {
      query: held,
      release: (error?: Error) => {
        Object.assign(client, { query, release });
        release.call(client, error);
      },
    });
  };
  const statements = (...parts: Parameters<Queryable>) => sql(...parts);
  return {
    sql: Object.assign(statements, sql, { connect }) as unknown as Database,
    reached: arrived.opened,
    letGo: released.open,
  };
}

const POLL_MS = 5;

/** Waits until an operation is blocked by a lock or done, and returns which. */
export async function blockedOrDone(
  monitor: Queryable,
  begun: Promise<unknown>,
): Promise<'blocked' | 'done'> {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  begun.then(done, done);
  for (;;) {
    const waiting = await monitor`
      select
      from pg_stat_activity
      where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`;
    if (waiting.length > 0) return 'blocked';
    if (isDone) return 'done';
    await pause(POLL_MS);
  }
}

/** Waits until a statement is blocked by a lock. The text must be in its first 1,024 characters. */
export async function statementBlocked(monitor: Queryable, text = ''): Promise<void> {
  for (;;) {
    const waiting = await monitor`
      select
      from pg_stat_activity
      where datname = current_database() and position(${text} in query) > 0 and cardinality(pg_blocking_pids(pid)) > 0`;
    if (waiting.length > 0) return;
    await pause(POLL_MS);
  }
}
