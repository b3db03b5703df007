import { beforeEach, describe, expect, test } from 'vitest';
import { useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import {
  auditOf,
  canRead,
  closureOf,
  createLibrary,
  createReader,
  join,
  type Reader,
  saveMedia,
} from '../../../../test/support/libraries.ts';
import { identifier } from '../../../platform/database/statement.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { newId } from '../../../platform/ids.ts';
import { canReadMedia } from '../access/can-read-media.ts';
import { materialiseBatch, removeMemberClosure } from './closure.ts';
import { forgetMedia } from './forget-media.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

let owner: Reader;
let member: Reader;
let library: string;
let media: string;

/** No worker runs in this file, so new members read everything before any backfill. */
beforeEach(async () => {
  [owner, member] = [await createReader(app), await createReader(app)];
  library = await createLibrary(owner);
  media = await saveMedia(sql, owner);
  await join(owner, library, member);
});

const add = (reader: Reader, to: string, mediaId: string) =>
  reader.post(`/libraries/${to}/media`, { media_id: mediaId });
const remove = (reader: Reader, from: string, mediaId: string) =>
  reader.delete(`/libraries/${from}/media/${mediaId}`);

describe('adding media to a library', () => {
  test('creates closure edges and default materialisation for every member', async () => {
    expect(await add(owner, library, media)).toMatchObject({
      status: 201,
      body: { data: { library_id: library, media_id: media, created: true } },
    });
    expect(
      await sql`select from library_media where library_id = ${library} and media_id = ${media}`,
    ).toHaveLength(1);
    expect(await closureOf(sql, member.defaultLibraryId, media)).toEqual({
      listed: true,
      intrinsic: false,
      edges: [library],
    });
    expect(await closureOf(sql, owner.defaultLibraryId, media)).toEqual({
      listed: true,
      intrinsic: true,
      edges: [library],
    });
  });

  test('again changes nothing and answers 200', async () => {
    await add(owner, library, media);
    expect(await add(owner, library, media)).toMatchObject({
      status: 200,
      body: { data: { created: false } },
    });
    expect((await closureOf(sql, member.defaultLibraryId, media)).edges).toEqual([library]);
  });

  test('that is the default library writes an intrinsic and no edge', async () => {
    await add(owner, library, media);
    expect(await add(member, member.defaultLibraryId, media)).toMatchObject({ status: 201 });
    expect(await closureOf(sql, member.defaultLibraryId, media)).toEqual({
      listed: true,
      intrinsic: true,
      edges: [library],
    });
  });
});

describe('removing media from a library', () => {
  test('deletes the edges of that source and the row in the default library', async () => {
    await add(owner, library, media);
    expect((await remove(owner, library, media)).status).toBe(204);
    expect(await closureOf(sql, member.defaultLibraryId, media)).toEqual({
      listed: false,
      intrinsic: false,
      edges: [],
    });
    expect(await closureOf(sql, owner.defaultLibraryId, media)).toMatchObject({
      listed: true,
      intrinsic: true,
    });
    expect(await canRead(member, media)).toBe(false);
  });

  test('keeps media that also come through another library', async () => {
    const second = await createLibrary(owner);
    await join(owner, second, member);
    await add(owner, library, media);
    await add(owner, second, media);
    await remove(owner, library, media);
    expect(await closureOf(sql, member.defaultLibraryId, media)).toEqual({
      listed: true,
      intrinsic: false,
      edges: [second],
    });
    await remove(owner, second, media);
    expect((await closureOf(sql, member.defaultLibraryId, media)).listed).toBe(false);
  });
});

describe('removing media from the default library', () => {
  beforeEach(async () => {
    await add(owner, library, media);
    await add(member, member.defaultLibraryId, media);
  });

  test('removes the intrinsic but keeps the row while a closure edge exists', async () => {
    expect((await remove(member, member.defaultLibraryId, media)).status).toBe(204);
    expect(await closureOf(sql, member.defaultLibraryId, media)).toEqual({
      listed: true,
      intrinsic: false,
      edges: [library],
    });
    expect(await canRead(member, media)).toBe(true);
  });

  test('the row is deleted once the edge is removed too', async () => {
    await remove(member, member.defaultLibraryId, media);
    await remove(owner, library, media);
    expect((await closureOf(sql, member.defaultLibraryId, media)).listed).toBe(false);
  });

  test('the other way round: the edge goes first, and the intrinsic keeps the row', async () => {
    await remove(owner, library, media);
    expect(await closureOf(sql, member.defaultLibraryId, media)).toEqual({
      listed: true,
      intrinsic: true,
      edges: [],
    });
    await remove(member, member.defaultLibraryId, media);
    expect((await closureOf(sql, member.defaultLibraryId, media)).listed).toBe(false);
    expect(await canRead(member, media)).toBe(false);
  });

  test('does not cascade: other libraries keep the media', async () => {
    const alone = await createLibrary(owner);
    await add(owner, alone, media);
    await remove(owner, owner.defaultLibraryId, media);
    expect(await sql`select from library_media where library_id = ${alone}`).toHaveLength(1);
    expect(await closureOf(sql, owner.defaultLibraryId, media)).toMatchObject({
      listed: true,
      intrinsic: false,
    });
  });
});

describe('removing a member', () => {
  beforeEach(() => add(owner, library, media));

  test("deletes the member's edges and rows, and nobody else's", async () => {
    const kept = await saveMedia(sql, member);
    const other = await createReader(app);
    await join(owner, library, other, 'admin');
    await add(other, other.defaultLibraryId, media);
    expect((await owner.delete(`/libraries/${library}/members/${member.id}`)).status).toBe(204);
    expect(await closureOf(sql, member.defaultLibraryId, media)).toEqual({
      listed: false,
      intrinsic: false,
      edges: [],
    });
    expect((await closureOf(sql, member.defaultLibraryId, kept)).listed).toBe(true);
    expect((await closureOf(sql, owner.defaultLibraryId, media)).edges).toEqual([library]);
  });

  test('deletes the matching backfill row, and no other', async () => {
    const second = await createLibrary(owner);
    await join(owner, second, member);
    const rows = () => sql<{ source_library_id: string }[]>`
      select source_library_id from default_library_backfill_jobs where user_id = ${member.id} order by 1`;
    expect((await rows()).map((row) => row.source_library_id)).toEqual([library, second].sort());
    await owner.delete(`/libraries/${library}/members/${member.id}`);
    expect((await rows()).map((row) => row.source_library_id)).toEqual([second]);
  });
});

test('immediate access: a new member reads the library before any backfill ran', async () => {
  await add(owner, library, media);
  const late = await createReader(app);
  expect(await canRead(late, media)).toBe(false);
  const { membership, backfill_job_status } = await join(owner, library, late);
  expect([membership.role, backfill_job_status]).toEqual(['member', 'pending']);
  expect((await closureOf(sql, late.defaultLibraryId, media)).edges).toEqual([]);
  expect(await canRead(late, media)).toBe(true);
  const { body } = await late.get(`/libraries/${library}/media`);
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([media]);
});

test('strict revocation: the next request behaves as if the person had never been a member', async () => {
  await add(owner, library, media);
  expect(await canRead(member, media)).toBe(true);
  await owner.delete(`/libraries/${library}/members/${member.id}`);
  expect(await canRead(member, media)).toBe(false);
  expect((await member.get(`/libraries/${library}`)).status).toBe(404);
  expect((await member.get(`/libraries/${library}/media`)).status).toBe(404);
  expect((await member.get(`/libraries/${member.defaultLibraryId}/media`)).body.data).toEqual([]);
  expect((await member.get('/libraries')).body.data.map(({ id }: { id: string }) => id)).toEqual([
    member.defaultLibraryId,
  ]);
});

test('a deleted library leaves nothing in any default library', async () => {
  const saved = await saveMedia(sql, owner);
  for (const id of [media, saved]) await add(owner, library, id);
  await add(member, member.defaultLibraryId, saved);
  expect((await owner.delete(`/libraries/${library}`)).status).toBe(204);
  expect((await closureOf(sql, member.defaultLibraryId, media)).listed).toBe(false);
  expect(await closureOf(sql, member.defaultLibraryId, saved)).toEqual({
    listed: true,
    intrinsic: true,
    edges: [],
  });
  for (const table of ['library_media', 'memberships', 'library_invitations']) {
    expect(await sql`select from ${identifier(table)} where library_id = ${library}`).toHaveLength(0);
  }
  expect(
    await sql`select from default_library_backfill_jobs where source_library_id = ${library}`,
  ).toHaveLength(0);
  expect(await auditOf(sql)).toEqual([]);
});

describe('who can read a media', () => {
  const viewerOf = ({ id, defaultLibraryId }: Reader) => ({
    user_id: id,
    default_library_id: defaultLibraryId,
  });

  test('a bare row in a default library gives no access, not even in its list', async () => {
    await sql`insert into library_media (library_id, media_id, is_derived) values (${member.defaultLibraryId}, ${media}, true)`;
    expect(await canRead(member, media)).toBe(false);
    expect((await member.get(`/libraries/${member.defaultLibraryId}/media`)).body.data).toEqual([]);
    await sql`delete from library_media where library_id = ${member.defaultLibraryId}`;
  });

  test('a bare row gives no access to a member of a library with other media', async () => {
    await add(owner, library, media);
    const hidden = await saveMedia(sql, owner);
    await sql`insert into library_media (library_id, media_id, is_derived) values (${member.defaultLibraryId}, ${hidden}, true)`;
    for (const path of [
      '/media',
      '/media?sort=title',
      '/media?q=-w',
      `/libraries/${member.defaultLibraryId}/media`,
    ]) {
      const { body } = await member.get(path);
      expect(
        body.data.map(({ id }: { id: string }) => id),
        path,
      ).toEqual([media]);
    }
    await sql`delete from library_media where media_id = ${hidden} and library_id = ${member.defaultLibraryId}`;
  });

  test('an edge from a library that the viewer has left gives no access', async () => {
    const stranger = await createReader(app);
    await sql`
      insert into default_library_closure_edges (default_library_id, media_id, source_library_id)
      values (${stranger.defaultLibraryId}, ${media}, ${library})`;
    expect(await canRead(stranger, media)).toBe(false);
    await sql`delete from default_library_closure_edges where default_library_id = ${stranger.defaultLibraryId}`;
  });

  test('an edge from a library that the viewer is a member of gives access', async () => {
    await sql`
      insert into default_library_closure_edges (default_library_id, media_id, source_library_id)
      values (${member.defaultLibraryId}, ${media}, ${library})`;
    expect(await canRead(member, media)).toBe(true);
    await sql`delete from default_library_closure_edges where default_library_id = ${member.defaultLibraryId}`;
  });

  test('the predicate filters a list inside any statement', async () => {
    await add(owner, library, media);
    const hidden = await saveMedia(sql, owner);
    const rows = await sql<{ id: string }[]>`
      select id from media
      where id = any(${[media, hidden]}::uuid[]) and ${canReadMedia(sql, viewerOf(member), sql`media.id`)}`;
    expect([...rows]).toEqual([{ id: media }]);
  });
});

test('a default library is listed newest first, page by page', async () => {
  const saved = [media];
  for (let n = 0; n < 4; n++) saved.unshift(await saveMedia(sql, owner));
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await owner.get(`/libraries/${owner.defaultLibraryId}/media?limit=2${cursor}`);
    seen.push(...body.data.map(({ id }: { id: string }) => id));
    if (!body.page.has_more) break;
    cursor = `&cursor=${body.page.next_cursor}`;
  }
  expect(seen).toEqual(saved);
});

