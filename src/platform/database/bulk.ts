import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { type CopyStreamQuery, from, to } from 'pg-copy-streams';
import type { Database, Transaction } from './database.ts';
import { runOnce } from './transaction.ts';

/** A transaction that can also read and write whole tables with COPY. */
export interface BulkTransaction extends Transaction {
  /** Streams the result of `copy … to stdout`. */
  copyTo(statement: string): Readable;
  /** Begins `copy … from stdin`. */
  copyFrom(statement: string): CopyInput;
}

interface CopyInput {
  write(data: Buffer): Promise<void>;
  /** Ends the COPY, and returns the number of rows. */
  finish(): Promise<number>;
}

/** Settings under which equal values are the same text on every server. */
const SAME_TEXT = [
  `timezone = 'UTC'`,
  `datestyle = 'ISO, YMD'`,
  `intervalstyle = 'postgres'`,
  'extra_float_digits = 1',
  `bytea_output = 'hex'`,
  `client_encoding = 'UTF8'`,
];
/** The transaction may be long, and idle while files are copied. */
const WITHOUT_LIMITS = [
  'statement_timeout = 0',
  'idle_in_transaction_session_timeout = 0',
  'lock_timeout = 0',
];

const SETTINGS = [...SAME_TEXT, ...WITHOUT_LIMITS].map((setting) => `; set local ${setting}`).join('');

/** `snapshot` reads everything as of one moment and takes no transaction number, so that it delays no event. */
const BEGIN = {
  snapshot: `begin isolation level repeatable read read only${SETTINGS}`,
  write: `begin${SETTINGS}`,
};

/** Opens a pool whose connections can copy and be held for long. Statements are not pipelined, which COPY forbids. */
export function openBulkPool(sql: Database, poolSize: number): Database {
  return sql.sibling({ poolSize, isPooled: true });
}

/** Runs `work` in one transaction on a pool of `openBulkPool`, without retries. */
export function bulkTransaction<T>(
  pool: Database,
  mode: keyof typeof BEGIN,
  work: (tx: BulkTransaction) => Promise<T>,
): Promise<T> {
  return runOnce(
    pool,
    async (tx, client) => {
      let unfinished = 0;
      const track = <Stream extends Readable | Writable>(stream: Stream): Stream => {
        unfinished += 1;
        stream.once('close', () => {
          const isWhole = 'readableEnded' in stream ? stream.readableEnded : stream.writableFinished;
          if (isWhole) unfinished -= 1;
        });
        return stream;
      };
      const bulk = Object.assign(tx, {
        copyTo: (statement: string) => track(client.query(to(statement))),
        copyFrom: (statement: string) => copyInto(track(client.query(from(statement)))),
      }) as unknown as BulkTransaction;
      try {
        return await work(bulk);
      } catch (error) {
        // A rollback would wait for the rest of the COPY.
        if (unfinished > 0) await client.end();
        throw error;
      }
    },
    BEGIN[mode],
  );
}

function copyInto(stream: CopyStreamQuery): CopyInput {
  let failure: Error | undefined;
  // The stream only emits the server's error; it neither ends nor refuses what is written after it.
  const failed = once(stream, 'error').then(([error]) => {
    failure = error;
    throw error;
  });
  // `write` and `finish` throw it.
  failed.catch(() => undefined);
  return {
    async write(data) {
      if (failure) throw failure;
      if (!stream.write(data)) await Promise.race([once(stream, 'drain'), failed]);
    },
    async finish() {
      if (failure) throw failure;
      const finished = once(stream, 'finish');
      stream.end();
      await Promise.race([finished, failed]);
      return stream.rowCount;
    },
  };
}

/** A lock that is held until it is released, or until its connection is lost. */
export interface HeldLock {
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/** Takes an advisory lock exclusively, on a connection of a pool of `openBulkPool`. Undefined after `waitSeconds`. */
export async function holdLock(
  pool: Database,
  key: number,
  waitSeconds: number,
): Promise<HeldLock | undefined> {
  const client = await pool.connect();
  let lost: Error | undefined;
  client.on('error', (error) => {
    lost = error;
  });
  try {
    // In a transaction, because a pooler would keep the connection of a lock only until its statement ends.
    await client.query(`${BEGIN.write}; set local lock_timeout = ${waitSeconds * 1000}`);
    await client.query('select pg_advisory_xact_lock($1)', [key]);
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    client.release(true);
    if ((error as { code?: string }).code === LOCK_NOT_AVAILABLE) return undefined;
    throw error;
  }
  return {
    isHeld: () =>
      client.query('select').then(
        () => lost === undefined,
        () => false,
      ),
    async release() {
      // A lost connection has released the lock.
      await client.query('rollback').catch(() => undefined);
      client.release(true);
    },
  };
}

const LOCK_NOT_AVAILABLE = '55P03';
