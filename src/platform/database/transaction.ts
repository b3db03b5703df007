import { setTimeout as pause } from 'node:timers/promises';
import type { PoolClient, QueryConfig } from 'pg';
import { type Database, type Transaction, writeStatements } from './database.ts';

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK_DETECTED = '40P01';
const MAX_TRIES = 5;

/**
 * Runs `work` in one transaction: commits what it returns, rolls back what it throws.
 *
 * A deadlock or a serialisation failure is nobody's fault and is tried again, so `work` may run more than once:
 * everything it does must go through `tx`.
 *
 *     const user = await transaction(sql, async (tx) => {
 *       const user = await insertUser(tx, fields);
 *       await recordAudit(tx, { action: 'user.created', … });
 *       return user;
 *     });
 */
export async function transaction<T>(sql: Database, work: (tx: Transaction) => PromiseLike<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await runOnce(sql, work);
    } catch (error) {
      if (tries === MAX_TRIES || !isTransient(error)) throw error;
      await pause(Math.random() * 10 * 2 ** tries);
    }
  }
}

async function runOnce<T>(sql: Database, work: (tx: Transaction) => PromiseLike<T>): Promise<T> {
  const client = await sql.connect();
  const hints: (() => void)[] = [];
  let isOver = false;
  let broken: Error | undefined;
  // A connection may break while no statement is under way; without a listener that would end the process.
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  let result: T;
  try {
    await client.query(sql.begin);
    result = await work(asTransaction(client, sql.isPooled, hints, () => isOver));
    isOver = true;
    await commit(client);
  } catch (error) {
    isOver = true;
    // When even the rollback fails, the connection is of no more use, and the server rolls back by itself.
    await client.query('rollback').catch((failure: Error) => {
      broken ??= failure;
    });
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
  for (const hint of hints) hint();
  return result;
}

/** PostgreSQL answers the commit of a transaction in which a statement failed with a rollback, and calls it success. */
async function commit(client: PoolClient): Promise<void> {
  const { command } = await client.query('commit');
  if (command === 'COMMIT') return;
  throw new Error(
    'A statement of this transaction failed and its error was dropped, so nothing was committed.',
  );
}

/** What is written after the end would land in whatever transaction has the connection next, so it is refused. */
function asTransaction(
  client: PoolClient,
  isPooled: boolean,
  hints: (() => void)[],
  isOver: () => boolean,
): Transaction {
  const query = async (statement: string | QueryConfig) => {
    if (isOver()) throw new Error('This transaction is over; a statement came too late to be part of it.');
    return client.query(statement);
  };
  return Object.assign(writeStatements({ query }, isPooled), {
    async script(text: string) {
      await query(text);
    },
    afterCommit(hint: () => void) {
      hints.push(hint);
    },
  }) as unknown as Transaction;
}

function isTransient(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED;
}
