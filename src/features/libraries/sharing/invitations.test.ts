import { beforeEach, describe, expect, test } from 'vitest';
import { failure, useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import {
  createLibrary,
  createReader,
  invite,
  join,
  type Reader,
} from '../../../../test/support/libraries.ts';
import { newId } from '../../../platform/ids.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

let owner: Reader;
let member: Reader;
let invitee: Reader;
let library: string;

beforeEach(async () => {
  [owner, member, invitee] = [await createReader(app), await createReader(app), await createReader(app)];
  library = await createLibrary(owner, 'Book club');
  await join(owner, library, member);
});

const answer = (by: Reader, id: string, how: 'accept' | 'decline') =>
  by.post(`/libraries/invites/${id}/${how}`);
const revoke = (by: Reader, id: string) => by.delete(`/libraries/invites/${id}`);

describe('inviting', () => {
  const post = (body: unknown, by = owner) => by.post(`/libraries/${library}/invites`, body);

  test.each(['invitee_user_id', 'invitee_username'])('by %s creates a pending invitation', async (field) => {
    const who = field === 'invitee_user_id' ? invitee.id : invitee.user.username.toUpperCase();
    const { status, body } = await post({ [field]: who });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.any(String),
      library_id: library,
      library_name: 'Book club',
      inviter_user_id: owner.id,
      inviter_username: owner.user.username,
      invitee_user_id: invitee.id,
      invitee_username: invitee.user.username,
      role: 'member',
      status: 'pending',
      created_at: expect.any(String),
      responded_at: null,
    });
    expect((await invitee.get(`/libraries/${library}`)).status).toBe(404);
  });

  test.each([
    ['reader', 'member'],
    ['member', 'member'],
    ['contributor', 'contributor'],
    ['admin', 'admin'],
  ])('as %s makes the invitee a %s', async (given, role) => {
    const { body } = await post({ invitee_user_id: invitee.id, role: given });
    expect(body.data.role).toBe(role);
    const accepted = await invitee.post(`/libraries/invites/${body.data.id}/accept`);
    expect(accepted.body.data).toMatchObject({ invite: { role }, membership: { role } });
    expect((await invitee.get(`/libraries/${library}`)).body.data.role).toBe(role);
  });

  test('answers with the Location of the invitation, for the invitee and admins of the library only', async () => {
    const admin = await createReader(app);
    await join(owner, library, admin, 'admin');
    const { headers, body } = await post({ invitee_user_id: invitee.id });
    const location = headers.get('location') ?? '';
    expect(location).toBe(`/api/v1/libraries/invites/${body.data.id}`);
    for (const by of [owner, admin, invitee])
      expect(await by.get(location)).toMatchObject({ status: 200, body });
    const stranger = await createReader(app);
    for (const by of [member, stranger])
      expect(await by.get(location)).toMatchObject(failure(404, 'E_INVITE_NOT_FOUND'));
    const unknown = `/api/v1/libraries/invites/${newId()}`;
    expect(await owner.get(unknown)).toMatchObject(failure(404, 'E_INVITE_NOT_FOUND'));
  });

  test('somebody who does not exist is 404', async () => {
    expect(await post({ invitee_user_id: newId() })).toMatchObject(failure(404, 'E_USER_NOT_FOUND'));
    expect(await post({ invitee_username: 'nobody' })).toMatchObject(failure(404, 'E_USER_NOT_FOUND'));
  });

  test('a member, also oneself, is 409', async () => {
    for (const { id } of [member, owner]) {
      expect(await post({ invitee_user_id: id })).toMatchObject(failure(409, 'E_INVITE_MEMBER_EXISTS'));
    }
    expect(
      await sql`select from library_invitations where library_id = ${library} and status = 'pending'`,
    ).toHaveLength(0);
  });

  test('twice is 409, until the first is answered', async () => {
    const id = await invite(owner, library, invitee);
    expect(await post({ invitee_user_id: invitee.id })).toMatchObject(
      failure(409, 'E_INVITE_ALREADY_EXISTS'),
    );
    await answer(invitee, id, 'decline');
    expect((await post({ invitee_user_id: invitee.id })).status).toBe(201);
  });

  test('fifty times in parallel creates one invitation', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => post({ invitee_user_id: invitee.id })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.error?.code === 'E_INVITE_ALREADY_EXISTS')).toHaveLength(49);
  });

  test.each([
    ['nobody', {}],
    ['two people', { invitee_user_id: newId(), invitee_username: 'x' }],
    ['as owner', { invitee_user_id: newId(), role: 'owner' }],
    ['with a malformed id', { invitee_user_id: 'x' }],
  ])('%s is 400', async (_case, body) => {
    expect(await post(body)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });
});

