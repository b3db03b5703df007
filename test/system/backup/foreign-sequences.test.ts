import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { selectStoredPaths } from '../../../src/features/media/files/stored-paths.ts';
import { copyDatabase } from '../../../src/platform/backup/copy-database.ts';
import { fileDestination } from '../../../src/platform/backup/destination.ts';
import { makeBackup } from '../../../src/platform/backup/make-backup.ts';
import { restoreBackup } from '../../../src/platform/backup/restore.ts';
import { listSequences } from '../../../src/platform/backup/tables.ts';
import { readMigrations } from '../../../src/platform/database/migrator.ts';
import { openStorage } from '../../../src/platform/storage/open-storage.ts';
import { useDatabase } from '../../support/database.ts';
import { newDirectory } from '../../support/workspace.ts';

const { sql } = useDatabase();
const empty = () => useDatabase({ template: 'template0' });
const [restored, copied] = [empty(), empty()];
const NEXT = 1234;

const newStorage = async () => openStorage({ kind: 'local', directory: await newDirectory('files') });
const beforeCommit = async () => undefined;

beforeAll(async () => {
  await sql`select setval('integrity_findings_id_seq', ${NEXT})`;
  await sql`create sequence foreign_to_nexus`;
});

test('a database with a sequence of somebody else is copied without it', async () => {
  await copyDatabase({ from: sql, to: copied.sql, migrations: await readMigrations(), beforeCommit });
  expect([...(await listSequences(copied.sql))]).toEqual([
    { name: 'integrity_findings_id_seq', last_value: String(NEXT), is_called: true },
  ]);
});

test('a backup of a database with a table of somebody else restores without its sequence', async () => {
  await sql`create table notes_of_others (id serial)`;
  await sql`insert into notes_of_others default values`;
  const file = path.join(await newDirectory('backups'), 'foreign.tar');
  const { manifest } = await makeBackup(
    { sql, storage: await newStorage(), selectPaths: selectStoredPaths },
    fileDestination(file),
  );
  expect(manifest.sequences.map(({ name }) => name)).toEqual([
    'integrity_findings_id_seq',
    'notes_of_others_id_seq',
  ]);
  const target = {
    sql: restored.sql,
    storage: await newStorage(),
    migrations: await readMigrations(),
    beforeCommit,
  };
  const { ignoredTables } = await restoreBackup(target, file);
  expect(ignoredTables).toEqual(['notes_of_others']);
  expect([...(await listSequences(restored.sql))]).toEqual([
    { name: 'integrity_findings_id_seq', last_value: String(NEXT), is_called: true },
  ]);
});
