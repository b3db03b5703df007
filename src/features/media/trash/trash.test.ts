import { Readable } from 'node:stream';
import { beforeAll, describe, expect, test } from 'vitest';
import { failure, useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import {
  auditOf,
  createLibrary,
  createReader,
  join,
  type Reader,
} from '../../../../test/support/libraries.ts';
import { saveReady } from '../../../../test/support/saved-media.ts';
import { createPurge, periodicPurge } from './purge.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
let reader: Reader;
let other: Reader;

beforeAll(async () => {
  reader = await createReader(app);
  other = await createReader(app);
});

/**
 * Creates a readable document with a file, an asset, a search row, a graph projection, a run, a branch and reading
 * progress.
 */
async function save(by = reader, title = 'Rare words'): Promise<string> {
  const id = await saveReady(sql, by, { title, texts: ['zwieback and other rare words'] });
  const path = `media/${id}/original.pdf`;
  await app.resources.storage.put(path, Buffer.from('%PDF-'));
  await app.resources.storage.put(`media/${id}/assets/a.png`, Buffer.from('png'));
  await sql`update media set file_path = ${path}, canonical_url = ${`https://example.org/${id}`} where id = ${id}`;
  await sql`
    insert into media_assets (media_id, name, content_type, path)
    values (${id}, 'a.png', 'image/png', ${`media/${id}/assets/a.png`})`;
  await sql`insert into document_graph (media_id, projector) values (${id}, 'test')`;
  await sql`insert into media_readings (user_id, media_id, progress) values (${by.id}, ${id}, 0.5)`;
  expect((await by.post('/api/v1/branches', { media_id: id, name: 'draft' })).status).toBe(201);
  return id;
}

const trashOf = async (by: Reader) =>
  (await by.get('/api/v1/trash')).body.data.map(({ id }: { id: string }) => id) as string[];
const filesOf = async (id: string) =>
  (await Readable.from(app.resources.storage.list(`media/${id}/`)).toArray()).length;
const exists = async (id: string) => (await sql`select from media where id = ${id}`).length === 1;

/** Runs the hourly job with a grace period of this many days. */
async function purgeAll(days: number): Promise<unknown> {
  const purge = createPurge({ sql, storage: app.resources.storage });
  const { handler } = periodicPurge({ sql, purge, days }).type;
  const context = { signal: new AbortController().signal, progress: async () => true };
  return (await handler({}, context as never))?.result;
}

async function expectGone(id: string): Promise<void> {
  expect(await exists(id)).toBe(false);
  expect(await filesOf(id)).toBe(0);
  const rows = await sql`
    select 'fragments' as what from media_fragments where media_id = ${id}
    union all select 'search' from media_search where media_id = ${id}
    union all select 'assets' from media_assets where media_id = ${id}
    union all select 'graph' from document_graph where media_id = ${id}
    union all select 'runs' from analysis_runs where document_id = ${id}
    union all select 'branches' from branches where media_id = ${id}
    union all select 'readings' from media_readings where media_id = ${id}
    union all select 'jobs' from media_jobs where media_id = ${id}
    union all select 'trash' from trash where media_id = ${id}`;
  expect(rows.map(({ what }) => what)).toEqual([]);
}

describe('the trash', () => {
  test('contains what its owner removed: not readable, found or listed, and visible to nobody else', async () => {
    const id = await save();
    expect((await reader.delete(`/media/${id}`)).status).toBe(204);
    const { body } = await reader.get('/api/v1/trash');
    expect(body.data[0]).toMatchObject({ id, title: 'Rare words' });
    const { trashed_at, purge_at } = body.data[0];
    expect(Date.parse(purge_at) - Date.parse(trashed_at)).toBe(30 * 24 * 60 * 60 * 1000);
    expect(await reader.get(`/media/${id}`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    expect(await reader.get(`/media/${id}/file`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    expect((await reader.get('/api/v1/search?q=zwieback')).body.data).toEqual([]);
    expect((await reader.get('/media')).body.data).toEqual([]);
    expect(await trashOf(other)).toEqual([]);
    expect(await other.post(`/api/v1/trash/${id}/restore`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    expect(await other.delete(`/api/v1/trash/${id}`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    expect((await other.delete('/api/v1/trash')).status).toBe(204);
    expect(await trashOf(reader)).toEqual([id]);
    await reader.delete(`/api/v1/trash/${id}`);
  });

  test('also contains what was removed through the default library', async () => {
    const id = await save();
    await sql`
      update default_library_intrinsics
      set requested_url = ${`https://example.org/${id}?utm_source=mail`}
      where media_id = ${id}`;
    const before = (await reader.get(`/media/${id}`)).body.data;
    await reader.delete(`/libraries/${reader.defaultLibraryId}/media/${id}`);
    expect(await trashOf(reader)).toEqual([id]);
    expect((await reader.post(`/api/v1/trash/${id}/restore`)).status).toBe(204);
    expect(await trashOf(reader)).toEqual([]);
    // With the reading progress, the typed address, and the date of the save.
    expect((await reader.get(`/media/${id}`)).body.data).toEqual(before);
    expect(before).toMatchObject({
      requested_url: `https://example.org/${id}?utm_source=mail`,
      reading: { progress: 0.5 },
    });
    expect(await reader.post(`/api/v1/trash/${id}/restore`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    expect(await auditOf(sql)).toEqual([]);
  });

  test('keeps what came back through a library, and is removed from that, as long as anything removed now', async () => {
    const id = await save();
    await reader.delete(`/media/${id}`);
    await sql`update trash set trashed_at = now() - interval '29 days' where media_id = ${id}`;
    const saved = await other.post('/media/from_url', { url: `https://example.org/${id}` });
    expect(saved.body.data.media_id).toBe(id);
    const shared = await createLibrary(other);
    await join(other, shared, reader, 'admin');
    await other.post(`/libraries/${shared}/media`, { media_id: id });
    await other.delete(`/media/${id}`);
    expect(await trashOf(reader)).not.toContain(id);
    expect((await reader.delete(`/libraries/${shared}/media/${id}`)).status).toBe(204);
    const { body } = await reader.get('/api/v1/trash');
    expect(body.data[0]).toMatchObject({ id, library: { id: shared } });
    expect(Date.parse(body.data[0].purge_at)).toBeGreaterThan(Date.now() + 29 * 24 * 60 * 60 * 1000);
    await purgeAll(30);
    expect(await exists(id)).toBe(true);
    expect((await reader.post(`/api/v1/trash/${id}/restore`)).status).toBe(204);
  });

  test('restores a link when it is saved again', async () => {
    const id = await save();
    await reader.delete(`/media/${id}`);
    const saved = await reader.post('/media/from_url', { url: `https://example.org/${id}` });
    expect(saved).toMatchObject({ status: 200, body: { data: { media_id: id, created: false } } });
    expect(await trashOf(reader)).toEqual([]);
    expect((await reader.get(`/media/${id}`)).status).toBe(200);
  });

  test('does not contain what its owner still has through a library', async () => {
    const library = await createLibrary(reader);
    const id = await save();
    await reader.post(`/libraries/${library}/media`, { media_id: id });
    await reader.delete(`/media/${id}`);
    expect(await trashOf(reader)).toEqual([]);
    await reader.delete(`/libraries/${library}/media/${id}`);
    expect(await trashOf(reader)).toEqual([id]);
    await reader.delete(`/api/v1/trash/${id}`);
    await expectGone(id);
  });

  test('restores to the shared library it was removed from, but not for somebody who left', async () => {
    const [owner, admin] = [await createReader(app), await createReader(app)];
    const library = await createLibrary(owner);
    await join(owner, library, admin);
    await owner.patch(`/libraries/${library}/members/${admin.id}`, { role: 'admin' });
    const id = await save(owner);
    await owner.post(`/libraries/${library}/media`, { media_id: id });
    const remove = () => admin.delete(`/libraries/${library}/media/${id}`);

    await remove();
    expect((await admin.get('/api/v1/trash')).body.data[0]).toMatchObject({ id, library: { id: library } });
    expect((await admin.post(`/api/v1/trash/${id}/restore`)).status).toBe(204);
    expect((await owner.get(`/libraries/${library}/media`)).body.data).toHaveLength(1);
    expect((await admin.get(`/media/${id}`)).body.data.requested_url).toBeNull();
    expect(await trashOf(admin)).toEqual([]);

    await remove();
    await owner.delete(`/libraries/${library}/members/${admin.id}`);
    expect(await trashOf(admin)).toEqual([]);
    expect(await admin.post(`/api/v1/trash/${id}/restore`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    expect(await admin.delete(`/api/v1/trash/${id}`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    expect(await admin.get(`/media/${id}`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    expect(await auditOf(sql)).toEqual([]);
  });

  test('is listed page by page', async () => {
    const ids = [await save(), await save(), await save()];
    for (const id of ids) await reader.delete(`/media/${id}`);
    const first = (await reader.get('/api/v1/trash?limit=2')).body;
    const second = (await reader.get(`/api/v1/trash?limit=2&cursor=${first.page.next_cursor}`)).body;
    const listed = [...first.data, ...second.data].map(({ id }: { id: string }) => id);
    expect(listed).toEqual(ids.toReversed());
    expect(second.page.has_more).toBe(false);
    await reader.delete('/api/v1/trash');
    expect(await trashOf(reader)).toEqual([]);
    for (const id of ids) await expectGone(id);
  });
});

describe('deleting permanently', () => {
  test('emits an event to whoever deleted it and to admins only', async () => {
    const id = await save();
    await reader.delete(`/media/${id}`);
    await reader.delete(`/api/v1/trash/${id}`);
    const deletionsFor = async (by: Reader) => {
      const { body } = await by.get('/api/v1/events?limit=200');
      return (body.data as { type: string; data: { media_id: string } }[]).filter(
        ({ type, data }) => type === 'media.deleted' && data.media_id === id,
      );
    };
    // The feed shows an event once no older transaction is open.
    await expect.poll(() => deletionsFor(reader), { timeout: 100_000 }).toHaveLength(1);
    expect(await deletionsFor(other)).toEqual([]);
  });

  test('purges immediately what only the caller has, with its files and everything made from it', async () => {
    const [inTrash, direct] = [await save(), await save()];
    await reader.delete(`/media/${inTrash}`);
    expect((await reader.delete(`/api/v1/trash/${inTrash}`)).status).toBe(204);
    expect((await reader.delete(`/media/${direct}?permanently=true`)).status).toBe(204);
    for (const id of [inTrash, direct]) {
      await expectGone(id);
      expect(await other.delete(`/media/${id}?permanently=true`)).toMatchObject(
        failure(404, 'E_MEDIA_NOT_FOUND'),
      );
    }
    expect(await reader.delete(`/media/${inTrash}?permanently=true`)).toMatchObject(
      failure(404, 'E_MEDIA_NOT_FOUND'),
    );
    // A client repeats a request whose answer was lost.
    expect((await reader.delete(`/media/${direct}?permanently=true`)).status).toBe(204);
    const events = await sql<{ payload: { media_id: string; user_ids: string[] } }[]>`
      select payload from outbox_event where event_type = 'media.deleted' and aggregate_id = ${direct}`;
    expect(events.map(({ payload }) => payload.user_ids)).toEqual([[reader.id]]);
  });

  test('keeps what others have, wherever they have it', async () => {
    const id = await save();
    await other.post('/media/from_url', { url: `https://example.org/${id}` });
    await reader.delete(`/media/${id}`);
    await reader.delete(`/api/v1/trash/${id}`);
    expect(await trashOf(reader)).toEqual([]);
    expect((await other.get(`/media/${id}`)).status).toBe(200);
    expect(await filesOf(id)).toBe(2);
    await other.delete(`/media/${id}`);
    expect(await exists(id)).toBe(true);
    await other.delete(`/api/v1/trash/${id}`);
    await expectGone(id);
  });
});

describe('the hourly purge', () => {
  test('deletes what has been in the trash for the grace period, and nothing newer', async () => {
    const [old, recent] = [await save(), await save()];
    for (const id of [old, recent]) await reader.delete(`/media/${id}`);
    await sql`update trash set trashed_at = now() - interval '31 days' where media_id = ${old}`;
    expect(await purgeAll(30)).toMatchObject({ purged: 1 });
    await expectGone(old);
    expect(await trashOf(reader)).toEqual([recent]);
    await reader.delete('/api/v1/trash');
  });

  test('deletes media that nobody has after the grace period, such as those of a deleted library', async () => {
    const owner = await createReader(app);
    const member = await createReader(app);
    const library = await createLibrary(owner);
    await join(owner, library, member);
    const [lost, kept] = [await save(owner), await save(owner)];
    for (const media_id of [lost, kept]) await owner.post(`/libraries/${library}/media`, { media_id });
    await owner.delete(`/media/${lost}`);
    await owner.delete(`/libraries/${library}`);
    await purgeAll(30);
    expect(await exists(lost)).toBe(true);
    await sql`update unheld_media set since = now() - interval '31 days'`;
    await purgeAll(30);
    await expectGone(lost);
    expect(await exists(kept)).toBe(true);
    expect(await auditOf(sql)).toEqual([]);
    const [event] = await sql<{ payload: { user_ids: string[] } }[]>`
      select payload from outbox_event where event_type = 'media.deleted' and aggregate_id = ${lost}`;
    expect(event?.payload.user_ids).toEqual([]);
  });

  test('keeps what somebody saved again in the meantime', async () => {
    const id = await save();
    await sql`delete from default_library_intrinsics where media_id = ${id}`;
    await sql`delete from library_media where media_id = ${id}`;
    await purgeAll(30);
    await sql`update unheld_media set since = now() - interval '31 days' where media_id = ${id}`;
    await other.post('/media/from_url', { url: `https://example.org/${id}` });
    expect(await purgeAll(30)).toMatchObject({ purged: 0 });
    expect((await other.get(`/media/${id}`)).status).toBe(200);
  });
});
