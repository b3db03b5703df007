import { beforeEach, expect, test } from 'vitest';
import { useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { createReader, findings } from '../../../test/support/libraries.ts';
import { createDefaultLibraryCheck } from './default-library-check.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const check = createDefaultLibraryCheck(sql);
const look = () => findings(sql, check);
const repair = () => findings(sql, check, { repair: true });

/** Each test damages something, and leaves it repaired. */
beforeEach(async () => expect(await look()).toEqual([]));

const ownRole = async (library: string) =>
  [...(await sql`select role from memberships where library_id = ${library}`)].map(({ role }) => role);

test.each([
  ['is not in it', (library: string) => sql`delete from memberships where library_id = ${library}`],
  [
    'is no admin of it',
    (library: string) => sql`update memberships set role = 'member' where library_id = ${library}`,
  ],
])('repairs a default library whose owner %s', async (_what, damage) => {
  const { defaultLibraryId } = await createReader(app);
  await damage(defaultLibraryId);
  const found = [{ kind: 'default_library_without_its_owner', id: defaultLibraryId }];
  expect(await look()).toEqual(found);
  expect(await repair()).toEqual(found);
  expect(await ownRole(defaultLibraryId)).toEqual(['admin']);
});

test('reports a default library that is not marked as one, and leaves it to a person', async () => {
  const { id, defaultLibraryId } = await createReader(app);
  const mark = (is: boolean) => sql`update libraries set is_default = ${is} where id = ${defaultLibraryId}`;
  await mark(false);
  expect(await repair()).toEqual([{ kind: 'default_library_not_default', id }]);
  expect(await look()).toEqual([{ kind: 'default_library_not_default', id }]);
  await mark(true);
});
