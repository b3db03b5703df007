import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Queryable } from '../../src/platform/database/database.ts';
import { gate } from './jobs.ts';

/** A connection whose transactions stop at one step until `letGo` is called. */
export interface HeldConnection {
  sql: Database;
  /** Resolves when a transaction is about to take the step. */
  reached: Promise<void>;
  letGo(): void;
}

/** Holds transactions before they commit, with all their locks; the first `skip` of them pass. */
export function holdBeforeCommit(sql: Database, { skip = 0 } = {}): HeldConnection {
  return hold(sql, skip, (step) => async () => {
    const client = await sql.connect();
    const query = client.query;
    const release = client.release;
    const held = async (...statement: unknown[]) => {
      if (statement[0] === 'commit') await step();
      return Reflect.apply(query, client, statement);
    };
    return Object.assign(client, {
      query: held,
      release: (error?: Error) => {
        Object.assign(client, { query, release });
        release.call(client, error);
      },
    });
  });
}

/** Holds transactions before they begin; the first `skip` of them pass. */
export function holdBeforeBegin(sql: Database, { skip = 0 } = {}): HeldConnection {
  return hold(sql, skip, (step) => async () => {
    await step();
    return sql.connect();
  });
}

function hold(
  sql: Database,
  skip: number,
  connectBy: (step: () => Promise<void>) => Database['connect'],
): HeldConnection {
  const [arrived, released] = [gate(), gate()];
  let steps = 0;
  const connect = connectBy(async () => {
    if (++steps <= skip) return;
    arrived.open();
    await released.opened;
  });
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
