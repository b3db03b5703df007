// Provides a database for a benchmark: a separate PostgreSQL with default settings in a temporary directory.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openDatabase } from '../src/platform/database/database.ts';
import { findPackagedServer } from '../src/platform/database/embedded/binaries.ts';
import { prepareCluster, startCluster, stopCluster } from '../src/platform/database/embedded/cluster.ts';
import { migrate, readMigrations } from '../src/platform/database/migrator.ts';
import { transaction } from '../src/platform/database/transaction.ts';
import { newId } from '../src/platform/ids.ts';

/** Runs `work` with a migrated database, opened with these options, and the address of its server; deletes it afterwards. */
export async function withDatabase(options, work) {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'nexus-bench-'));
  // Under root, the account that runs PostgreSQL must be able to enter it.
  await chmod(directory, 0o711);
  const cluster = await prepareCluster(await findPackagedServer(), path.join(directory, 'postgres'));
  await startCluster(cluster);
  const open = (database) =>
    openDatabase({ ...cluster.connection, database }, { ...options, applicationName: 'nexus bench' });
  try {
    const admin = open('postgres');
    await admin`create database bench`;
    await admin.end();
    const sql = open('bench');
    await migrate(sql, await readMigrations());
    await work(sql, cluster.connection);
    await sql.end();
  } finally {
    await stopCluster(cluster);
    await rm(directory, { recursive: true, force: true });
  }
}

/** Creates people with their default libraries. */
export async function makePeople(sql, count) {
  const people = Array.from({ length: count }, () => ({ user_id: newId(), default_library_id: newId() }));
  await transaction(sql, async (tx) => {
    await tx`
      with person as (
        select *
        from unnest(
          ${people.map(({ user_id }) => user_id)}::uuid[],
          ${people.map(({ default_library_id }) => default_library_id)}::uuid[]
        ) as person (id, library_id)
      ),
      inserted as (
        insert into users (id, username, display_name, default_library_id)
        select id, 'u' || replace(id::text, '-', ''), 'Somebody', library_id from person
      ),
      library as (
        insert into libraries (id, name, owner_user_id, is_default) select library_id, 'Mine', id, true from person
      )
      insert into memberships (library_id, user_id, role) select library_id, id, 'admin' from person`;
  });
  return people;
}
