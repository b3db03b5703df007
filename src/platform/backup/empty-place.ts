import { text } from 'node:stream/consumers';
import type { Queryable, Transaction } from '../database/database.ts';
import { identifier } from '../database/statement.ts';
import type { Storage } from '../storage/storage.ts';
import { backupError } from './errors.ts';
import { listTables, quoted } from './tables.ts';

/**
 * Written before the first file of a restore, and deleted after its commit. It names the database that is restored: for
 * that database, while it is empty, all files beside the marker are left from the restore. Deleting the marker can fail, so
 * for another database the files may be those of an installation in use.
 */
export const RESTORE_MARKER = 'restore-in-progress';

const NOT_EMPTY = 'E_RESTORE_NOT_EMPTY';

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

export async function hasRows(sql: Queryable): Promise<boolean> {
  return requireEmptyDatabase(sql).then(
    () => false,
    (error) => {
      if (error.code === NOT_EMPTY) return true;
      throw error;
    },
  );
}

/** Throws when the storage has files, unless an interrupted restore of this database left them, which are then replaced. */
export async function requireEmptyStorage(storage: Storage, sql: Queryable): Promise<void> {
  const marker = await storage.get(RESTORE_MARKER);
  if (marker) {
    const database = await identifyDatabase(sql);
    if (database !== undefined && (await text(marker.content)) === database) return;
    marker.content.destroy();
    throw notEmpty(
      `The storage has files of a restore into another database, which has not removed the file ${RESTORE_MARKER}. ` +
        'Restore into an empty storage: another NEXUS_DATA_DIR, or another bucket. If nobody needs these files, delete them.',
    );
  }
  for await (const { path } of storage.list()) {
    throw notEmpty(
      `The storage has files already, such as ${path}. Restore into an empty one: another NEXUS_DATA_DIR, or another bucket.`,
    );
  }
}

export async function writeMarker(storage: Storage, sql: Queryable): Promise<void> {
  await storage.put(RESTORE_MARKER, Buffer.from((await identifyDatabase(sql)) ?? 'unknown'));
}

/** Identifies a database among those of all servers; undefined where the role may not read the identifier of the server. */
async function identifyDatabase(sql: Queryable): Promise<string | undefined> {
  const [role] = await sql<[{ may_read: boolean }]>`
    select has_function_privilege('pg_control_system()', 'execute') as may_read`;
  if (!role.may_read) return undefined;
  const [database] = await sql<[{ name: string }]>`
    select system_identifier || '/' || oid as name
    from pg_control_system(), pg_database
    where datname = current_database()`;
  return database.name;
}

function notEmpty(message: string) {
  return backupError(NOT_EMPTY, message);
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
