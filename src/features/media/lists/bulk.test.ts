import { describe, expect, test } from 'vitest';
import { failure, useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import {
  auditOf,
  canRead,
  createLibrary,
  createReader,
  join,
  type Reader,
} from '../../../../test/support/libraries.ts';
import { type SavedFields, saveReady } from '../../../../test/support/saved-media.ts';
import { newId } from '../../../platform/ids.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const save = (reader: Reader, fields: SavedFields = {}) => saveReady(sql, reader, fields);
const change = (reader: Reader, body: object) => reader.post('/media/bulk', body);
const done = (changed: number, unchanged: number, not_found: number, next_cursor: string | null = null) => ({
  status: 200,
  body: { data: { changed, unchanged, not_found, next_cursor } },
});
const readingOf = async (reader: Reader, id: string) => (await reader.get(`/media/${id}`)).body.data.reading;
const totalOf = async (reader: Reader, query = '') => (await reader.get(`/media?${query}`)).body.page.total;

/** Ana's media, one of them in a library that Ben reads; and a media of a stranger. */
async function mixed() {
  const [ana, ben, eve] = [await createReader(app), await createReader(app), await createReader(app)];
  const libraryId = await createLibrary(ana);
  const [shared, own, foreign] = [await save(ana), await save(ana), await save(eve)];
  await ana.post(`/libraries/${libraryId}/media`, { media_id: shared });
  await join(ana, libraryId, ben);
  return { ana, ben, eve, libraryId, shared, own, foreign };
}

describe('reading progress of many media', () => {
  test('changes only what the caller may read, and only their own', async () => {
    const { ana, ben, shared, own, foreign } = await mixed();
    const media_ids = [shared, own, foreign, newId(), shared];
    expect(await change(ben, { action: 'finish', media_ids })).toMatchObject(done(1, 0, 3));
    expect(await readingOf(ben, shared)).toMatchObject({ progress: 1, finished_at: expect.any(String) });
    expect(await readingOf(ana, shared)).toBeNull();
    expect(await change(ben, { action: 'finish', media_ids })).toMatchObject(done(0, 1, 3));

    expect(await change(ana, { action: 'finish', media_ids })).toMatchObject(done(2, 0, 2));
    expect(await change(ana, { action: 'unfinish', media_ids })).toMatchObject(done(2, 0, 2));
    expect(await readingOf(ana, own)).toMatchObject({ progress: 0.99, finished_at: null });
    expect(await change(ana, { action: 'unread', media_ids })).toMatchObject(done(2, 0, 2));
    expect([await readingOf(ana, own), await readingOf(ana, shared)]).toEqual([null, null]);
    expect(await change(ana, { action: 'unread', media_ids })).toMatchObject(done(0, 2, 2));
    expect(await readingOf(ben, shared)).toMatchObject({ progress: 1 });
  });
});

describe('the contents of a library', () => {
  test('adding needs an admin of the library, and leaves out what the caller may not read', async () => {
    const { ana, ben, libraryId, shared, own, foreign } = await mixed();
    const body = { action: 'add', library_id: libraryId, media_ids: [shared, own, foreign] };
    expect(await change(ben, body)).toMatchObject(failure(403, 'E_FORBIDDEN'));
    expect(await change(await createReader(app), body)).toMatchObject(failure(404, 'E_LIBRARY_NOT_FOUND'));
    expect(await canRead(ben, own)).toBe(false);
    expect(await change(ana, body)).toMatchObject(done(1, 1, 1));
    expect([await canRead(ben, own), await canRead(ben, foreign)]).toEqual([true, false]);
    const events = await sql`
      select payload ->> 'media_id' as id from outbox_event
      where event_type = 'library.media_added' and payload ->> 'library_id' = ${libraryId} order by id`;
    expect(events.map(({ id }) => id)).toEqual([shared, own].sort());
    expect(await auditOf(sql)).toEqual([]);
  });

  test('removing works as one by one: access, trash and events', async () => {
    const { ana, ben, libraryId, shared, own, foreign } = await mixed();
    const media_ids = [shared, own, foreign];
    const body = { action: 'remove', library_id: libraryId, media_ids };
    expect(await change(ben, body)).toMatchObject(failure(403, 'E_FORBIDDEN'));
    // Ben has not saved it, so there is nothing that he could remove from his own library.
    expect(await change(ben, { action: 'remove', media_ids })).toMatchObject(done(0, 1, 2));
    expect(await canRead(ben, shared)).toBe(true);

    expect(await change(ana, body)).toMatchObject(done(1, 1, 1));
    expect([await canRead(ben, shared), await canRead(ana, shared)]).toEqual([false, true]);
    expect(await change(ana, { action: 'remove', media_ids })).toMatchObject(done(2, 0, 1));
    expect(await canRead(ana, shared)).toBe(false);
    const trash = (await ana.get('/api/v1/trash')).body.data;
    expect(trash).toHaveLength(2);
    const events = await sql`
      select from outbox_event
      where event_type = 'library.media_removed' and payload ->> 'removed_by_user_id' = ${ana.id}`;
    expect(events).toHaveLength(3);
    expect(await auditOf(sql)).toEqual([]);
  });
});

describe('undoing', () => {
  test('is possible with what the answer says: which media were changed, and the progress before', async () => {
    const { ana, shared, own, foreign } = await mixed();
    await app.call('PUT', `/media/${own}/reading`, {
      key: ana.key,
      body: { progress: 0.4, position: { block: 7 } },
    });
    const { data } = (await change(ana, { action: 'finish', media_ids: [shared, own, foreign] })).body;
    const before = data.changed_media.map((item: { media_id: string; reading: unknown }) => [
      item.media_id,
      item.reading,
    ]);
    expect(Object.fromEntries(before)).toEqual({
      [shared]: null,
      [own]: {
        progress: 0.4,
        position: { block: 7 },
        finished_at: null,
        updated_at: expect.any(String),
      },
    });
    const again = await change(ana, { action: 'finish', media_ids: [shared, own] });
    expect(again.body.data.changed_media).toEqual([]);
  });

  test('of a removal restores from the trash, to where each was, and only the own trash', async () => {
    const { ana, ben, eve, libraryId, shared, own, foreign } = await mixed();
    const savedAt = (await ana.get(`/media/${own}`)).body.data.added_at;
    const media_ids = [shared, own, foreign];
    await change(ana, { action: 'remove', media_ids: [own] });
    await sql`delete from default_library_intrinsics where default_library_id = ${ana.defaultLibraryId} and media_id = ${shared}`;
    await change(ana, { action: 'remove', library_id: libraryId, media_ids: [shared] });
    expect([await canRead(ana, own), await canRead(ana, shared), await canRead(ben, shared)]).toEqual([
      false,
      false,
      false,
    ]);

    expect(await change(eve, { action: 'restore', media_ids })).toMatchObject(done(0, 0, 3));
    expect(await change(ana, { action: 'restore', media_ids })).toMatchObject(done(2, 0, 1));
    expect([await canRead(ana, own), await canRead(ana, shared), await canRead(ben, shared)]).toEqual([
      true,
      true,
      true,
    ]);
    expect((await ana.get(`/media/${own}`)).body.data.added_at).toBe(savedAt);
    expect((await ana.get('/api/v1/trash')).body.data).toEqual([]);
    expect(await change(ana, { action: 'restore', media_ids })).toMatchObject(done(0, 0, 3));
    expect(await auditOf(sql)).toEqual([]);
  });
});

describe('retrying many media', () => {
  const fail = (id: string) => sql`
    update media
    set processing_status = 'failed', failure_stage = 'extract', last_error_code = 'E_TIMEOUT',
        last_error_message = 'Slow', failed_at = now(), canonical_url = ${`https://example.org/${id}`}
    where id = ${id}`;

  test('retries what failed and what the caller may retry, and audits each', async () => {
    const { ana, ben, shared, own, foreign } = await mixed();
    const ready = await save(ana);
    for (const id of [shared, own, foreign]) await fail(id);
    const media_ids = [shared, own, foreign, ready];
    expect(await change(ben, { action: 'retry', media_ids })).toMatchObject(done(0, 1, 3));
    expect(await change(ana, { action: 'retry', media_ids })).toMatchObject(done(2, 1, 1));
    const jobs = await sql`select from jobs where payload ->> 'media_id' = any(${[shared, own]}::text[])`;
    expect(jobs).toHaveLength(2);
    const audited = await sql`
      select details ->> 'media_id' as id from audit_logs where action = 'media.retried' order by id`;
    expect(audited.map(({ id }) => id)).toEqual([shared, own].sort());
  });
});

describe('everything that a list contains', () => {
  test('is changed in steps that each media is in once, although the filter no longer matches it', async () => {
    const ana = await createReader(app);
    await sql`
      insert into media (id, kind, title, created_by_user_id, processing_status)
      select gen_random_uuid(), 'web_article', 'Page ' || number, ${ana.id}, 'ready'
      from generate_series(1, 450) as number`;
    await sql`
      insert into library_media (library_id, media_id, is_derived)
      select ${ana.defaultLibraryId}, id, true from media where created_by_user_id = ${ana.id}`;
    await sql`
      insert into default_library_intrinsics (default_library_id, media_id, ready_kind)
      select ${ana.defaultLibraryId}, id, kind from media where created_by_user_id = ${ana.id}`;
    const pdf = await save(ana, { kind: 'pdf' });
    const body = { action: 'finish', filter: { kind: 'web_article', reading: 'unread' } };
    const counts: number[] = [];
    for (let cursor: string | undefined; ; ) {
      const { data } = (await change(ana, { ...body, cursor })).body;
      counts.push(data.changed);
      if (data.next_cursor === null) break;
      cursor = data.next_cursor;
    }
    expect(counts).toEqual([200, 200, 50]);
    expect([await totalOf(ana, 'reading=finished'), await totalOf(ana, 'reading=unread')]).toEqual([450, 1]);
    expect(await readingOf(ana, pdf)).toBeNull();
  });

  test('is what the caller sees in that library, and nothing for strangers', async () => {
    const { ana, ben, eve, libraryId, shared, own } = await mixed();
    const body = { action: 'finish', filter: { library_id: libraryId } };
    expect(await change(eve, body)).toMatchObject(failure(404, 'E_LIBRARY_NOT_FOUND'));
    expect(await change(ben, body)).toMatchObject(done(1, 0, 0));
    expect(await change(ana, body)).toMatchObject(done(1, 0, 0));
    expect([await readingOf(ana, shared), await readingOf(ana, own)]).toMatchObject([{ progress: 1 }, null]);
    expect(await change(ana, { action: 'finish', filter: {} })).toMatchObject(done(1, 1, 0));
  });
});

describe('the request', () => {
  test.each([
    {},
    { action: 'finish' },
    { action: 'explode', media_ids: [newId()] },
    { action: 'finish', media_ids: [] },
    { action: 'finish', media_ids: ['x'] },
    { action: 'finish', media_ids: [newId()], filter: {} },
    { action: 'finish', media_ids: [newId()], cursor: 'x' },
    { action: 'finish', media_ids: [newId()], library_id: newId() },
    { action: 'add', media_ids: [newId()] },
    { action: 'restore', filter: {} },
    { action: 'finish', filter: { limit: 3 } },
    { action: 'finish', filter: {}, cursor: 'nonsense' },
  ])('%j is 400', async (body) => {
    const ana = await createReader(app);
    expect(await change(ana, body)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test('names at most 200 media', async () => {
    const ana = await createReader(app);
    const media_ids = Array.from({ length: 201 }, newId);
    expect(await change(ana, { action: 'finish', media_ids })).toMatchObject(
      failure(400, 'E_INVALID_REQUEST'),
    );
    expect(await change(ana, { action: 'finish', media_ids: media_ids.slice(1) })).toMatchObject(
      done(0, 0, 200),
    );
  });

  test('with an Idempotency-Key, a repetition gets the first answer', async () => {
    const ana = await createReader(app);
    const media_ids = [await save(ana), await save(ana)];
    const send = () =>
      app.call('POST', '/media/bulk', {
        key: ana.key,
        body: { action: 'finish', media_ids },
        headers: { 'idempotency-key': 'once' },
      });
    expect([await send(), await send()]).toMatchObject([done(2, 0, 0), done(2, 0, 0)]);
  });
});