describe('accepting', () => {
  test('adds the member with the offered role, and is idempotent', async () => {
    const id = await invite(owner, library, invitee, 'admin');
    const first = await answer(invitee, id, 'accept');
    expect(first).toMatchObject({
      status: 200,
      body: {
        data: {
          invite: { id, status: 'accepted', responded_at: expect.any(String) },
          membership: { library_id: library, user_id: invitee.id, role: 'admin' },
          idempotent: false,
          backfill_job_status: 'pending',
        },
      },
    });
    const again = await answer(invitee, id, 'accept');
    expect(again.body.data).toEqual({ ...first.body.data, idempotent: true });
    const [entry] = await sql`select action, actor, details from audit_logs order by id desc limit 1`;
    expect(entry).toMatchObject({
      action: 'library.member_added',
      actor: invitee.user.username,
      details: { library_id: library, user_id: invitee.id, role: 'admin', invitation_id: id },
    });
  });

  test('leaves exactly one backfill, dispatched once', async () => {
    const id = await invite(owner, library, invitee);
    await Promise.all(Array.from({ length: 20 }, () => answer(invitee, id, 'accept')));
    const rows =
      await sql`select status, attempts from default_library_backfill_jobs where user_id = ${invitee.id}`;
    expect([...rows]).toEqual([{ status: 'pending', attempts: 0 }]);
    const jobs = await sql`
      select from jobs
      where job_type = 'backfill_default_library_closure_job' and payload->>'user_id' = ${invitee.id}`;
    expect(jobs).toHaveLength(1);
  });

  test('again after having been removed does not add the member again', async () => {
    const id = await invite(owner, library, invitee);
    await answer(invitee, id, 'accept');
    await owner.delete(`/libraries/${library}/members/${invitee.id}`);
    expect((await answer(invitee, id, 'accept')).body.data).toMatchObject({
      membership: null,
      idempotent: true,
      backfill_job_status: null,
    });
    expect((await invitee.get(`/libraries/${library}`)).status).toBe(404);
  });
});

test('declining is idempotent, and rules out a later acceptance', async () => {
  const id = await invite(owner, library, invitee);
  expect((await answer(invitee, id, 'decline')).body.data).toMatchObject({
    invite: { status: 'declined' },
    idempotent: false,
  });
  expect((await answer(invitee, id, 'decline')).body.data).toMatchObject({ idempotent: true });
  expect(await answer(invitee, id, 'accept')).toMatchObject(failure(409, 'E_INVITE_NOT_PENDING'));
  expect(await revoke(owner, id)).toMatchObject(failure(409, 'E_INVITE_NOT_PENDING'));
  expect((await invitee.get(`/libraries/${library}`)).status).toBe(404);
});

test('an accepted invitation can be neither declined nor revoked', async () => {
  const id = await invite(owner, library, invitee);
  await answer(invitee, id, 'accept');
  expect(await answer(invitee, id, 'decline')).toMatchObject(failure(409, 'E_INVITE_NOT_PENDING'));
  expect(await revoke(owner, id)).toMatchObject(failure(409, 'E_INVITE_NOT_PENDING'));
});

