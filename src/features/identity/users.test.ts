import { describe, expect, test } from 'vitest';
import { createPerson, DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { newId } from '../../platform/ids.ts';

const database = useDatabase();
const app = useApp(database);
const key = DEV_KEYS.admin;
const create = (body: unknown) => app.call('POST', '/api/v1/users', { key, body });

describe('creating a user', () => {
  test('gives them a default library that they own and administer', async () => {
    const { status, body } = await create({ username: 'Ana', display_name: 'Ana Lima' });
    expect(status).toBe(201);
    const created = body.data;
    expect(created).toMatchObject({
      username: 'Ana',
      display_name: 'Ana Lima',
      role: 'viewer',
      is_enabled: true,
      disabled_at: null,
      storage_quota_mb: null,
    });
    const libraries = await database.sql`
      select libraries.id, libraries.is_default, memberships.role
      from libraries join memberships on memberships.library_id = libraries.id
      where owner_user_id = ${created.id} and memberships.user_id = ${created.id}`;
    expect([...libraries]).toEqual([{ id: created.default_library_id, is_default: true, role: 'admin' }]);
  });

  test('uses the username as display name when none is given', async () => {
    expect((await create({ username: 'plain' })).body.data.display_name).toBe('plain');
  });

  test.each(['viewer', 'operator'] as const)('gives them the default role %s', async (defaultRole) => {
    const { users } = app.another({ environment: { NEXUS_DEFAULT_ROLE: defaultRole } }).services;
    const created = await users.create({ username: `new-${defaultRole}` }, { name: 'test' });
    expect(created.role).toBe(defaultRole);
  });

  test('has a default role, which the list of users contains', async () => {
    const { body } = await app.call('GET', '/api/v1/users?limit=1', { key });
    expect(body.default_role).toBe('viewer');
  });

  test.each([
    ...['dev-viewer', 'dev-operator', 'dev-researcher', 'dev-admin', 'system', 'cli', 'internal', 'unknown'],
    ...[
      'DEV-ADMIN',
      'dev_admin',
      'dev.admin',
      'dev--admin',
      'devadmin',
      'd3v-adm1n',
      'dev-adrnin',
      'dev-vievver',
    ],
    ...[
      'System',
      'sys-tem',
      'syst3m',
      '5ystem',
      'c1i',
      'cIi',
      'CL1',
      '1nternal',
      'lnternal',
      'unkn0wn',
      'unknown-',
    ],
  ])('and renaming refuse the reserved username %s', async (username) => {
    expect(await create({ username })).toMatchObject(failure(409, 'E_USERNAME_RESERVED'));
    const { user, key: own } = await createPerson(app, { role: 'viewer' });
    expect(await app.call('PATCH', '/api/v1/me', { key: own, body: { username } })).toMatchObject({
      status: 409,
      body: { error: { code: expect.stringMatching(/^E_USERNAME_(RESERVED|TAKEN)$/) } },
    });
    expect((await app.call('GET', '/api/v1/me', { key: own })).body.data.username).toBe(user.username);
  });

  test.each(['admin', 'dev', 'dev-admin2', 'clio', 'systematic', 'internals', 'dev-admin@example.org'])(
    'allows the username %s',
    async (username) => expect((await create({ username })).status).toBe(201),
  );

  test('refuses a taken username, ignoring case, and creates nothing', async () => {
    await create({ username: 'Taken' });
    const [before] = await database.sql`select count(*) from libraries`;
    expect(await create({ username: 'tAKEN' })).toMatchObject(failure(409, 'E_USERNAME_TAKEN'));
    const [after] = await database.sql`select count(*) from libraries`;
    expect(after).toEqual(before);
  });

  test('fifty times in parallel with one name creates one', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => create({ username: 'rushed' })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
    const rows = await database.sql`
      select from users join libraries on libraries.owner_user_id = users.id where username = 'rushed'`;
    expect(rows).toHaveLength(1);
  });

  test.each([
    ['no username', {}],
    ['an empty username', { username: '' }],
    ['a username with a space', { username: 'a b' }],
    ['a username of 129 characters', { username: 'a'.repeat(129) }],
    ['an unknown role', { username: 'x', role: 'owner' }],
    ['a role of another type', { username: 'x', role: 4 }],
    ['a field that does not exist', { username: 'x', admin: true }],
    ['a list', []],
    ['a NUL character', { username: 'x', display_name: 'a\u0000b' }],
  ])('with %s is 400 and creates nobody', async (_case, body) => {
    const [before] = await database.sql`select count(*) from users`;
    expect(await create(body)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    expect((await database.sql`select count(*) from users`)[0]).toEqual(before);
  });

  test('is audited with the actor', async () => {
    const { body } = await create({ username: 'audited' });
    const [entry] =
      await database.sql`select action, actor, details from audit_logs order by id desc limit 1`;
    expect(entry).toMatchObject({
      action: 'user.created',
      actor: 'dev-admin',
      details: { user_id: body.data.id },
    });
  });
});

describe('the schema', () => {
  const libraryOf = async (owner: string) => {
    await database.sql`
      insert into libraries (id, name, owner_user_id, is_default) values (${newId()}, 'second', ${owner}, true)`;
  };

  test('forbids a second default library', async () => {
    const { user } = await createPerson(app);
    await expect(libraryOf(user.id)).rejects.toMatchObject({
      constraint: 'libraries_one_default_per_owner',
    });
  });

  test('forbids a user without a default library', async () => {
    const insert = database.sql`
      insert into users (id, username, display_name, default_library_id) values (${newId()}, 'lone', 'lone', ${newId()})`;
    await expect(insert).rejects.toMatchObject({ constraint: 'users_default_library_own' });
  });

  test('forbids a default library that belongs to another user', async () => {
    const [one, two] = [await createPerson(app), await createPerson(app)];
    const steal = database.sql`
      update users set default_library_id = ${two.user.default_library_id} where id = ${one.user.id}`;
    await expect(steal).rejects.toMatchObject({ constraint: 'users_default_library_own' });
  });
});

describe('changing a user', () => {
  test('sets role and display name', async () => {
    const { user } = await createPerson(app);
    const { body } = await app.call('PATCH', `/api/v1/users/${user.id}`, {
      key,
      body: { role: 'operator', display_name: 'New name' },
    });
    expect(body.data).toMatchObject({
      id: user.id,
      role: 'operator',
      display_name: 'New name',
      is_enabled: true,
      disabled_at: null,
      storage_quota_mb: null,
    });
  });

  test('is audited with the actor and the result', async () => {
    const { user } = await createPerson(app);
    await app.call('PATCH', `/api/v1/users/${user.id}`, { key, body: { role: 'viewer', is_enabled: false } });
    const [entry] =
      await database.sql`select action, actor, details from audit_logs order by id desc limit 1`;
    expect(entry).toMatchObject({
      action: 'user.updated',
      actor: 'dev-admin',
      details: { user_id: user.id, role: 'viewer', is_enabled: false },
    });
  });

  test('keeps the first disabled_at when a user is disabled twice', async () => {
    const { user } = await createPerson(app);
    const disable = () => app.call('PATCH', `/api/v1/users/${user.id}`, { key, body: { is_enabled: false } });
    const first = await disable();
    expect(first.body.data).toMatchObject({ is_enabled: false, disabled_at: expect.any(String) });
    expect((await disable()).body).toEqual(first.body);
  });

  test.each([
    ['nothing', {}],
    ['an unknown role', { role: 'king' }],
    ['an unknown field', { username: 'renamed' }],
    ['the former name of is_enabled', { disabled: true }],
  ])('with %s is 400', async (_case, body) => {
    const { user } = await createPerson(app);
    expect(await app.call('PATCH', `/api/v1/users/${user.id}`, { key, body })).toMatchObject(
      failure(400, 'E_INVALID_REQUEST'),
    );
  });

  test('of an unknown id is 404, of a malformed id 400', async () => {
    const patch = (id: string) => app.call('PATCH', `/api/v1/users/${id}`, { key, body: { role: 'viewer' } });
    expect(await patch(newId())).toMatchObject(failure(404, 'E_USER_NOT_FOUND'));
    expect(await patch('42')).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test.each([{ is_enabled: false }, { role: 'viewer' }])(
    'refuses to remove the last admin: %o',
    async (body) => {
      const [admin] = await database.sql`select id from users where username = 'dev-admin'`;
      expect(await app.call('PATCH', `/api/v1/users/${admin?.id}`, { key, body })).toMatchObject(
        failure(403, 'E_LAST_ADMIN_FORBIDDEN'),
      );
      expect((await app.call('GET', '/api/v1/auth/whoami', { key })).body.role).toBe('admin');
    },
  );
});

test('two admins who demote each other in parallel leave one admin', async () => {
  const connections = database.twoConnections();
  const services = connections.map((sql) => app.another({ sql }).services.users);
  for (let round = 0; round < 10; round++) {
    const pair = [await createPerson(app, { role: 'admin' }), await createPerson(app, { role: 'admin' })];
    await database.sql`update users set role = 'viewer' where role = 'admin' and id <> all(${pair.map(({ user }) => user.id)})`;
    const outcomes = await Promise.allSettled(
      pair.map(({ user }, index) => services[index]?.update(user.id, { role: 'viewer' }, { name: 'test' })),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [left] =
      await database.sql`select count(*)::int from users where role = 'admin' and disabled_at is null`;
    expect(left?.count).toBe(1);
  }
  await database.sql`update users set role = 'admin' where username = 'dev-admin'`;
});

describe('getting a user', () => {
  test('at the Location of the answer that created them returns the same', async () => {
    const made = await create({ username: 'located' });
    expect(made.headers.get('location')).toBe(`/api/v1/users/${made.body.data.id}`);
    const { status, body } = await app.call('GET', made.headers.get('location') ?? '', { key });
    expect(status).toBe(200);
    expect(body).toEqual(made.body);
  });

  test('requires an admin', async () => {
    const { user, key: own } = await createPerson(app);
    expect(await app.call('GET', `/api/v1/users/${user.id}`, { key: own })).toMatchObject(
      failure(403, 'E_FORBIDDEN'),
    );
  });

  test('with an unknown id is 404, with a malformed id 400', async () => {
    const get = (id: string) => app.call('GET', `/api/v1/users/${id}`, { key });
    expect(await get(newId())).toMatchObject(failure(404, 'E_USER_NOT_FOUND'));
    expect(await get('42')).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });
});

test('lists every user once, newest first, page by page', async () => {
  const seen: string[] = [];
  let cursor = '';
  do {
    const { body } = await app.call('GET', `/api/v1/users?limit=3${cursor}`, { key });
    expect(body.data.length).toBeLessThanOrEqual(3);
    seen.push(...body.data.map((user: { id: string }) => user.id));
    cursor = body.page.has_more ? `&cursor=${body.page.next_cursor}` : '';
    expect(body.page.next_cursor === null).toBe(!body.page.has_more);
  } while (cursor);
  const rows = await database.sql<{ id: string }[]>`select id from users order by id desc`;
  expect(seen).toEqual(rows.map(({ id }) => id));
});

test.each(['limit=0', 'limit=201', 'limit=many', 'cursor=garbage'])(
  'a list with %s is 400',
  async (query) => {
    expect(await app.call('GET', `/api/v1/users?${query}`, { key })).toMatchObject(
      failure(400, 'E_INVALID_REQUEST'),
    );
  },
);

test('/me returns the caller in the format of the library API', async () => {
  const { user, key: own } = await createPerson(app);
  const { body } = await app.call('GET', '/api/v1/me', { key: own });
  expect(body).toEqual({
    data: {
      id: user.id,
      username: user.username,
      display_name: user.display_name,
      role: 'researcher',
      default_library_id: user.default_library_id,
      created_at: user.created_at.toISOString(),
    },
  });
});
