import { setTimeout as pause } from 'node:timers/promises';
import type { PoolClient, QueryConfig } from 'pg';
import { type Database, type Transaction, throwMarked, writeStatements } from './database.ts';
import { CHANNEL } from './notifications.ts';
import type { Statement } from './statement.ts';

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

interface Sequel {
  /** What has been sent and is not waited for before the end. */
  sent: PromiseLike<unknown>[];
  hints: (() => void)[];
  /** The subjects to notify of, by topic. */
  notifications: Map<string, Set<string>>;
}

/**
 * Statements are sent without waiting for the answer to the one before, where that can do no harm: the first one right
 * behind `begin`, the commit right behind what nobody waits for, and notifications right behind the commit. A small
 * transaction takes two round trips in place of four, and one if all it does is sent.
 */
async function runOnce<T>(sql: Database, work: (tx: Transaction) => PromiseLike<T>): Promise<T> {
  const client = await sql.connect();
  const sequel: Sequel = { sent: [], hints: [], notifications: new Map() };
  let isOver = false;
  let broken: Error | undefined;
  let notified: Promise<unknown> | undefined;
  // A connection may break while no statement is under way; without a listener that would end the process.
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  let result: T;
  try {
    const begun = client.query(sql.begin).catch(throwMarked);
    begun.catch(() => undefined);
    if (sql.isPooled) await begun;
    result = await work(asTransaction(client, sql.isPooled, sequel, () => isOver));
    isOver = true;
    const committed = commit(client);
    committed.catch(() => undefined);
    if (!sql.isPooled) notified = notify(client, sql, sequel);
    // In the order in which they were sent, so that what is thrown is what went wrong first.
    for (const answer of [begun, ...sequel.sent]) await answer;
    await committed;
    if (sql.isPooled) notified = notify(client, sql, sequel);
  } catch (error) {
    isOver = true;
    // When even the rollback fails, the connection is of no more use, and the server rolls back by itself.
    await client.query('rollback').catch((failure: Error) => {
      broken ??= failure;
    });
    for (const answer of sequel.sent) await answer;
    throw error;
  } finally {
    void Promise.resolve(notified).then(() => {
      client.off('error', onError);
      client.release(broken);
    });
  }
  for (const hint of sequel.hints) hint();
  sql.notifications.tellHere(sequel.notifications);
  return result;
}

/** Never rejects: a notification is a hint. */
async function notify(client: PoolClient, sql: Database, { notifications }: Sequel): Promise<void> {
  const messages = sql.notifications.behindCommit(notifications);
  await Promise.allSettled(
    messages.map((message) => client.query('select pg_notify($1, $2)', [CHANNEL, message])),
  );
}

/** PostgreSQL answers the commit of a transaction in which a statement failed with a rollback, and calls it success. */
async function commit(client: PoolClient): Promise<void> {
  const { command } = await client.query('commit').catch(throwMarked);
  if (command === 'COMMIT') return;
  throw new Error(
    'A statement of this transaction failed and its error was dropped, so nothing was committed.',
  );
}

/** What is written after the end would land in whatever transaction has the connection next, so it is refused. */
function asTransaction(
  client: PoolClient,
  isPooled: boolean,
  { sent, hints, notifications }: Sequel,
  isOver: () => boolean,
): Transaction {
  const query = async (statement: string | QueryConfig) => {
    if (isOver()) throw new Error('This transaction is over; a statement came too late to be part of it.');
    return client.query(statement);
  };
  return Object.assign(writeStatements({ query }, isPooled), {
    send(statement: Statement<object[]>) {
      const answer = statement.then(() => undefined);
      answer.catch(() => undefined);
      sent.push(answer);
    },
    async script(text: string) {
      await query(text);
    },
    afterCommit(hint: () => void) {
      hints.push(hint);
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
