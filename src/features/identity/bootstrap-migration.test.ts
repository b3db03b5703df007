import { expect, test } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { migrate, readMigrations } from '../../platform/database/migrator.ts';
import { newId } from '../../platform/ids.ts';

const database = useDatabase({ template: 'template1' });
const { sql } = database;

async function insertPerson(username: string, role: string, madeBy: string): Promise<string> {
  const [id, library] = [newId(), newId()];
  await sql`
    with person as (
      insert into users (id, username, display_name, role, default_library_id)
      values (${id}, ${username}, ${username}, ${role}, ${library})
    ), audited as (
      insert into audit_logs (id, action, actor, details)
      values (${newId()}, 'user.created', ${madeBy}, ${JSON.stringify({ user_id: id })}::jsonb)
    )
    insert into libraries (id, name, owner_user_id, is_default) values (${library}, 'Default', ${id}, true)`;
  return id;
}

test('the migration marks only users created by bootstrap, and revokes invitations of inviters who are no admins', async () => {
  const all = await readMigrations();
  const before = all.filter(({ name }) => name < '0016');
  await migrate(sql, before);
  const admin = await insertPerson('dev-admin', 'admin', 'system');
  const viewer = await insertPerson('dev-viewer', 'viewer', 'dev-admin');
  await insertPerson('ana', 'viewer', 'system');
  const library = newId();
  await sql`insert into libraries (id, name, owner_user_id) values (${library}, 'Shared', ${admin})`;
  await sql`insert into memberships values (${library}, ${admin}, 'admin'), (${library}, ${viewer}, 'member')`;
  const [ana] = await sql`select id from users where username = 'ana'`;
  const [good, orphan] = [newId(), newId()];
  const third = await insertPerson('ben', 'viewer', 'cli');
  await sql`
    insert into library_invitations (id, library_id, inviter_user_id, invitee_user_id, role)
    values (${good}, ${library}, ${admin}, ${ana?.id}, 'member'), (${orphan}, ${library}, ${viewer}, ${third}, 'member')`;

  await migrate(sql, all);
  const people = await sql`select username, bootstrapped_in from users order by username`;
  expect([...people]).toEqual([
    { username: 'ana', bootstrapped_in: null },
    { username: 'ben', bootstrapped_in: null },
    { username: 'dev-admin', bootstrapped_in: 'dev' },
    { username: 'dev-viewer', bootstrapped_in: null },
  ]);
  const invitations = await sql`select id, status from library_invitations order by id`;
  expect([...invitations]).toEqual([
    { id: good, status: 'pending' },
    { id: orphan, status: 'revoked' },
  ]);
});