test('provenance has the date of the save, the libraries, and who added it', async () => {
  await add(owner, library, media);
  const other = await createLibrary(owner, 'Not theirs');
  await add(owner, other, media);
  const through = {
    library_id: library,
    name: 'Shared',
    added_at: expect.any(String),
    added_by: { id: owner.id, username: owner.user.username, display_name: owner.user.display_name },
  };
  expect((await member.get(`/media/${media}/provenance`)).body).toEqual({
    data: { media_id: media, saved_at: null, libraries: [through] },
  });
  await add(member, member.defaultLibraryId, media);
  expect((await member.get(`/media/${media}/provenance`)).body).toEqual({
    data: { media_id: media, saved_at: expect.any(String), libraries: [through] },
  });
});

test('a media that is about to be deleted leaves every library', async () => {
  await add(owner, library, media);
  await add(member, member.defaultLibraryId, media);
  await transaction(sql, async (tx) => {
    await tx`select from media where id = ${media} for update`;
    await forgetMedia(tx, media);
    await tx`delete from media where id = ${media}`;
  });
  for (const table of ['library_media', 'default_library_intrinsics', 'default_library_closure_edges']) {
    expect(await sql`select from ${identifier(table)} where media_id = ${media}`).toHaveLength(0);
  }
});

test('a media that does not exist cannot be added', async () => {
  expect((await add(owner, library, newId())).body.error.code).toBe('E_MEDIA_NOT_FOUND');
});

test('removing edges reads each row a few times, even without planner statistics', async () => {
  const count = 1000;
  await sql`analyze default_library_closure_edges, library_media`;
  await sql`
    with item as (
      insert into media (id, kind, title, created_by_user_id)
      select gen_random_uuid(), 'web_article', 'One of many', ${owner.id} from generate_series(1, ${count})
      returning id
    )
    insert into library_media (library_id, media_id, is_derived) select ${library}, id, false from item`;
  const key = { default_library_id: member.defaultLibraryId, source_library_id: library };
  await transaction(sql, (tx) => materialiseBatch(tx, key, null, count + 1));
  const read = await transaction(sql, async (tx) => {
    await removeMemberClosure(tx, member.defaultLibraryId, library);
    const [row] = await tx`
      select sum(idx_tup_fetch + seq_tup_read)::int as tuples
      from pg_stat_xact_user_tables
      where relname in ('library_media', 'default_library_closure_edges', 'default_library_intrinsics')`;
    return row?.tuples;
  });
  expect(read).toBeGreaterThanOrEqual(count);
  expect(read).toBeLessThan(20 * count);
  await owner.delete(`/libraries/${library}`);
});
