import { setTimeout as pause } from 'node:timers/promises';
import type { PoolClient, QueryConfig } from 'pg';
import { isTracing } from '../telemetry/tracing.ts';
import { type Database, type Transaction, writeStatements } from './database.ts';
import { inTurn } from './in-turn.ts';
import { CHANNEL } from './notifications.ts';
import { holdWrites } from './one-write.ts';
import type { SqlFragment } from './statement.ts';
import { inStatementSpan } from './statement-span.ts';
import { throwMarked } from './trouble.ts';

/** A caller whose transactions commit only together with its claim. */
export interface Claimant {
  claim?: ((tx: Transaction) => Promise<void>) | undefined;
}

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK_DETECTED = '40P01';
const MAX_TRIES = 5;

/**
 * Runs `work` in one transaction: commits when it returns, rolls back when it throws.
 *
 * With a `claim`, the transaction commits only if that succeeds: an idempotency key, for example, that no other request has
 * claimed. It comes last, because locks must be taken before anything is written.
 *
 * After a deadlock or a serialisation failure it runs `work` again, so everything that `work` does must go through `tx`.
 *
 *     const user = await transaction(sql, async (tx) => {
 *       const user = await insertUser(tx, fields);
 *       await recordAudit(tx, { action: 'user.created', … });
 *       return user;
 *     });
 */
export async function transaction<T>(
  sql: Database,
  work: (tx: Transaction) => PromiseLike<T>,
  { claim }: Claimant = {},
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await runOnce(sql, async (tx) => {
        const result = await work(tx);
        await claim?.(tx);
        return result;
      });
    } catch (error) {
      if (tries === MAX_TRIES || !isTransient(error)) throw error;
      await pause(Math.random() * 10 * 2 ** tries);
    }
  }
}

/** Work that a transaction finishes at its end. */
interface Pending {
  /** Statements that were sent without waiting for their results. */
  sent: PromiseLike<unknown>[];
  callbacks: (() => void)[];
  /** The subjects to notify of, by topic. */
  notifications: Map<string, Set<string>>;
}

/**
 * Runs one attempt. It sends statements without waiting for the previous result where that is safe: the first one right
 * after `begin`, the commit right after statements of `send`, and notifications right after the commit. What is sent
 * together leaves in one write. A small transaction takes two round trips instead of four, or one if it only uses `send`.
 */
export async function runOnce<T>(
  sql: Database,
  work: (tx: Transaction, client: PoolClient) => PromiseLike<T>,
  begin = sql.begin,
): Promise<T> {
  const client = await sql.connect();
  const pending: Pending = { sent: [], callbacks: [], notifications: new Map() };
  let isOver = false;
  let broken: Error | undefined;
  let notified: Promise<unknown> | undefined;
  // A connection may break while no statement runs; without a listener that would end the process.
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  let result: T;
  try {
    holdWrites(client);
    const begun = client.query(begin).catch(throwMarked);
    begun.catch(() => undefined);
    if (sql.isPooled) await begun;
    result = await work(
      asTransaction(client, sql.isPooled, pending, () => isOver),
      client,
    );
    // Behind a pooler, they may still wait for each other.
    if (sql.isPooled) for (const result of pending.sent) await result;
    isOver = true;
    holdWrites(client);
    const committed = isTracing() ? inStatementSpan('commit', () => commit(client)) : commit(client);
    committed.catch(() => undefined);
    if (!sql.isPooled) notified = notify(client, sql, pending);
    // Awaited in the order of sending, so that the first error is thrown.
    for (const result of [begun, ...pending.sent]) await result;
    await committed;
    if (sql.isPooled) notified = notify(client, sql, pending);
  } catch (error) {
    isOver = true;
    // If the rollback fails, the connection is broken, and the server rolls back by itself.
    await client.query('rollback').catch((failure: Error) => {
      broken ??= failure;
    });
    for (const result of pending.sent) await result;
    throw error;
  } finally {
    void Promise.resolve(notified).then(() => {
      client.off('error', onError);
      client.release(broken);
    });
  }
  for (const callback of pending.callbacks) callback();
  sql.notifications.tellHere(pending.notifications);
  return result;
}

/** Sends the notifications. Never rejects, because notifications may be lost. */
async function notify(client: PoolClient, sql: Database, { notifications }: Pending): Promise<void> {
  const messages = sql.notifications.behindCommit(notifications);
  if (messages.length === 0) return;
  const tell = writeStatements(client, sql.isPooled);
  await Promise.allSettled([
    tell`select pg_notify(${CHANNEL}, message) from unnest(${messages}::text[]) as message`,
  ]);
}

/** Commits. After a failed statement, PostgreSQL rolls back instead and reports success, so the result is checked. */
async function commit(client: PoolClient): Promise<void> {
  const { command } = await client.query('commit').catch(throwMarked);
  if (command === 'COMMIT') return;
  throw new Error(
    'A statement of this transaction failed and its error was ignored, so nothing was committed.',
  );
}

/** Creates the `Transaction`. It refuses statements after its end, which would run in the connection's next transaction. */
function asTransaction(
  client: PoolClient,
  isPooled: boolean,
  { sent, callbacks, notifications }: Pending,
  isOver: () => boolean,
): Transaction {
  const send = async (statement: string | QueryConfig) => {
    if (isOver()) throw new Error('This transaction has ended; a statement came too late.');
    holdWrites(client);
    return client.query(statement);
  };
  const query = isPooled ? inTurn(send) : send;
  function sendForLater<T>(reading: PromiseLike<T>): Promise<T> {
    const result = Promise.resolve(reading.then((rows) => rows));
    result.catch(() => undefined);
    sent.push(result);
    return result;
  }
  return Object.assign(writeStatements({ query }, isPooled), {
    send(statement: SqlFragment) {
      void sendForLater(statement);
    },
    sendForLater,
    async script(text: string) {
      await query(text);
    },
    afterCommit(callback: () => void) {
      callbacks.push(callback);
    },
    notifyAfterCommit(topic: string, subjects: Iterable<string> = []) {
      notifications.set(topic, new Set([...(notifications.get(topic) ?? []), ...subjects]));
    },
  }) as unknown as Transaction;
}

function isTransient(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED;
}
