import { expect, test } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { type Migration, migrate, pendingMigrations, readMigrations } from './migrator.ts';

const database = useDatabase({ template: 'template0' });

function migration(version: number, statements: string, checksum = `${version}:${statements}`): Migration {
  return { version, name: `000${version}_test`, statements, checksum };
}

const one = migration(1, 'create table first (id int)');
const slow = migration(2, 'select pg_sleep(0.3); create table second (id int)');

test('parallel processes apply each migration once', async () => {
  const [a, b] = database.twoConnections();
  const applied = await Promise.all([
    migrate(a, [one, slow]),
    migrate(b, [one, slow]),
    migrate(database.sql, [one, slow]),
  ]);
  expect(
    applied
      .flat()
      .map(({ version }) => version)
      .sort(),
  ).toEqual([1, 2]);
  expect(await pendingMigrations(database.sql, [one, slow])).toEqual([]);
});

test('when one migration fails, none is applied', async () => {
  const third = migration(3, 'create table third (id int)');
  const broken = migration(4, 'create table fourth (id int); insert into nowhere values (1)');
  await expect(migrate(database.sql, [one, slow, third, broken])).rejects.toThrow('nowhere');
  const [row] = await database.sql`select to_regclass('third') as third, to_regclass('second') as second`;
  expect(row).toEqual({ third: null, second: 'second' });
  expect(await migrate(database.sql, [one, slow, third])).toEqual([third]);
});

test('an older release refuses a newer schema', async () => {
  await expect(migrate(database.sql, [one, slow])).rejects.toThrow(
    'The database has schema version 3, but this release knows only versions up to 2.',
  );
});

test('an edited migration is refused after it was applied', async () => {
  const edited = { ...slow, checksum: 'another' };
  await expect(migrate(database.sql, [one, edited])).rejects.toThrow(
    '0002_test was changed after it was applied',
  );
});

test('the migrations of this release are numbered without gaps', async () => {
  const migrations = await readMigrations();
  expect(migrations.length).toBeGreaterThan(1);
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
});

test('a migration may take longer than the statement timeout', async () => {
  const [sql] = database.twoConnections();
  await sql`set statement_timeout = 50`;
  const long = migration(4, 'select pg_sleep(0.2)');
  const third = migration(3, 'create table third (id int)');
  expect(await migrate(sql, [one, slow, third, long])).toEqual([long]);
});
