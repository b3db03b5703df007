import { describe, expect, test } from 'vitest';
import { failure, useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import {
  createLibrary,
  createReader,
  invite,
  join,
  type Reader,
  saveMedia,
} from '../../../../test/support/libraries.ts';
import { type SavedFields, saveReady } from '../../../../test/support/saved-media.ts';

const database = useDatabase();
const app = useApp(database);
const save = (reader: Reader, fields: SavedFields = {}) => saveReady(database.sql, reader, fields);

interface Listed {
  titles: string[];
  ids: string[];
  total: number;
}

async function list(reader: Reader, query = ''): Promise<Listed> {
  const { status, body } = await reader.get(`/media?${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return {
    titles: body.data.map(({ title }: { title: string }) => title),
    ids: body.data.map(({ id }: { id: string }) => id),
    total: body.page.total,
  };
}

/** Reads all pages of a list, and runs something between them. */
async function walk(reader: Reader, query: string, between: () => Promise<unknown> = async () => undefined) {
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const { status, body } = await reader.get(`/media?${query}&${cursor}`);
    if (status !== 200) throw new Error(JSON.stringify(body));
    seen.push(...body.data.map(({ id }: { id: string }) => id));
    expect(body.page.has_more).toBe(body.page.next_cursor !== null);
    if (!body.page.has_more) return seen;
    cursor = `cursor=${body.page.next_cursor}`;
    await between();
  }
}

const put = (reader: Reader, id: string, body: object) =>
  app.call('PUT', `/media/${id}/reading`, { key: reader.key, body });

describe('reading progress', () => {
  test('is private, and part of every media object', async () => {
    const [ana, ben] = [await createReader(app), await createReader(app)];
    const libraryId = await createLibrary(ana);
    const id = await save(ana);
    await ana.post(`/libraries/${libraryId}/media`, { media_id: id });
    await join(ana, libraryId, ben);
    const position = { fragment_idx: 2, offset: 17 };
    const { status, body } = await put(ana, id, { progress: 0.25, position });
    expect([status, body.data]).toMatchObject([200, { progress: 0.25, position, finished_at: null }]);
    const reading = body.data;
    expect((await ana.get(`/media/${id}`)).body.data.reading).toEqual(reading);
    expect((await ana.get('/media')).body.data[0].reading).toEqual(reading);
    expect((await ana.get(`/libraries/${libraryId}/media`)).body.data[0].reading).toEqual(reading);
    expect((await ana.get('/api/v1/search?q=untitled')).body.data[0].media.reading).toEqual(reading);
    expect((await ben.get(`/media/${id}`)).body.data.reading).toBeNull();
  });

  test('the last write wins, and finished stays until it is set to false', async () => {
    const ana = await createReader(app);
    const id = await save(ana);
    const finished = (await put(ana, id, { progress: 1, finished: true })).body.data;
    expect(finished.finished_at).toMatch(/Z$/);
    const again = (await put(ana, id, { progress: 0.1 })).body.data;
    expect(again).toMatchObject({ progress: 0.1, position: null, finished_at: finished.finished_at });
    expect((await put(ana, id, { progress: 0.2, finished: true })).body.data.finished_at).toBe(
      finished.finished_at,
    );
    expect((await put(ana, id, { progress: 0.3, finished: false })).body.data.finished_at).toBeNull();
    const writes = await Promise.all(
      Array.from({ length: 20 }, (_, count) => put(ana, id, { progress: count / 20 })),
    );
    const last = writes
      .map(({ body }) => body.data)
      .toSorted((a, b) => a.updated_at.localeCompare(b.updated_at))
      .at(-1);
    const [row] = await database.sql`select progress, updated_at from media_readings where media_id = ${id}`;
    expect(row?.updated_at.toISOString()).toBe(last.updated_at);
  });

  test.each([
    {},
    { progress: -0.1 },
    { progress: 1.1 },
    { progress: 'half' },
    { progress: 0.5, position: 'x'.repeat(2048) },
    { progress: 0.5, position: 'NUL \0' },
    { progress: 0.5, position: ['ü'.repeat(1025)] },
    { progress: 0.5, more: 1 },
  ])('%j is 400', async (body) => {
    const ana = await createReader(app);
    expect(await put(ana, await save(ana), body)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test('of an unreadable media is 404 and is not stored', async () => {
    const [ana, ben] = [await createReader(app), await createReader(app)];
    const id = await save(ana);
    expect(await put(ben, id, { progress: 1 })).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    const libraryId = await createLibrary(ana);
    await ana.post(`/libraries/${libraryId}/media`, { media_id: id });
    await join(ana, libraryId, ben);
    expect((await put(ben, id, { progress: 0.5 })).status).toBe(200);
    await ana.delete(`/libraries/${libraryId}/members/${ben.id}`);
    expect(await put(ben, id, { progress: 1 })).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    const rows = await database.sql`select user_id, progress from media_readings where media_id = ${id}`;
    expect([...rows]).toEqual([{ user_id: ben.id, progress: 0.5 }]);
  });
});

describe('marking as unread', () => {
  const forget = (reader: Reader, id: string) => reader.delete(`/media/${id}/reading`);

  test('deletes the reader’s own progress only', async () => {
    const [ana, ben] = [await createReader(app), await createReader(app)];
    const libraryId = await createLibrary(ana);
    const id = await save(ana);
    await ana.post(`/libraries/${libraryId}/media`, { media_id: id });
    await join(ana, libraryId, ben);
    await put(ana, id, { progress: 1, finished: true });
    await put(ben, id, { progress: 0.5 });
    expect((await forget(ana, id)).status).toBe(204);
    expect((await ana.get(`/media/${id}`)).body.data.reading).toBeNull();
    expect(await list(ana, 'reading=unread')).toMatchObject({ ids: [id], total: 1 });
    expect((await ben.get(`/media/${id}`)).body.data.reading.progress).toBe(0.5);
    expect((await forget(ana, id)).status).toBe(204);
  });

  test('is 404 for an unreadable media, and keeps the progress', async () => {
    const [ana, ben] = [await createReader(app), await createReader(app)];
    const libraryId = await createLibrary(ana);
    const id = await save(ana);
    expect(await forget(ben, id)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    await ana.post(`/libraries/${libraryId}/media`, { media_id: id });
    await join(ana, libraryId, ben);
    await put(ben, id, { progress: 0.5 });
    await ana.delete(`/libraries/${libraryId}/members/${ben.id}`);
    expect(await forget(ben, id)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    const rows = await database.sql`select progress from media_readings where media_id = ${id}`;
    expect([...rows]).toEqual([{ progress: 0.5 }]);
  });
});

describe('filters', () => {
  test('work alone and combined, with the right total', async () => {
    const ana = await createReader(app);
    const one = await save(ana, { title: 'one', site: 'a.example', kind: 'pdf' });
    const two = await save(ana, { title: 'two', site: 'a.example' });
    await save(ana, { title: 'three', site: 'b.example' });
    const four = await saveMedia(database.sql, ana);
    await put(ana, one, { progress: 0.5 });
    await put(ana, two, { progress: 1, finished: true });
    expect(await list(ana)).toMatchObject({ total: 4 });
    expect(await list(ana, 'limit=1')).toMatchObject({ total: 4 });
    expect(await list(ana, 'kind=pdf')).toMatchObject({ titles: ['one'], total: 1 });
    expect(await list(ana, 'status=pending')).toMatchObject({ ids: [four], total: 1 });
    expect(await list(ana, 'site=a.example')).toMatchObject({ titles: ['two', 'one'], total: 2 });
    expect(await list(ana, 'reading=unread')).toMatchObject({
      titles: [expect.any(String), 'three'],
      total: 2,
    });
    expect(await list(ana, 'reading=reading')).toMatchObject({ titles: ['one'], total: 1 });
    expect(await list(ana, 'reading=finished')).toMatchObject({ titles: ['two'], total: 1 });
    expect(await list(ana, 'reading=finished&site=b.example')).toMatchObject({ titles: [], total: 0 });
    expect(await list(ana, 'site=a.example&kind=pdf&reading=reading&status=ready')).toMatchObject({
      titles: ['one'],
      total: 1,
    });
  });

  test.each([
    'kind=book',
    'status=lost',
    'reading=half',
    'sort=size',
    'order=up',
    'limit=201',
    'limit=0',
    'library_id=x',
    'site=',
    'cursor=bm9uc2Vuc2U',
  ])('%s is 400', async (query) => {
    const ana = await createReader(app);
    expect(await ana.get(`/media?${query}`)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test('the filter by library shows nothing to people who are not members', async () => {
    const [ana, ben] = [await createReader(app), await createReader(app)];
    const libraryId = await createLibrary(ana);
    const shared = await save(ana);
    await save(ana);
    await ana.post(`/libraries/${libraryId}/media`, { media_id: shared });
    expect(await list(ana, `library_id=${libraryId}`)).toMatchObject({ ids: [shared], total: 1 });
    // A media that somebody has saved does not disclose that a library contains it.
    await join(ana, libraryId, ben);
    await ben.post(`/libraries/${ben.defaultLibraryId}/media`, { media_id: shared });
    expect(await list(ben, `library_id=${libraryId}`)).toMatchObject({ total: 1 });
    await ana.delete(`/libraries/${libraryId}/members/${ben.id}`);
    expect(await list(ben, `library_id=${libraryId}`)).toMatchObject({ ids: [], total: 0 });
    expect((await ben.get(`/media/sites?library_id=${libraryId}`)).body.data).toEqual([]);
    expect(await list(ben)).toMatchObject({ ids: [shared], total: 1 });
    expect(await list(ben, `library_id=${ana.defaultLibraryId}`)).toMatchObject({ ids: [], total: 0 });
  });

  test('shared media are listed before any backfill, once, and until the membership ends', async () => {
    const [ana, ben] = [await createReader(app), await createReader(app)];
    const both = await save(ana, { title: 'both', site: 'a.example' });
    const libraries = [await createLibrary(ana), await createLibrary(ana)];
    for (const libraryId of libraries) {
      await ana.post(`/libraries/${libraryId}/media`, { media_id: both });
      await join(ana, libraryId, ben);
    }
    const own = await save(ben, { title: 'own' });
    expect(await list(ben, 'sort=title')).toMatchObject({ ids: [both, own], total: 2 });
    expect(await walk(ben, 'limit=1')).toHaveLength(2);
    expect((await ben.get('/media/sites')).body.data).toEqual([{ site: 'a.example', count: 1 }]);
    expect((await ben.get('/api/v1/search?q=both')).body.data).toHaveLength(1);
    for (const libraryId of libraries) await ana.delete(`/libraries/${libraryId}/members/${ben.id}`);
    expect(await list(ben)).toMatchObject({ ids: [own], total: 1 });
    expect((await ben.get('/media/sites')).body.data).toEqual([]);
    expect((await ben.get('/api/v1/search?q=both')).body.data).toEqual([]);
  });
});

describe('sorting', () => {
  const FIELDS: SavedFields[] = [
    { title: 'banana', published: '2020-05-01', words: 500 },
    { title: 'Apple', published: '2021', words: 100 },
    { title: 'cherry', published: null, words: null },
    { title: 'Éclair', published: '2019-12-31T10:00:00Z', words: 100 },
    { title: 'apple', published: '2020-05-01', words: 9000 },
  ];

  async function fruit(): Promise<Reader> {
    const ana = await createReader(app);
    for (const fields of FIELDS) await save(ana, fields);
    return ana;
  }

  test.each([
    ['', ['apple', 'Éclair', 'cherry', 'Apple', 'banana']],
    ['sort=added&order=asc', ['banana', 'Apple', 'cherry', 'Éclair', 'apple']],
    ['sort=title', ['Apple', 'apple', 'banana', 'cherry', 'Éclair']],
    ['sort=title&order=desc', ['Éclair', 'cherry', 'banana', 'apple', 'Apple']],
    ['sort=published', ['Apple', 'apple', 'banana', 'Éclair', 'cherry']],
    ['sort=published&order=asc', ['Éclair', 'banana', 'apple', 'Apple', 'cherry']],
    ['sort=length', ['apple', 'banana', 'Éclair', 'Apple', 'cherry']],
    ['sort=length&order=asc', ['Apple', 'Éclair', 'banana', 'apple', 'cherry']],
  ])('by "%s", unknown last, in pages of any size', async (query, expected) => {
    const ana = await fruit();
    const all = await list(ana, query);
    expect(all.titles).toEqual(expected);
    for (const limit of [1, 2, 3]) {
      expect(await walk(ana, `${query}&limit=${limit}`)).toEqual(all.ids);
      const inLibrary = `${query}&limit=${limit}&library_id=${ana.defaultLibraryId}`;
      expect(await walk(ana, inLibrary)).toEqual(all.ids);
    }
  });

  test.each(['sort=added', 'sort=title', 'sort=published&order=asc', 'sort=length'])(
    'pages of %s show what was there at the start exactly once, whatever is saved meanwhile',
    async (query) => {
      const ana = await fruit();
      const before = (await list(ana, query)).ids;
      let count = 0;
      const saveMore = () => {
        count += 1;
        return Promise.all([
          save(ana, { title: `aa ${count}`, published: '1990', words: 1 }),
          save(ana, { title: `zz ${count}`, published: '2030', words: 99_999 }),
          save(ana, { title: 'banana', published: null, words: null }),
        ]);
      };
      const seen = await walk(ana, `${query}&limit=2`, count < 5 ? saveMore : undefined);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.filter((id) => before.includes(id))).toEqual(before);
    },
  );

  test('by "sort=read", only what the person has started, the most recently read first', async () => {
    const [ana, ben] = [await createReader(app), await createReader(app)];
    const libraryId = await createLibrary(ana);
    const [first, second, third] = [await save(ana), await save(ana), await save(ana)];
    await save(ana);
    for (const id of [second, third]) await ana.post(`/libraries/${libraryId}/media`, { media_id: id });
    await join(ana, libraryId, ben);
    for (const id of [third, first, second]) await put(ana, id, { progress: 0.5 });
    await put(ben, third, { progress: 0.5 });
    expect(await list(ana, 'sort=read')).toMatchObject({ ids: [second, first, third], total: 3 });
    expect(await list(ana, 'sort=read&order=asc')).toMatchObject({ ids: [third, first, second], total: 3 });
    for (const limit of [1, 2])
      expect(await walk(ana, `sort=read&limit=${limit}`)).toEqual([second, first, third]);

    await put(ana, third, { progress: 1, finished: true });
    expect(await list(ana, 'sort=read')).toMatchObject({ ids: [third, second, first], total: 3 });
    expect(await list(ana, 'sort=read&reading=reading')).toMatchObject({ ids: [second, first], total: 2 });
    expect(await list(ana, 'sort=read&reading=finished')).toMatchObject({ ids: [third], total: 1 });
    expect(await list(ana, 'sort=read&reading=unread')).toMatchObject({ ids: [], total: 0 });
    const inLibrary = `sort=read&library_id=${libraryId}`;
    expect(await list(ana, inLibrary)).toMatchObject({ ids: [third, second], total: 2 });

    // Progress in something that cannot be read any more stays hidden.
    expect(await list(ben, 'sort=read')).toMatchObject({ ids: [third], total: 1 });
    await ana.delete(`/libraries/${libraryId}/members/${ben.id}`);
    expect(await list(ben, 'sort=read')).toMatchObject({ ids: [], total: 0 });
    expect(await list(ben, inLibrary)).toMatchObject({ ids: [], total: 0 });
  });

  test('media of the same time, and titles of any length and script, have a total order', async () => {
    const ana = await createReader(app);
    for (let count = 0; count < 6; count++) await save(ana, { title: `${'書'.repeat(990)}${count}` });
    await database.sql`update library_media set created_at = now() where library_id = ${ana.defaultLibraryId}`;
    for (const query of ['', 'sort=title', 'sort=title&order=desc', 'order=asc'])
      expect(await walk(ana, `${query}&limit=2`)).toEqual((await list(ana, query)).ids);
  });

  test('a cursor of another order is refused', async () => {
    const ana = await fruit();
    const { next_cursor } = (await ana.get('/media?sort=title&limit=1')).body.page;
    for (const query of ['sort=title&order=desc', 'sort=added', 'sort=length'])
      expect(await ana.get(`/media?${query}&cursor=${next_cursor}`)).toMatchObject(
        failure(400, 'E_INVALID_REQUEST'),
      );
    const forged = (key: unknown, id = ana.id) =>
      Buffer.from(JSON.stringify({ sort: 'added desc', key, id })).toString('base64url');
    for (const key of ['text', {}, null, 1e300, 'NaN'])
      expect((await ana.get(`/media?cursor=${forged(key)}`)).status, String(key)).toBe(400);
  });
});

test('each item has the date when it was added to the listed library', async () => {
  const ana = await createReader(app);
  const libraryId = await createLibrary(ana);
  const id = await save(ana);
  await database.sql`update library_media set created_at = '2020-01-01' where library_id = ${ana.defaultLibraryId}`;
  await ana.post(`/libraries/${libraryId}/media`, { media_id: id });
  expect((await ana.get('/media')).body.data[0].added_at).toBe('2020-01-01T00:00:00.000Z');
  expect((await ana.get(`/media?library_id=${libraryId}`)).body.data[0].added_at).toMatch(/^20[^2]|^202[^0]/);
});

test('sites are counted, most frequent first', async () => {
  const ana = await createReader(app);
  for (const site of ['b.example', 'a.example', 'b.example', null, 'c.example']) await save(ana, { site });
  expect((await ana.get('/media/sites')).body.data).toEqual([
    { site: 'b.example', count: 2 },
    { site: 'a.example', count: 1 },
    { site: 'c.example', count: 1 },
  ]);
});

test('libraries have the number of their media, and of those the viewer has not read', async () => {
  const [ana, ben] = [await createReader(app), await createReader(app)];
  const libraryId = await createLibrary(ana);
  const ids = [await save(ana), await save(ana), await save(ana)];
  for (const media_id of ids.slice(0, 2)) await ana.post(`/libraries/${libraryId}/media`, { media_id });
  await join(ana, libraryId, ben);
  await put(ana, ids[0] ?? '', { progress: 0.1 });
  await put(ana, ids[2] ?? '', { progress: 1, finished: true });
  const counts = async (reader: Reader) =>
    (await reader.get('/libraries')).body.data.map(
      ({ media_count, unread_count }: Record<string, number>) => [media_count, unread_count],
    );
  expect(await counts(ana)).toEqual([
    [3, 1],
    [2, 1],
  ]);
  expect((await counts(ben))[1]).toEqual([2, 2]);
  expect((await ana.get(`/libraries/${libraryId}`)).body.data).toMatchObject({
    media_count: 2,
    unread_count: 1,
  });
  expect((await ana.post('/libraries', { name: 'New' })).body.data).toMatchObject({
    media_count: 0,
    unread_count: 0,
  });
});

describe('people', () => {
  test('are found by the start of their names, eight at most, without disabled ones', async () => {
    const ana = await createReader(app);
    const actor = { name: 'test' };
    for (let count = 0; count < 10; count++)
      await app.services.users.create({ username: `zoe_${count}`, role: 'viewer' }, actor);
    const named = await app.services.users.create(
      { username: 'q-unrelated', display_name: 'Zoë Zoe_9 Smith', role: 'viewer' },
      actor,
    );
    const find = async (prefix: string) =>
      (await ana.get(`/api/v1/people?prefix=${encodeURIComponent(prefix)}`)).body.data;
    expect(await find('ZOE')).toHaveLength(8);
    expect((await find('zoe_3')).map(({ username }: { username: string }) => username)).toEqual(['zoe_3']);
    expect(await find('zoë')).toEqual([
      { id: named.id, username: 'q-unrelated', display_name: 'Zoë Zoe_9 Smith' },
    ]);
    expect(await find('zo%')).toEqual([]);
    expect(await find('zo\\')).toEqual([]);
    await app.services.users.update(named.id, { is_enabled: false }, actor);
    expect(await find('zoë')).toEqual([]);
    for (const query of ['', '?prefix=', '?prefix=z', '?prefix=%20z%20'])
      expect(await ana.get(`/api/v1/people${query}`)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    expect(await app.call('GET', '/api/v1/people?prefix=zoe')).toMatchObject(
      failure(401, 'E_UNAUTHENTICATED'),
    );
  });
});

test('an invitation alone shows nothing', async () => {
  const [ana, ben] = [await createReader(app), await createReader(app)];
  const libraryId = await createLibrary(ana);
  await ana.post(`/libraries/${libraryId}/media`, { media_id: await save(ana, { title: 'secret' }) });
  await invite(ana, libraryId, ben);
  expect(await list(ben, `library_id=${libraryId}`)).toMatchObject({ ids: [], total: 0 });
  expect((await ben.get('/api/v1/search?q=secret')).body.data).toEqual([]);
});
