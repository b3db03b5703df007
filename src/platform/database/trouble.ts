import pg from 'pg';

const fromDriver = new WeakSet<object>();

/** Marks an error of the driver, so that a lost connection to the database is not taken for one to somewhere else. */
export function markDriverError(error: unknown): unknown {
  if (typeof error === 'object' && error !== null) fromDriver.add(error);
  return error;
}

/** Rethrows an error of the driver, marked so that it is told from errors of other connections. */
export function throwMarked(error: unknown): never {
  throw markDriverError(error);
}

/**
 * SQLSTATEs that say that the server, or the way to it, is in trouble:
 * 08 connections, 53 resources (too many connections, disk full), 57P0x shutdown, crash and start, 57P05 and 25P03
 * connections that the server closed because they were idle, 25006 a server that became read-only, 40001 and 40P01
 * conflicts that outlasted their retries, 58 the server's disk.
 */
const TROUBLE = /^(08|53|57P0|25P03|25006|40001|40P01|58)/;
const QUERY_CANCELED = '57014';
const UNSENDABLE = [TypeError, RangeError, SyntaxError];

/**
 * Whether an error is the database's trouble and not the fault of the statement: the same work may succeed when the
 * database is back. The causes of an error are looked at, too. A statement that exceeded its own time limit is not
 * trouble; one that an operator or a shutdown cancelled is.
 */
export function isDatabaseTrouble(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isTroubleItself(cause)) return true;
  }
  return false;
}

/** SQLSTATEs of errors after which the server closes the connection. */
const CLOSING = /^(08|57P0|25P03)/;

/** Whether the connection on which a statement failed with this error can no longer be used. */
export function endsConnection(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return CLOSING.test(error.code ?? '');
  return !UNSENDABLE.some((type) => error instanceof type);
}

function isTroubleItself(error: Error): boolean {
  if (error instanceof pg.DatabaseError) {
    if (error.code === QUERY_CANCELED) return !error.message.includes('statement timeout');
    return TROUBLE.test(error.code ?? '');
  }
  // Whatever else the driver throws is about the connection, except for a value that it cannot send.
  return fromDriver.has(error) && !UNSENDABLE.some((type) => error instanceof type);
}
