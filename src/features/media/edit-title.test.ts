import { describe, expect, test } from 'vitest';
import { failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { silentLog } from '../../../test/support/jobs.ts';
import { createLibrary, createReader, findings, join, type Reader } from '../../../test/support/libraries.ts';
import { blockedOrDone, holdBeforeCommit } from '../../../test/support/races.ts';
import { type SavedFields, saveReady } from '../../../test/support/saved-media.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { createSearchCheck } from './integrity.ts';
import { createIngest } from './processing/ingest.ts';
import { retryMedia } from './processing/lifecycle.ts';
import { writeKnown } from './store.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const save = (reader: Reader, fields: SavedFields = {}) => saveReady(sql, reader, fields);
const edit = (reader: Reader, id: string, title: unknown, headers = {}) =>
  app.call('PATCH', `/media/${id}`, { key: reader.key, body: { title }, headers });
const titleOf = async (reader: Reader, id: string) => (await reader.get(`/media/${id}`)).body.data.title;
const found = async (reader: Reader, q: string) =>
  (await reader.get(`/api/v1/search?q=${q}`)).body.data.length;

describe('editing a title', () => {
  test('changes it for everybody, in lists and in the search', async () => {
    const [ana, ben] = [await createReader(app), await createReader(app)];
    const libraryId = await createLibrary(ana);
    const id = await save(ana, { title: 'Lighthouze', texts: ['One two three'] });
    await ana.post(`/libraries/${libraryId}/media`, { media_id: id });
    await join(ana, libraryId, ben);
    expect((await ana.get(`/media/${id}`)).body.data.may_edit_title).toBe(true);
    expect((await ben.get(`/media/${id}`)).body.data.may_edit_title).toBe(false);

    const edited = await edit(ana, id, '  Lighthouse  ');
    expect(edited).toMatchObject({ status: 200, body: { data: { title: 'Lighthouse' } } });
    expect([await titleOf(ana, id), await titleOf(ben, id)]).toEqual(['Lighthouse', 'Lighthouse']);
    expect((await ben.get('/media')).body.data[0].title).toBe('Lighthouse');
    expect([
      await found(ben, 'Lighthouse'),
      await found(ben, 'Lighthouze'),
      await found(ben, 'three'),
    ]).toEqual([1, 0, 1]);
    expect(await findings(sql, createSearchCheck(sql))).toEqual([]);

    const events = await sql`
      select payload from outbox_event where event_type = 'media.status_changed' and aggregate_id = ${id}`;
    expect([...events]).toEqual([
      { payload: { media_id: id, kind: 'web_article', processing_status: 'ready' } },
    ]);
    const audited = await sql`
      select actor, details ->> 'media_id' as id from audit_logs where action = 'media.title_edited'`;
    expect([...audited]).toEqual([{ actor: ana.user.username, id }]);
  });

  test('is refused for a link, which is one media for everybody who saved it', async () => {
    const ana = await createReader(app);
    const { media_id } = (await ana.post('/media', { url: `https://site.example/${newId()}` })).body.data;
    expect((await ana.get(`/media/${media_id}`)).body.data.may_edit_title).toBe(false);
    expect(await edit(ana, media_id, 'Nonsense')).toMatchObject(failure(403, 'E_FORBIDDEN'));
  });

  test('is refused to other members, and unknown to strangers', async () => {
    const [ana, ben, eve] = [await createReader(app), await createReader(app), await createReader(app)];
    const libraryId = await createLibrary(ana);
    const id = await save(ana, { title: 'Mine' });
    await ana.post(`/libraries/${libraryId}/media`, { media_id: id });
    await join(ana, libraryId, ben, 'admin');
    expect(await edit(ben, id, 'Theirs')).toMatchObject(failure(403, 'E_FORBIDDEN'));
    expect(await edit(eve, id, 'Hers')).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    expect(await titleOf(ana, id)).toBe('Mine');
    // A person who has removed their file cannot read it, and cannot edit it.
    await ana.delete(`/libraries/${libraryId}/media/${id}`);
    await ana.delete(`/media/${id}`);
    expect(await edit(ana, id, 'Gone')).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
  });

  test.each(['', '   ', 'two\nlines', 'bell \u0007', 'NUL \0', 7, null])('%j is 400', async (title) => {
    const ana = await createReader(app);
    const id = await save(ana, { title: 'Kept' });
    expect(await edit(ana, id, title)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    expect(await titleOf(ana, id)).toBe('Kept');
  });

  test('a title of more than 500 characters is 400', async () => {
    const ana = await createReader(app);
    const id = await save(ana);
    expect(await edit(ana, id, 'x'.repeat(501))).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    expect((await edit(ana, id, 'x'.repeat(500))).status).toBe(200);
  });

  test('with If-Match, the second of two edits of the same title is refused', async () => {
    const ana = await createReader(app);
    const id = await save(ana, { title: 'Draft' });
    const tag = (await ana.get(`/media/${id}`)).headers.get('etag') ?? '';
    // Reading progress is part of the answer, but not of the version.
    await app.call('PUT', `/media/${id}/reading`, { key: ana.key, body: { progress: 0.5 } });
    const answers = await Promise.all(
      ['One', 'Two', 'Three'].map((title) => edit(ana, id, title, { 'if-match': tag })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 412, 412]);
    const won = answers.find(({ status }) => status === 200);
    expect(await titleOf(ana, id)).toBe(won?.body.data.title);
    const next = await edit(ana, id, 'Four', { 'if-match': won?.headers.get('etag') ?? '' });
    expect(next.status).toBe(200);
  });

  test('while the search rows are built waits for them, and is found afterwards', async () => {
    const ana = await createReader(app);
    const id = await save(ana, { title: 'Befor', texts: ['Text'] });
    const jobId = newId();
    await sql`update media set processing_status = 'ready_for_reading', job_id = ${jobId} where id = ${id}`;
    const held = holdBeforeCommit(sql, { skip: 1 });
    const { indexType } = createIngest({ sql: held.sql, extractors: new Map() } as never);
    const complete = async () => {};
    const indexing = indexType.handler({ media_id: id }, { jobId, log: silentLog, complete } as never);
    await held.reached;
    const editing = edit(ana, id, 'After');
    expect(await blockedOrDone(sql, editing)).toBe('blocked');
    held.letGo();
    await indexing;
    expect((await editing).status).toBe(200);
    expect([await found(ana, 'After'), await found(ana, 'Befor')]).toEqual([1, 0]);
    expect(await findings(sql, createSearchCheck(sql))).toEqual([]);
  });

  test('survives extraction and a retry; a title that nobody edited does not', async () => {
    const ana = await createReader(app);
    const [edited, plain] = [await save(ana, { title: 'Old' }), await save(ana, { title: 'Old' })];
    await edit(ana, edited, 'By hand');
    const fail = (id: string) => sql`
      update media
      set processing_status = 'failed', failure_stage = 'extract', last_error_code = 'E_TIMEOUT',
          last_error_message = 'Slow', failed_at = now(), given_title = 'example.org'
      where id = ${id}`;
    for (const id of [edited, plain]) {
      await transaction(sql, (tx) => writeKnown(tx, id, { title: 'Extracted', metadata: {} }));
      await fail(id);
      await transaction(sql, (tx) => retryMedia(tx, id));
    }
    expect([await titleOf(ana, edited), await titleOf(ana, plain)]).toEqual(['By hand', 'example.org']);
    for (const id of [edited, plain])
      await transaction(sql, (tx) => writeKnown(tx, id, { title: 'Again', metadata: {} }));
    expect([await titleOf(ana, edited), await titleOf(ana, plain)]).toEqual(['By hand', 'Again']);
  });
});
