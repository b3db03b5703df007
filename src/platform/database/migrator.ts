import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Database, Queryable, Transaction } from './database.ts';
import { transaction } from './transaction.ts';

export interface Migration {
  version: number;
  name: string;
  checksum: string;
  statements: string;
}

interface AppliedMigration {
  version: number;
  name: string;
  checksum: string;
}

/** Any fixed number; it only has to differ from other advisory locks in the same database. */
const MIGRATION_LOCK = 7_305_120;

const MIGRATIONS = new URL('../../../migrations/', import.meta.url);

/** The migrations of this release, oldest first: `0001_identity.sql`, `0002_…`. */
export async function readMigrations(directory: URL = MIGRATIONS): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file, index) => {
      const name = file.replace(/\.sql$/, '');
      const version = Number.parseInt(name, 10);
      if (version !== index + 1) {
        throw new Error(`Migrations are numbered without gaps: expected ${index + 1}, found ${file}.`);
      }
      const statements = await readFile(new URL(file, directory), 'utf8');
      return { version, name, checksum: createHash('sha256').update(statements).digest('hex'), statements };
    }),
  );
}

/**
 * Brings the database to this release's schema and returns what was applied: all of it, in one transaction, or
 * nothing, so that after a failure the earlier release still runs. An advisory lock that ends with the transaction lets
 * any number of processes start at once.
 */
export async function migrate(sql: Database, migrations: Migration[]): Promise<Migration[]> {
  return transaction(sql, async (tx) => {
    // Rewriting a large table may take longer than any request may.
    await tx`set local statement_timeout = 0`;
    await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
    const pending = await pendingMigrations(tx, migrations);
    for (const migration of pending) await apply(tx, migration);
    return pending;
  });
}

/** How far the database is, and refuses a database that this release must not touch. */
export async function pendingMigrations(sql: Queryable, migrations: Migration[]): Promise<Migration[]> {
  // Read as a table, not by to_regclass: that may answer from a cache that is older than the lock we hold.
  const [table] = await sql<[{ found: boolean }]>`
    select exists (
      select from pg_tables where tablename = 'schema_migrations' and schemaname = any(current_schemas(false))
    ) as found`;
  const applied = table.found
    ? await sql<AppliedMigration[]>`select version, name, checksum from schema_migrations order by version`
    : [];
  for (const { version, name, checksum } of applied) {
    const known = migrations[version - 1];
    if (!known) {
      throw new Error(
        `The database has schema version ${applied.at(-1)?.version}, and this Nexus knows versions up to ${migrations.length}. ` +
          'It was migrated by a newer Nexus: run that one, or restore a backup made before the upgrade.',
      );
    }
    if (known.checksum !== checksum) {
      throw new Error(
        `Migration ${name} was changed after it was applied to this database. Migrations are never edited: ` +
          'restore the file, and put the change into a new one.',
      );
    }
  }
  return migrations.slice(applied.length);
}

async function apply(tx: Transaction, { version, name, checksum, statements }: Migration): Promise<void> {
  if (version === 1) await createJournal(tx);
  await tx.script(statements);
  await tx`insert into schema_migrations (version, name, checksum) values (${version}, ${name}, ${checksum})`;
}

async function createJournal(tx: Transaction): Promise<void> {
  await tx`
    create table schema_migrations (
      version integer primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`;
}
