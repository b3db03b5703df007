import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failure, useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { makePdf } from '../../../../test/support/fixtures/pdf.ts';
import {
  auditOf,
  closureOf,
  createLibrary,
  createReader,
  join,
  type Reader,
} from '../../../../test/support/libraries.ts';
import { blockedOrDone, holdBeforeCommit } from '../../../../test/support/races.ts';
import type { Database } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { newId } from '../../../platform/ids.ts';
import { countHighlights } from '../../highlights/store.ts';
import { createLibraries } from '../../libraries/libraries.ts';
import { createMembers } from '../../libraries/sharing/members.ts';
import { saveLinks } from './save-links.ts';
import { readLink } from './url.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const connections = database.twoConnections();
const actor = { name: 'test' };

let owner: Reader;
let admin: Reader;
let library: string;
let url: string;

beforeEach(async () => {
  [owner, admin] = [await createReader(app), await createReader(app)];
  library = await createLibrary(owner);
  await join(owner, library, admin, 'admin');
  await sql`update default_library_backfill_jobs set status = 'completed', finished_at = now()`;
  url = `https://example.org/${newId()}`;
});

afterEach(async () => expect(await auditOf(sql)).toEqual([]));

const save = (by: Reader, library_id?: string) => by.post('/media/from_url', { url, library_id });
const isListed = async (libraryId: string, mediaId: string) => {
  const rows = await sql`
    select from library_media where library_id = ${libraryId} and media_id = ${mediaId}`;
  return rows.length === 1;
};
const countMedia = async () => (await sql<[{ n: number }]>`select count(*) as n from media`)[0].n;
const eventsOf = async (mediaId: string) =>
  (
    await sql<{ event_type: string; library_id: string | null }[]>`
      select event_type, payload ->> 'library_id' as library_id
      from outbox_event
      where payload ->> 'media_id' = ${mediaId}
      order by id`
  ).map(({ event_type, library_id }) => [event_type, library_id]);

describe('saving a link into a library', () => {
  test.each([
    ['/api/v1/media', {}],
    ['/media/from_url', {}],
    ['/media/url', { kind: 'web_article' }],
  ])('%s lists it in the library and saves it in the default library', async (path, fields) => {
    const { status, body } = await admin.post(path, { url, library_id: library, ...fields });
    expect([status, body.data]).toEqual([
      201,
      { media_id: body.data.media_id, created: true, enqueued: true },
    ]);
    const { media_id } = body.data;
    expect(await isListed(library, media_id)).toBe(true);
    expect(await closureOf(sql, admin.defaultLibraryId, media_id)).toEqual({
      listed: true,
      intrinsic: true,
      edges: [library],
    });
    expect((await owner.get(`/media/${media_id}`)).status).toBe(200);
    expect(await eventsOf(media_id)).toEqual([
      ['library.media_added', library],
      ['library.media_added', admin.defaultLibraryId],
      ['media.created', null],
    ]);
  });

  test('a retry after a lost answer changes nothing and emits nothing', async () => {
    const { media_id } = (await save(admin, library)).body.data;
    const before = await eventsOf(media_id);
    const again = await save(admin, library);
    expect([again.status, again.body.data]).toEqual([200, { media_id, created: false, enqueued: false }]);
    expect(await eventsOf(media_id)).toEqual(before);
  });

  test('a known link is added to a library that does not list it yet', async () => {
    const { media_id } = (await save(admin)).body.data;
    expect((await save(admin, library)).status).toBe(200);
    expect(await isListed(library, media_id)).toBe(true);
  });

  test('a link that was removed and saved again emits both times', async () => {
    const { media_id } = (await save(admin, library)).body.data;
    expect((await admin.delete(`/libraries/${library}/media/${media_id}`)).status).toBe(204);
    await save(admin, library);
    const types = (await eventsOf(media_id)).filter(([, id]) => id === library).map(([type]) => type);
    expect(types).toEqual(['library.media_added', 'library.media_removed', 'library.media_added']);
  });

  test('the default library may be named, too', async () => {
    const { body } = await save(admin, admin.defaultLibraryId);
    expect(await eventsOf(body.data.media_id)).toEqual([
      ['library.media_added', admin.defaultLibraryId],
      ['media.created', null],
    ]);
  });

  test('a member who is no admin gets 403, a stranger 404, and nothing is saved', async () => {
    const [member, stranger] = [await createReader(app), await createReader(app)];
    await join(owner, library, member);
    await sql`update default_library_backfill_jobs set status = 'completed', finished_at = now()`;
    const before = await countMedia();
    expect(await save(member, library)).toMatchObject(failure(403, 'E_FORBIDDEN'));
    expect(await save(stranger, library)).toMatchObject(failure(404, 'E_LIBRARY_NOT_FOUND'));
    expect(await save(stranger, newId())).toMatchObject(failure(404, 'E_LIBRARY_NOT_FOUND'));
    expect(await countMedia()).toBe(before);
  });
});

