import type { PoolClient } from 'pg';

/**
 * Holds what is written to the connection until this turn of the event loop is over, so that statements which are sent one
 * after the other leave in one write. Each write is a system call that wakes PostgreSQL up, and takes longer than most
 * statements: saving a link makes ten.
 */
export function holdWrites({ connection }: PoolClient): void {
  const { stream } = connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
