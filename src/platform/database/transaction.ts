import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Transaction } from './database.ts';

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
export async function transaction<T>(sql: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return (await sql.begin(work)) as T;
    } catch (error) {
      if (tries === MAX_TRIES || !isTransient(error)) throw error;
      await pause(Math.random() * 10 * 2 ** tries);
    }
  }
}

function isTransient(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED;
}