describe('revoking', () => {
  test('is idempotent, and ends the invitation', async () => {
    const id = await invite(owner, library, invitee);
    expect((await revoke(owner, id)).status).toBe(204);
    expect((await revoke(owner, id)).status).toBe(204);
    for (const how of ['accept', 'decline'] as const) {
      expect(await answer(invitee, id, how)).toMatchObject(failure(409, 'E_INVITE_NOT_PENDING'));
    }
  });

  test('is for admins: members and the invitee get 403, others 404', async () => {
    const id = await invite(owner, library, invitee);
    for (const by of [member, invitee])
      expect(await revoke(by, id)).toMatchObject(failure(403, 'E_FORBIDDEN'));
    const stranger = await createReader(app);
    expect(await revoke(stranger, id)).toMatchObject(failure(404, 'E_INVITE_NOT_FOUND'));
    expect(await revoke(owner, newId())).toMatchObject(failure(404, 'E_INVITE_NOT_FOUND'));
  });
});

describe('the name of the library in an invitation', () => {
  const nameFor = async (id: string) =>
    (await invitee.get(`/libraries/invites/${id}`)).body.data.library_name;
  const rename = (name: string) => owner.patch(`/libraries/${library}`, { name });

  test('is its current one while the invitation is pending', async () => {
    const id = await invite(owner, library, invitee);
    await rename('Film club');
    expect(await nameFor(id)).toBe('Film club');
  });

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['declined', (id) => answer(invitee, id, 'decline')],
    ['revoked', (id) => revoke(owner, id)],
    ['accepted', (id) => answer(invitee, id, 'accept')],
  ])('stays the one that it had when the invitation was %s', async (status, end) => {
    const id = await invite(owner, library, invitee);
    await rename('Film club');
    await end(id);
    await owner.delete(`/libraries/${library}/members/${invitee.id}`);
    await rename('Club of secrets');
    expect(await nameFor(id)).toBe('Film club');
    const { body } = await invitee.get(`/libraries/invites?status=${status}`);
    expect(body.data).toMatchObject([{ id, library_name: 'Film club' }]);
  });

  test('stays the one that it had when its inviter was removed', async () => {
    const admin = await createReader(app);
    await join(owner, library, admin, 'admin');
    const id = await invite(admin, library, invitee);
    await owner.delete(`/libraries/${library}/members/${admin.id}`);
    await rename('Club of secrets');
    expect(await nameFor(id)).toBe('Book club');
  });
});

test('only the invitee can answer', async () => {
  const id = await invite(owner, library, invitee);
  for (const by of [owner, member, await createReader(app)]) {
    for (const how of ['accept', 'decline'] as const) {
      expect(await answer(by, id, how)).toMatchObject(failure(404, 'E_INVITE_NOT_FOUND'));
      expect(await answer(by, newId(), how)).toMatchObject(failure(404, 'E_INVITE_NOT_FOUND'));
    }
  }
  expect(await answer(invitee, '7', 'accept')).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
});

test('invitations are listed newest first, by status, to admins and to the invitee', async () => {
  const other = await createLibrary(owner, 'Another');
  const [first, second] = [await invite(owner, library, invitee), await invite(owner, other, invitee)];
  const ids = async (by: Reader, path: string) =>
    (await by.get(path)).body.data.map(({ id }: { id: string }) => id);
  expect(await ids(invitee, '/libraries/invites')).toEqual([second, first]);
  expect(await ids(owner, `/libraries/${library}/invites`)).toEqual([first]);
  expect(await ids(owner, '/libraries/invites')).toEqual([]);
  await answer(invitee, second, 'decline');
  expect(await ids(invitee, '/libraries/invites')).toEqual([first]);
  expect(await ids(invitee, '/libraries/invites?status=declined')).toEqual([second]);
  expect(await ids(owner, `/libraries/${other}/invites?status=declined`)).toEqual([second]);
  expect((await owner.get('/libraries/invites?status=lost')).status).toBe(400);
  const { body } = await owner.get(`/libraries/${library}/invites?status=accepted&limit=1`);
  expect(body.page).toEqual({ has_more: false, next_cursor: null });
});
