import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import { holdWrites } from './one-write.ts';
import { endsConnection } from './trouble.ts';

/** A connection takes no more statements than this before others may have it, so that a busy server starves no transaction. */
const MOST_STATEMENTS = 64;

/** A connection that several statements use at the same time. */
interface Shared {
  client: Promise<PoolClient>;
  /** The statements that were given to it so far. */
  given: number;
  running: number;
  /** Set when the connection can no longer be used. */
  broken: Error | undefined;
}

/**
 * Runs short statements: those that come while others are under way use the same connection. They are sent together, and
 * PostgreSQL answers them in turn, which takes fewer writes and wake-ups than a connection each. A statement waits for those
 * before it, so only look-ups by key belong here.
 */
export function shareConnections(pool: Pool) {
  let current: Shared | undefined;
  let turn: Promise<void> | undefined;

  function share(): Shared {
    if (!current || current.given === MOST_STATEMENTS)
      current = { client: pool.connect(), given: 0, running: 0, broken: undefined };
    current.given += 1;
    current.running += 1;
    return current;
  }

  /** Resolves when all requests that have arrived at this moment have been read. */
  function endOfTurn(): Promise<void> {
    turn ??= new Promise((resolve) => {
      setImmediate(() => {
        turn = undefined;
        resolve();
      });
    });
    return turn;
  }

  /** Keeps later statements from a connection that can no longer be used. */
  function abandon(shared: Shared, error: Error): void {
    shared.broken ??= error;
    if (current === shared) current = undefined;
  }

  /** Gives the connection back after its last statement. The pool closes one that is broken. */
  async function leave(shared: Shared): Promise<void> {
    shared.running -= 1;
    if (shared.running > 0) return;
    if (current === shared) current = undefined;
    (await shared.client).release(shared.broken);
  }

  async function run(shared: Shared, statement: QueryConfig): Promise<QueryResult | undefined> {
    const client = await shared.client.catch((error) => {
      abandon(shared, error);
      throw error;
    });
    try {
      await endOfTurn();
      if (shared.broken) return undefined;
      holdWrites(client);
      return await client.query(statement);
    } catch (error) {
      if (error instanceof Error && endsConnection(error)) abandon(shared, error);
      throw error;
    } finally {
      await leave(shared);
    }
  }

  return {
    async query(statement: QueryConfig): Promise<QueryResult> {
      for (;;) {
        const result = await run(share(), statement);
        // A statement that was not sent before its connection broke gets another one.
        if (result) return result;
      }
    },
  };
}
