import { type BulkTransaction, bulkTransaction, openBulkPool } from '../database/bulk.ts';
import type { Database, Transaction } from '../database/database.ts';
import { applyPending, type Migration, pendingMigrations } from '../database/migrator.ts';
import { digestTable } from './digest-table.ts';
import { prepareForLoading } from './load-schema.ts';
import { listSequences, listTables, quoted, setSequences, type Table } from './tables.ts';

interface DatabaseCopy {
  from: Database;
  /** An empty database, on any server. */
  to: Database;
  migrations: Migration[];
  /** Called in the transaction that writes the copy, when everything is in it. */
  beforeCommit(tx: Transaction): Promise<void>;
  onTable?(name: string, rows: number): void;
}

/**
 * Copies a database as of one moment, with the schema version that it has. Every table is read back and compared with its
 * original, before all of it is committed at once.
 */
export async function copyDatabase(copy: DatabaseCopy): Promise<{ tables: number; rows: number }> {
  const [source, target] = [openBulkPool(copy.from, 1), openBulkPool(copy.to, 1)];
  try {
    return await bulkTransaction(source, 'snapshot', (reading) =>
      bulkTransaction(target, 'write', (writing) => copyAll(reading, writing, copy)),
    );
  } finally {
    await Promise.all([source.end(), target.end()]);
  }
}

async function copyAll(
  reading: BulkTransaction,
  writing: BulkTransaction,
  { migrations, beforeCommit, onTable }: DatabaseCopy,
): Promise<{ tables: number; rows: number }> {
  const pending = await pendingMigrations(reading, migrations);
  await applyPending(writing, migrations.slice(0, migrations.length - pending.length));
  const tables = await listTables(reading);
  requireSameTables(tables, await listTables(writing));
  const finishLoading = await prepareForLoading(writing);
  const digests = new Map<Table, string>();
  let total = 0;
  for (const table of tables) {
    const columns = table.columns.map(quoted).join(', ');
    const input = writing.copyFrom(`copy ${quoted(table.name)} (${columns}) from stdin`);
    digests.set(table, await digestTable(reading, table, (data) => input.write(data)));
    const rows = await input.finish();
    total += rows;
    onTable?.(table.name, rows);
  }
  await finishLoading();
  await setSequences(writing, await listSequences(reading));
  for (const [table, digest] of digests) {
    if ((await digestTable(writing, table)) === digest) continue;
    throw new Error(`The table ${table.name} is not the same after copying it. Nothing was changed.`);
  }
  await beforeCommit(writing);
  return { tables: tables.length, rows: total };
}

function requireSameTables(found: Table[], expected: Table[]): void {
  const describe = ({ name, columns }: Table) => `${name} (${columns.toSorted().join(', ')})`;
  const known = new Set(expected.map(describe));
  const other = found.find((table) => !known.has(describe(table)));
  if (!other && found.length === expected.length) return;
  throw new Error(
    `The tables of the database are not those of its schema version${other ? `: ${other.name} is not, or has other columns` : ''}. It was changed by hand. Undo that first. Nothing was changed.`,
  );
}
