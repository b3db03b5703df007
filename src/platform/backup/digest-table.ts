import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { BulkTransaction } from '../database/bulk.ts';
import { copyStatement, type Table } from './tables.ts';

/** Reads a table and returns the SHA-256 of its rows. `onData` is called with all of them. */
export async function digestTable(
  tx: BulkTransaction,
  table: Table,
  onData?: (data: Buffer) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256');
  const source = tx.copyTo(await copyStatement(tx, table));
  for await (const chunk of source as AsyncIterable<Buffer>) {
    hash.update(chunk);
    await onData?.(chunk);
  }
  if (!source.closed) await once(source, 'close');
  return hash.digest('hex');
}
