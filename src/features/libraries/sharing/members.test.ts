import { beforeEach, describe, expect, test } from 'vitest';
import { failure, useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import {
  createLibrary,
  createReader,
  join,
  type Reader,
  saveMedia,
} from '../../../../test/support/libraries.ts';
import { newId } from '../../../platform/ids.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

let owner: Reader;
let admin: Reader;
let member: Reader;
let library: string;

beforeEach(async () => {
  [owner, admin, member] = [await createReader(app), await createReader(app), await createReader(app)];
  library = await createLibrary(owner);
  await join(owner, library, member);
  await join(owner, library, admin, 'admin');
});

const membersOf = async (reader: Reader) =>
  (await reader.get(`/libraries/${library}/members`)).body.data.map(
    (row: { user_id: string }) => row.user_id,
  );
const lastAudit = async () =>
  (await sql`select action, actor, details from audit_logs order by id desc limit 1`)[0];

test('members are listed owner first, then admins, then by age, page by page', async () => {
  const late = await createReader(app);
  await join(owner, library, late, 'admin');
  const expected = [owner.id, admin.id, late.id, member.id];
  expect(await membersOf(admin)).toEqual(expected);
  const seen: unknown[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await owner.get(`/libraries/${library}/members?limit=1${cursor}`);
    seen.push(...body.data);
    if (!body.page.has_more) break;
    cursor = `&cursor=${body.page.next_cursor}`;
  }
  expect(seen).toMatchObject(expected.map((user_id) => ({ user_id })));
  expect(seen[0]).toEqual({
    user_id: owner.id,
    username: owner.user.username,
    display_name: owner.user.display_name,
    role: 'admin',
    is_owner: true,
    created_at: expect.any(String),
  });
});

describe('changing a role', () => {
  const change = (by: Reader, who: string, role: string) =>
    by.patch(`/libraries/${library}/members/${who}`, { role });

  test('makes a member an admin, and a member again', async () => {
    expect((await change(admin, member.id, 'admin')).body.data).toMatchObject({
      user_id: member.id,
      role: 'admin',
    });
    expect(await lastAudit()).toMatchObject({
      action: 'library.member_role_changed',
      actor: admin.user.username,
      details: { library_id: library, user_id: member.id, role: 'admin' },
    });
    expect((await change(owner, member.id, 'member')).body.data.role).toBe('member');
    expect((await member.get(`/libraries/${library}/members`)).status).toBe(403);
  });

  test('makes a member a contributor, who is listed after the admins, and a member again', async () => {
    const other = await createReader(app);
    await join(owner, library, other);
    expect((await change(admin, other.id, 'contributor')).body.data.role).toBe('contributor');
    expect(await lastAudit()).toMatchObject({ details: { user_id: other.id, role: 'contributor' } });
    expect((await other.get(`/libraries/${library}`)).body.data.role).toBe('contributor');
    expect(await membersOf(owner)).toEqual([owner.id, admin.id, other.id, member.id]);
    // `reader` is another name of `member` in requests.
    expect((await change(admin, other.id, 'reader')).body.data.role).toBe('member');
    expect(await membersOf(owner)).toEqual([owner.id, admin.id, member.id, other.id]);
  });

  test('of the owner is refused', async () => {
    for (const role of ['member', 'contributor', 'admin']) {
      expect(await change(admin, owner.id, role)).toMatchObject(failure(403, 'E_OWNER_EXIT_FORBIDDEN'));
    }
  });

  test('of the last admin is refused', async () => {
    // Only data of an older release can have an owner who is not an admin.
    await sql`update memberships set role = 'member' where library_id = ${library} and user_id = ${owner.id}`;
    for (const role of ['member', 'contributor'])
      expect(await change(admin, admin.id, role)).toMatchObject(failure(403, 'E_LAST_ADMIN_FORBIDDEN'));
    expect(await admin.delete(`/libraries/${library}/members/${admin.id}`)).toMatchObject(
      failure(403, 'E_LAST_ADMIN_FORBIDDEN'),
    );
    expect((await admin.get(`/libraries/${library}`)).body.data.role).toBe('admin');
  });

  test('of somebody who is not a member is 404', async () => {
    expect(await change(owner, newId(), 'admin')).toMatchObject(failure(404, 'E_NOT_FOUND'));
  });

  test('to an unknown role is 400', async () => {
    expect(await change(owner, member.id, 'owner')).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });
});

describe('removing a member', () => {
  const remove = (by: Reader, who: string) => by.delete(`/libraries/${library}/members/${who}`);

  test('by an admin removes them, and is idempotent', async () => {
    expect((await remove(admin, member.id)).status).toBe(204);
    expect(await lastAudit()).toMatchObject({
      action: 'library.member_removed',
      actor: admin.user.username,
      details: { library_id: library, user_id: member.id },
    });
    expect(await membersOf(owner)).toEqual([owner.id, admin.id]);
    expect((await remove(admin, member.id)).status).toBe(204);
    expect((await remove(admin, newId())).status).toBe(204);
  });

  test('who leaves is allowed, and then no longer sees the library', async () => {
    expect((await remove(member, member.id)).status).toBe(204);
    expect(await remove(member, member.id)).toMatchObject(failure(404, 'E_LIBRARY_NOT_FOUND'));
  });

  test('by another member is refused', async () => {
    expect(await remove(member, admin.id)).toMatchObject(failure(403, 'E_FORBIDDEN'));
  });

  test('never removes the owner', async () => {
    for (const by of [admin, owner]) {
      expect(await remove(by, owner.id)).toMatchObject(failure(403, 'E_OWNER_EXIT_FORBIDDEN'));
    }
  });

  test('who is invited again can join again', async () => {
    await remove(owner, member.id);
    const { backfill_job_status } = await join(owner, library, member);
    expect(backfill_job_status).toBe('pending');
    expect((await member.get(`/libraries/${library}`)).status).toBe(200);
  });
});

describe('transferring ownership', () => {
  const transfer = (by: Reader, to: string) =>
    by.post(`/libraries/${library}/transfer-ownership`, { new_owner_user_id: to });

  test('makes the new owner an admin, keeps the old one an admin, and is idempotent', async () => {
    const { status, body } = await transfer(owner, member.id);
    expect([status, body.data.owner_user_id, body.data.role]).toEqual([200, member.id, 'admin']);
    expect(await lastAudit()).toMatchObject({
      action: 'library.ownership_transferred',
      details: { from_user_id: owner.id, to_user_id: member.id },
    });
    expect(await transfer(owner, member.id)).toMatchObject({
      status: 200,
      body: { data: { owner_user_id: member.id } },
    });
    expect(await membersOf(owner)).toEqual([member.id, owner.id, admin.id]);
    expect((await member.get(`/libraries/${library}`)).body.data.role).toBe('admin');
  });

  test('lets the old owner leave', async () => {
    await transfer(owner, admin.id);
    expect((await owner.delete(`/libraries/${library}/members/${owner.id}`)).status).toBe(204);
  });

  test('to somebody who is not a member is 409', async () => {
    const stranger = await createReader(app);
    for (const to of [stranger.id, newId()]) {
      expect(await transfer(owner, to)).toMatchObject(failure(409, 'E_OWNERSHIP_TRANSFER_INVALID'));
    }
  });

  test('is for the owner only', async () => {
    expect(await transfer(admin, admin.id)).toMatchObject(failure(403, 'E_OWNER_REQUIRED'));
    expect(await transfer(member, owner.id)).toMatchObject(failure(403, 'E_OWNER_REQUIRED'));
  });
});

describe('the removal preview', () => {
  const preview = (by: Reader, who: string, query = '') =>
    by.get(`/libraries/${library}/members/${who}/removal-preview${query}`);
  const add = (by: Reader, to: string, media_id: string) => by.post(`/libraries/${to}/media`, { media_id });

  test('counts what would be lost, lists what would be kept and why, and equals the removal', async () => {
    const [lost, saved, known, unknown] = [
      await saveMedia(sql, owner),
      await saveMedia(sql, owner),
      await saveMedia(sql, owner),
      await saveMedia(sql, owner),
    ];
    for (const id of [lost, saved, known, unknown]) await add(owner, library, id);
    await add(member, member.defaultLibraryId, saved);
    const together = await createLibrary(owner, 'Together');
    await join(owner, together, member);
    await join(owner, together, admin);
    await add(owner, together, known);
    const apart = await createLibrary(member, 'Apart');
    await add(member, apart, unknown);

    const { body } = await preview(admin, member.id);
    expect(body.data).toMatchObject({
      library_id: library,
      user_id: member.id,
      lost_count: 1,
      kept_count: 3,
    });
    expect(body.data.kept).toMatchObject([
      { media_id: saved, saved: true, libraries: [], other_library_count: 0 },
      {
        media_id: known,
        saved: false,
        libraries: [{ library_id: together, name: 'Together' }],
        other_library_count: 0,
      },
      { media_id: unknown, saved: false, libraries: [], other_library_count: 1 },
    ]);
    const paged: string[] = [];
    for (let cursor = ''; ; ) {
      const { body: page } = await preview(admin, member.id, `?limit=2${cursor}`);
      paged.push(...page.data.kept.map(({ media_id }: { media_id: string }) => media_id));
      if (!page.page.has_more) break;
      cursor = `&cursor=${page.page.next_cursor}`;
    }
    expect(paged).toEqual([saved, known, unknown]);

    await owner.delete(`/libraries/${library}/members/${member.id}`);
    const readable = async (id: string) => (await member.get(`/media/${id}/provenance`)).status === 200;
    expect(await Promise.all([lost, saved, known, unknown].map(readable))).toEqual([false, true, true, true]);
  });

  test('is for admins, of members who can be removed', async () => {
    expect(await preview(member, admin.id)).toMatchObject(failure(403, 'E_FORBIDDEN'));
    expect(await preview(admin, owner.id)).toMatchObject(failure(403, 'E_OWNER_EXIT_FORBIDDEN'));
    expect(await preview(admin, newId())).toMatchObject(failure(404, 'E_NOT_FOUND'));
  });
});