describe('at the same time', () => {
  /** Runs `change` up to its commit, lets `admin` save, and commits the change while the save waits. */
  async function saveDuring(change: (on: Database) => Promise<unknown>) {
    const held = holdBeforeCommit(connections[0]);
    const changed = change(held.sql);
    await held.reached;
    const saved = save(admin, library);
    expect(await blockedOrDone(sql, saved)).toBe('blocked');
    held.letGo();
    await changed;
    return saved;
  }

  test.each<[string, (on: Database) => Promise<unknown>, Parameters<typeof failure>]>([
    [
      'demoted',
      (on) =>
        createMembers({ sql: on, countHighlights }).changeRole(
          owner.id,
          library,
          { memberId: admin.id, role: 'member' },
          actor,
        ),
      [403, 'E_FORBIDDEN'],
    ],
    [
      'removed',
      (on) => createMembers({ sql: on, countHighlights }).remove(owner.id, library, admin.id, actor),
      [404, 'E_LIBRARY_NOT_FOUND'],
    ],
    [
      'left without the library, which is deleted,',
      (on) => createLibraries({ sql: on }).delete(owner.id, library, actor),
      [404, 'E_LIBRARY_NOT_FOUND'],
    ],
  ])('an admin who is %s while saving is refused, and nothing is saved', async (_case, change, expected) => {
    const before = await countMedia();
    expect(await saveDuring(change)).toMatchObject(failure(...expected));
    expect(await countMedia()).toBe(before);
  });

  test('a library that is deleted after the save takes only its own listing with it', async () => {
    const held = holdBeforeCommit(connections[0]);
    const viewer = { user_id: admin.id, default_library_id: admin.defaultLibraryId };
    const ingest = { enqueueProcessing: async () => [], hasJob: () => false };
    const options = { ingest, libraryId: library, createdBy: undefined, requestId: undefined };
    const saving = transaction(held.sql, async (tx) => [
      ...(await saveLinks(tx, viewer, [readLink('web_article', new URL(url))], options)).values(),
    ]);
    await held.reached;
    const deleted = createLibraries({ sql: connections[1] }).delete(owner.id, library, actor);
    expect(await blockedOrDone(sql, deleted)).toBe('blocked');
    held.letGo();
    const [saved] = await saving;
    await deleted;
    expect(await closureOf(sql, admin.defaultLibraryId, saved?.media_id ?? '')).toEqual({
      listed: true,
      intrinsic: true,
      edges: [],
    });
  });

  test('the same link saved ten times at once is one media, listed once and created once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => save(index % 2 === 0 ? owner : admin, library)),
    );
    const ids = new Set(answers.map(({ body }) => body.data.media_id));
    expect(ids.size).toBe(1);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const types = (await eventsOf([...ids][0] ?? '')).map(([type]) => type);
    expect(types.toSorted()).toEqual([
      'library.media_added',
      'library.media_added',
      'library.media_added',
      'media.created',
    ]);
  });
});

describe('uploading a file into a library', () => {
  const upload = async (by: Reader, title: string) => {
    const bytes = Buffer.from(makePdf({ pages: [[title]], title }));
    const { body } = await by.post('/media/upload/init', {
      kind: 'pdf',
      filename: 'file.pdf',
      content_type: 'application/pdf',
      size_bytes: bytes.length,
    });
    const { upload_url, upload_headers, media_id } = body.data;
    await fetch(new URL(upload_url, app.url), {
      method: 'PUT',
      headers: upload_headers,
      body: new Uint8Array(bytes),
    });
    return media_id as string;
  };
  const ingest = (by: Reader, id: string, library_id?: string) =>
    by.post(`/media/${id}/ingest`, library_id && { library_id });

  test('lists it in the library once it is ingested, and again after a lost answer', async () => {
    const id = await upload(admin, newId());
    expect(await isListed(library, id)).toBe(false);
    for (const _time of ['first', 'repeated']) {
      const { status, body } = await ingest(admin, id, library);
      expect([status, body.data]).toEqual([200, { media_id: id, duplicate: false, enqueued: true }]);
    }
    expect(await isListed(library, id)).toBe(true);
    expect((await eventsOf(id)).filter(([, to]) => to === library)).toHaveLength(1);
  });

  test('lists the existing media when the file was uploaded before', async () => {
    const title = newId();
    const first = await upload(admin, title);
    await ingest(admin, first);
    const second = await upload(admin, title);
    expect((await ingest(admin, second, library)).body.data).toMatchObject({
      media_id: first,
      duplicate: true,
    });
    expect(await isListed(library, first)).toBe(true);
  });

  test('is refused for a library of others, and can be finished without it', async () => {
    const stranger = await createReader(app);
    const id = await upload(stranger, newId());
    expect(await ingest(stranger, id, library)).toMatchObject(failure(404, 'E_LIBRARY_NOT_FOUND'));
    expect((await ingest(stranger, id)).status).toBe(200);
    expect(await isListed(library, id)).toBe(false);
  });
});
