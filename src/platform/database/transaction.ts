import { setTimeout as pause } from 'node:timers/promises';
import type { PoolClient } from 'pg';
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
  let broken: Error | undefined;
  // A connection may break while no statement is under way; without a listener that would end the process.
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await client.query('begin');
    const result = await work(asTransaction(client));
    await client.query('commit');
    return result;
  } catch (error) {
    // When even the rollback fails, the connection is of no more use, and the server rolls back by itself.
    await client.query('rollback').catch((failure: Error) => {
      broken ??= failure;
    });
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

function asTransaction(client: PoolClient): Transaction {
  return Object.assign(writeStatements(client), {
    async script(text: string) {
      await client.query(text);
    },
  }) as unknown as Transaction;
}

function isTransient(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED;
}
