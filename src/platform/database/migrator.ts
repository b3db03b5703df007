import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { ROOT } from '../program.ts';
import type { Database, Queryable, Transaction } from './database.ts';
import { transaction } from './transaction.ts';

export interface Migration {
  version: number;
  name: string;
  checksum: string;
  statements: string;
}

/** A fixed number that no other advisory lock in this database uses. */
const MIGRATION_LOCK = 7_305_120;

const MIGRATIONS = new URL('migrations/', ROOT);

/** Reads the migrations of this release, in order: `0001_identity.sql`, `0002_…`. */
export async function readMigrations(directory: URL = MIGRATIONS): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file, index) => {
      const name = file.replace(/\.sql$/, '');
      const version = Number.parseInt(name, 10);
      if (version !== index + 1) {
        throw new Error(`Migrations must be numbered without gaps: expected ${index + 1}, found ${file}.`);
      }
      const statements = await readFile(new URL(file, directory), 'utf8');
      return { version, name, checksum: createHash('sha256').update(statements).digest('hex'), statements };
    }),
  );
}

/** Applies all pending migrations in one transaction, under a lock for parallel starts, and returns them. */
export async function migrate(sql: Database, migrations: Migration[]): Promise<Migration[]> {
  return transaction(sql, async (tx) => {
    // Rewriting a large table may take longer than the statement timeout.
    await tx`set local statement_timeout = 0`;
    await lockSchema(tx);
    return applyPending(tx, migrations);
  });
}

/** Waits until no other process changes the schema, and keeps others from it until the transaction ends. */
export async function lockSchema(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
}

/**
 * Tries to keep the schema as it is until the transaction ends. Any number of transactions may do so at once; migrations
 * wait for them. Returns false while a migration runs.
 */
export async function tryKeepSchema(tx: Transaction): Promise<boolean> {
  const [row] = await tx<[{ is_kept: boolean }]>`
    select pg_try_advisory_xact_lock_shared(${MIGRATION_LOCK}) as is_kept`;
  return row.is_kept;
}

/** Applies the pending ones of these migrations in a transaction that has locked the schema, and returns them. */
export async function applyPending(tx: Transaction, migrations: Migration[]): Promise<Migration[]> {
  const pending = await pendingMigrations(tx, migrations);
  for (const migration of pending) await apply(tx, migration);
  return pending;
}

/** Returns the pending migrations. Throws when the database does not fit this release. */
export async function pendingMigrations(sql: Queryable, migrations: Migration[]): Promise<Migration[]> {
  // Not to_regclass: its cache may be older than the advisory lock.
  const [table] = await sql<[{ found: boolean }]>`
    select exists (
      select from pg_tables where tablename = 'schema_migrations' and schemaname = any(current_schemas(false))
    ) as found`;
  const applied = table.found
    ? await sql<
        Omit<Migration, 'statements'>[]
      >`select version, name, checksum from schema_migrations order by version`
    : [];
  for (const { version, name, checksum } of applied) {
    const known = migrations[version - 1];
    if (!known) {
      throw new Error(
        `The database has schema version ${applied.at(-1)?.version}, but this release knows only versions up to ${migrations.length}. ` +
          'A newer release migrated it: run that release, or restore a backup from before the upgrade.',
      );
    }
    if (known.checksum !== checksum) {
      throw new Error(
        `Migration ${name} was changed after it was applied to this database. ` +
          'Restore the file, and put the change into a new migration.',
      );
    }
  }
  return migrations.slice(applied.length);
}

async function apply(tx: Transaction, { version, name, checksum, statements }: Migration): Promise<void> {
  if (version === 1)
    await tx`
      create table schema_migrations (
        version integer primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz not null default now()
      )`;
  await tx.script(statements);
  await tx`insert into schema_migrations (version, name, checksum) values (${version}, ${name}, ${checksum})`;
}
