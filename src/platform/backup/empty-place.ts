import type { Queryable, Transaction } from '../database/database.ts';
import { identifier } from '../database/statement.ts';
import type { Storage } from '../storage/storage.ts';
import { backupError } from './errors.ts';
import { listTables, quoted } from './tables.ts';

/** Written before the first file of a restore, and deleted after its commit. All files beside it are the restore's. */
export const RESTORE_MARKER = 'restore-in-progress';

/** Throws when the database has tables of others, or rows. The empty tables of a fresh Nexus are fine. */
export async function requireEmptyDatabase(sql: Queryable): Promise<void> {
  const names = (await listTables(sql)).map(({ name }) => name);
  if (names.length > 0 && !names.includes('schema_migrations')) {
    throw notEmpty(
      `The database has tables that are not of Nexus, such as ${names[0]}. Create an empty database, and restore into that.`,
    );
  }
  for (const name of names) {
    if (name === 'schema_migrations') continue;
    const [row] = await sql<[{ has_rows: boolean }]>`
      select exists (select from ${identifier(name)}) as has_rows`;
    if (row.has_rows) {
      throw notEmpty(
        `The database has data already, in the table ${name}. Restore into an empty database, or into another NEXUS_DATA_DIR.`,
      );
    }
  }
}

/** Throws when the storage has files, unless an interrupted restore left them, which are then replaced. */
export async function requireEmptyStorage(storage: Storage): Promise<void> {
  if (await storage.head(RESTORE_MARKER)) return;
  for await (const { path } of storage.list()) {
    throw notEmpty(
      `The storage has files already, such as ${path}. Restore into an empty one: another NEXUS_DATA_DIR, or another bucket.`,
    );
  }
}

function notEmpty(message: string) {
  return backupError('E_RESTORE_NOT_EMPTY', message);
}

/** Deletes all files, the marker last. */
export async function clearStorage(storage: Storage): Promise<void> {
  for await (const { path } of storage.list()) if (path !== RESTORE_MARKER) await storage.delete(path);
  await storage.delete(RESTORE_MARKER);
}

/** Drops the empty tables of a fresh Nexus with their functions, so that an earlier schema can be built. */
export async function dropSchema(tx: Transaction): Promise<void> {
  const tables = (await listTables(tx)).map(({ name }) => quoted(name));
  const routines = await tx<{ name: string }[]>`
    select oid::regprocedure::text as name
    from pg_proc
    where pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')`;
  if (tables.length > 0) await tx.script(`drop table ${tables.join(', ')} cascade`);
  for (const { name } of routines) await tx.script(`drop routine if exists ${name} cascade`);
}
