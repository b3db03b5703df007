import { beforeAll, describe, expect, test } from 'vitest';
import { failure, useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { createLibrary, createReader, join, type Reader } from '../../../../test/support/libraries.ts';
import { type SavedFields, saveReady } from '../../../../test/support/saved-media.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { newId } from '../../../platform/ids.ts';
import { moveHighlights } from '../../highlights/placement.ts';
import { replaceByKnown } from '../saving/unite-media.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const save = (reader: Reader, fields: SavedFields = {}) => saveReady(sql, reader, fields);

let ana: Reader;
let ben: Reader;
beforeAll(async () => {
  [ana, ben] = [await createReader(app), await createReader(app)];
});

const NOTHING = { tags: [], is_favourite: false, is_archived: false, title: null, note: null };
const pathOf = (mediaId: string) => `/api/v1/media/${mediaId}/mine`;
const edit = async (reader: Reader, mediaId: string, body: object) => {
  const answer = await reader.patch(pathOf(mediaId), body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.data;
};
const tagsOf = async (reader: Reader) =>
  (await reader.get('/api/v1/tags')).body.data as { id: string; name: string; media_count: number }[];
const tagNamed = async (reader: Reader, name: string) =>
  (await tagsOf(reader)).find((tag) => tag.name === name) ?? expect.fail(`there is no tag ${name}`);
const idsOf = async (reader: Reader, query: string) =>
  (await reader.get(`/media?${query}`)).body.data.map(({ id }: { id: string }) => id).sort();

describe('what a person keeps about a media', () => {
  test('is changed field by field, and seen by nobody else', async () => {
    const libraryId = await createLibrary(ana);
    const mediaId = await save(ana, { title: 'Common' });
    await ana.post(`/libraries/${libraryId}/media`, { media_id: mediaId });
    await join(ana, libraryId, ben);
    expect((await ana.get(`/media/${mediaId}`)).body.data.mine).toEqual(NOTHING);
    await edit(ana, mediaId, { tags: ['Sea', 'art / old'], note: 'A *note*', title: 'My own' });
    const after = await edit(ana, mediaId, { is_favourite: true, is_archived: true });
    expect(after).toEqual({
      tags: ['art/old', 'Sea'],
      is_favourite: true,
      is_archived: true,
      title: 'My own',
      note: 'A *note*',
    });
    const [listed] = (await ana.get('/media?limit=1')).body.data;
    expect(listed).toMatchObject({ title: 'Common', mine: after });
    expect((await ben.get(`/media/${mediaId}`)).body.data).toMatchObject({ title: 'Common', mine: NOTHING });
    expect(await tagsOf(ben)).toEqual([]);
    expect(await edit(ana, mediaId, { tags: [], title: '', note: null })).toMatchObject({
      ...NOTHING,
      is_favourite: true,
      is_archived: true,
    });
  });

  test('stays when access is lost, unseen, and is there again when it comes back', async () => {
    const libraryId = await createLibrary(ana);
    const mediaId = await save(ana);
    await ana.post(`/libraries/${libraryId}/media`, { media_id: mediaId });
    await join(ana, libraryId, ben);
    await edit(ben, mediaId, { tags: ['kept'] });
    await ana.delete(`/libraries/${libraryId}/members/${ben.id}`);
    expect(await ben.get(pathOf(mediaId))).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    expect(await ben.patch(pathOf(mediaId), { is_favourite: true })).toMatchObject(
      failure(404, 'E_MEDIA_NOT_FOUND'),
    );
    expect(await idsOf(ben, 'tag=kept')).toEqual([]);
    expect((await tagNamed(ben, 'kept')).media_count).toBe(0);
    await join(ana, libraryId, ben);
    expect(await idsOf(ben, 'tag=kept')).toEqual([mediaId]);
    expect(await ben.patch(pathOf(newId()), {})).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
  });

  test.each([
    ['an empty tag', { tags: [''] }],
    ['a tag with an empty part', { tags: ['a//b'] }],
    ['a tag that ends with /', { tags: ['a/ '] }],
    ['a quotation mark', { tags: ['a"b'] }],
    ['a comma', { tags: ['a,b'] }],
    ['a tag that is too long', { tags: ['x'.repeat(65)] }],
    ['a tag that is too long once it is normalised', { tags: ['\u0958'.repeat(40)] }],
    ['too many tags', { tags: Array.from({ length: 101 }, (_, index) => `t${index}`) }],
    ['a title with a line break', { title: 'a\nb' }],
    ['an unknown field', { favourite: true }],
  ])('%s is refused', async (_, body) => {
    const mediaId = await save(ana);
    expect(await ana.patch(pathOf(mediaId), body)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test('is not overwritten by somebody who has not seen the last change', async () => {
    const mediaId = await save(ana);
    const { headers } = await ana.get(pathOf(mediaId));
    const write = (note: string) =>
      app.call('PATCH', pathOf(mediaId), {
        key: ana.key,
        body: { note },
        headers: { 'if-match': headers.get('etag') ?? '' },
      });
    expect((await write('first')).status).toBe(200);
    expect(await write('second')).toMatchObject(failure(412, 'E_PRECONDITION_FAILED'));
  });

  test('goes over to the media that replaces it', async () => {
    const [loser, winner] = [await save(ana), await save(ana)];
    await edit(ana, loser, { tags: ['one', 'both'], note: 'From here', is_favourite: true });
    await edit(ana, winner, { tags: ['two', 'both'], note: 'From there' });
    await transaction(sql, (tx) => replaceByKnown(tx, loser, winner, moveHighlights));
    expect((await ana.get(pathOf(winner))).body.data).toMatchObject({
      tags: ['both', 'one', 'two'],
      is_favourite: true,
      note: 'From there\n\nFrom here',
    });
  });

  test('events reach the person alone', async () => {
    const libraryId = await createLibrary(ana);
    const mediaId = await save(ana);
    await ana.post(`/libraries/${libraryId}/media`, { media_id: mediaId });
    await join(ana, libraryId, ben);
    // The second time, nothing changes.
    for (let time = 0; time < 2; time += 1) {
      const own = { is_favourite: true, title: 'My title', note: 'A secret note' };
      await edit(ana, mediaId, { tags: ['quiet'], is_archived: true, ...own });
    }
    const types = 'media.tagged,media.archived,media.favourited,media.titled,media.noted';
    const typesOf = async (reader: Reader) => {
      const { body } = await reader.get(`/api/v1/events?limit=200&types=${types}`);
      expect(JSON.stringify(body)).not.toMatch(/My title|secret/);
      return body.data
        .filter(({ data }: { data: { media_id: string } }) => data.media_id === mediaId)
        .map(({ type }: { type: string }) => type);
    };
    const own = ['media.archived', 'media.favourited', 'media.titled', 'media.noted', 'media.tagged'];
    // The feed shows an event once all older transactions of the server have ended.
    await expect.poll(() => typesOf(ana), { timeout: 20_000 }).toEqual(own);
    expect(await typesOf(ben)).toEqual([]);
    // Many at once.
    const bulk = { media_ids: [mediaId], action: 'unfavourite' };
    await ana.post('/media/bulk', bulk);
    await ana.post('/media/bulk', bulk);
    await expect.poll(() => typesOf(ana), { timeout: 20_000 }).toEqual([...own, 'media.favourited']);
  });
});

describe('tags', () => {
  test('are the same in upper and lower case, and keep their first spelling', async () => {
    const reader = await createReader(app);
    const [one, two] = [await save(reader), await save(reader)];
    await edit(reader, one, { tags: ['Réading', 'réading'] });
    expect(await edit(reader, two, { tags: ['RÉADING'] })).toMatchObject({ tags: ['Réading'] });
    expect(await tagsOf(reader)).toMatchObject([{ name: 'Réading', media_count: 2 }]);
  });

  test('made by several requests at once are made once', async () => {
    const reader = await createReader(app);
    const media = await Promise.all(Array.from({ length: 8 }, () => save(reader)));
    await Promise.all(media.map((id) => edit(reader, id, { tags: ['new', 'b', 'c'] })));
    expect(await tagsOf(reader)).toMatchObject(['b', 'c', 'new'].map((name) => ({ name, media_count: 8 })));
  });

  test('are renamed with those below them, and merged where the name is taken', async () => {
    const reader = await createReader(app);
    const [one, two] = [await save(reader), await save(reader)];
    await edit(reader, one, { tags: ['food', 'food/bread', 'food/food', 'foods'] });
    await edit(reader, two, { tags: ['cooking/bread', 'cooking'] });
    const food = await tagNamed(reader, 'food');
    const cooking = await tagNamed(reader, 'cooking');
    const renamed = await reader.patch(`/api/v1/tags/${food.id}`, { name: 'cooking' });
    expect(renamed.body.data).toMatchObject({ id: cooking.id, name: 'cooking', media_count: 2 });
    expect((await tagsOf(reader)).map(({ name, media_count }) => [name, media_count])).toEqual([
      ['cooking', 2],
      ['cooking/bread', 2],
      ['cooking/food', 1],
      ['foods', 1],
    ]);
    // Into itself, and back.
    await reader.patch(`/api/v1/tags/${cooking.id}`, { name: 'cooking/food' });
    expect((await tagsOf(reader)).map(({ name }) => name)).toEqual([
      'cooking/food',
      'cooking/food/bread',
      'cooking/food/food',
      'foods',
    ]);
    await reader.patch(`/api/v1/tags/${cooking.id}`, { name: 'Cooking' });
    expect((await tagsOf(reader)).map(({ name }) => name)).toEqual([
      'Cooking',
      'Cooking/bread',
      'Cooking/food',
      'foods',
    ]);
    const long = await reader.patch(`/api/v1/tags/${cooking.id}`, { name: 'x'.repeat(60) });
    expect(long).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test('that are renamed, merged or deleted emit one event for each media that has them', async () => {
    const reader = await createReader(app);
    const [one, two, three] = [await save(reader), await save(reader), await save(reader)];
    await edit(reader, one, { tags: ['sea', 'sea/tides'] });
    await edit(reader, two, { tags: ['sea/tides'] });
    await edit(reader, three, { tags: ['seaside'] });
    const emitted = async () => {
      const events = await sql<{ payload: { media_id: string } }[]>`
        with gone as (
          delete from outbox_event
          where event_type = 'media.tagged' and payload ->> 'user_id' = ${reader.id}
          returning payload
        )
        select payload from gone`;
      for (const { payload } of events) expect(payload).toMatchObject({ is_private: true });
      return events.map(({ payload }) => payload.media_id).sort();
    };
    await emitted();
    const change = async (from: string, name: string) => {
      const { id } = await tagNamed(reader, from);
      expect((await reader.patch(`/api/v1/tags/${id}`, { name })).status).toBe(200);
      return emitted();
    };
    expect(await change('sea', 'ocean')).toEqual([one, two].sort());
    expect(await change('ocean', 'Ocean')).toEqual([one, two].sort());
    expect(await change('Ocean', 'Ocean')).toEqual([]);
    // The media of the tag that stays have not changed.
    expect(await change('Ocean/tides', 'seaside')).toEqual([one, two].sort());
    const { id } = await tagNamed(reader, 'seaside');
    expect((await reader.delete(`/api/v1/tags/${id}`)).status).toBe(204);
    expect(await emitted()).toEqual([one, two, three].sort());
    await reader.delete(`/api/v1/tags/${id}`);
    expect(await emitted()).toEqual([]);
  });

  test('of others do not exist', async () => {
    const mediaId = await save(ana);
    await edit(ana, mediaId, { tags: ['secret'] });
    const { id } = await tagNamed(ana, 'secret');
    expect(await ben.get(`/api/v1/tags/${id}`)).toMatchObject(failure(404, 'E_NOT_FOUND'));
    expect(await ben.patch(`/api/v1/tags/${id}`, { name: 'x' })).toMatchObject(failure(404, 'E_NOT_FOUND'));
    expect(await ben.delete(`/api/v1/tags/${id}`)).toMatchObject(failure(404, 'E_NOT_FOUND'));
    expect((await ana.delete(`/api/v1/tags/${id}`)).status).toBe(204);
    expect((await ana.delete(`/api/v1/tags/${id}`)).status).toBe(204);
    expect((await ana.get(pathOf(mediaId))).body.data.tags).toEqual([]);
  });

  test('are counted by level, each media once, also where only tags below exist', async () => {
    const reader = await createReader(app);
    const [one, two, lost] = [await save(reader), await save(reader), await save(reader)];
    await edit(reader, one, { tags: ['Sea', 'sea/tides', 'sea/tides/neap'] });
    await edit(reader, two, { tags: ['sea/tides', 'art/old'] });
    await edit(reader, lost, { tags: ['sea', 'art/old', 'alone'] });
    await edit(ana, await save(ana), { tags: ['sea', 'art/new'] });
    await reader.delete(`/media/${lost}`);
    const levels = async (query = '') => (await reader.get(`/api/v1/tags/tree${query}`)).body;
    const of = (
      name: string,
      media_count: number,
      nested_count: number,
      tag_id: unknown = expect.any(String),
    ) => ({
      name,
      tag_id,
      media_count,
      nested_count,
    });
    const all = [
      of('alone', 0, 0),
      of('art', 0, 1, null),
      of('art/old', 1, 1),
      of('Sea', 1, 2),
      of('sea/tides', 2, 2),
      of('sea/tides/neap', 1, 1),
    ];
    expect((await levels()).data).toEqual(all);
    const { data, page } = await levels('?limit=2');
    expect(data).toEqual(all.slice(0, 2));
    expect((await levels(`?limit=10&cursor=${page.next_cursor}`)).data).toEqual(all.slice(2));
    expect(await ben.get('/api/v1/tags/tree?limit=0')).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test('are completed by how a part of their name begins, page by page', async () => {
    const reader = await createReader(app);
    await edit(reader, await save(reader), { tags: ['art', 'art/old', 'modern/art', 'heart', 'A_x', 'A%'] });
    const names = async (query: string) =>
      (await reader.get(`/api/v1/tags?${query}`)).body.data.map(({ name }: { name: string }) => name);
    expect(await names('prefix=AR')).toEqual(['art', 'art/old', 'modern/art']);
    expect(await names('prefix=a_')).toEqual(['A_x']);
    const first = await reader.get('/api/v1/tags?limit=4');
    expect(await names(`limit=4&cursor=${first.body.page.next_cursor}`)).toEqual(['heart', 'modern/art']);
  });
});

describe('lists', () => {
  test('are filtered by tag, favourite and archive, alone and with other filters', async () => {
    const reader = await createReader(app);
    const media = await Promise.all(
      ['web_article', 'web_article', 'pdf', 'pdf'].map((kind) => save(reader, { kind })),
    );
    const [a, b, c, d] = media as [string, string, string, string];
    await edit(reader, a, { tags: ['x/y'], is_favourite: true });
    await edit(reader, b, { tags: ['x'], is_archived: true });
    await edit(reader, c, { tags: ['xx'], is_favourite: true, is_archived: true });
    await app.call('PUT', `/media/${a}/reading`, { key: reader.key, body: { progress: 1, finished: true } });
    const check = async (query: string, ...expected: string[]) => {
      expect(await idsOf(reader, query), query).toEqual(expected.sort());
      expect((await reader.get(`/media?${query}`)).body.page.total, query).toBe(expected.length);
    };
    for (const order of ['', '&sort=title', '&sort=length&order=asc', '&limit=200']) {
      await check(`tag=x${order}`, a, b);
      await check(`tag=X/Y${order}`, a);
      await check(`tag=none${order}`);
      await check(`favourite=true${order}`, a, c);
      await check(`favourite=false${order}`, b, d);
      await check(`archived=false${order}`, a, d);
      await check(`archived=true${order}`, b, c);
      await check(`archived=false&favourite=true${order}`, a);
      await check(`archived=false&reading=unread${order}`, d);
      await check(`archived=false&reading=finished${order}`, a);
      await check(`archived=true&kind=pdf${order}`, c);
      await check(`archived=false&kind=pdf${order}`, d);
      await check(`tag=x&archived=false&reading=unread${order}`);
      await check(`tag=x&reading=unread${order}`, b);
    }
    await check('sort=read&archived=false', a);
    await check('sort=read&tag=xx');
    expect(await reader.get('/media?archived=maybe')).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test('and their media are changed with one request', async () => {
    const reader = await createReader(app);
    const [a, b, foreign] = [await save(reader), await save(reader), await save(ana)];
    const change = (body: object) => reader.post('/media/bulk', body);
    const media_ids = [a, b, foreign];
    const done = (changed: number, unchanged: number, not_found: number) => ({
      status: 200,
      body: { data: { changed, unchanged, not_found } },
    });
    expect(await change({ action: 'tag', tags: ['q', 'r'], media_ids })).toMatchObject(done(2, 0, 1));
    expect(await change({ action: 'tag', tags: ['Q'], media_ids })).toMatchObject(done(0, 2, 1));
    expect(await change({ action: 'untag', tags: ['Q'], filter: { tag: 'r' } })).toMatchObject(done(2, 0, 0));
    expect((await reader.get(pathOf(a))).body.data.tags).toEqual(['r']);
    expect(await change({ action: 'archive', media_ids: [a] })).toMatchObject(done(1, 0, 0));
    expect(await change({ action: 'favourite', filter: { archived: false } })).toMatchObject(done(1, 0, 0));
    expect(await idsOf(reader, 'favourite=true')).toEqual([b]);
    expect(await change({ action: 'unarchive', filter: {} })).toMatchObject(done(1, 1, 0));
    expect(await change({ action: 'unfavourite', filter: {} })).toMatchObject(done(1, 1, 0));
    for (const body of [
      { action: 'tag', media_ids },
      { action: 'finish', tags: ['x'], media_ids },
    ]) {
      expect(await change(body)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    }
    expect((await ana.get(pathOf(foreign))).body.data.tags).toEqual([]);
  });

  test('a media with 100 tags gets no more of them, and its tags can still be edited', async () => {
    const reader = await createReader(app);
    const [full, other] = [await save(reader), await save(reader)];
    const names = Array.from({ length: 100 }, (_, n) => `t${n}`);
    const tag = (tags: string[]) =>
      reader.post('/media/bulk', { action: 'tag', tags, media_ids: [full, other] });
    expect((await reader.patch(pathOf(full), { tags: names })).status).toBe(200);
    expect((await tag(['one more'])).body.data).toMatchObject({ changed: 1, unchanged: 1 });
    expect((await tag(['T1', 't2'])).body.data).toMatchObject({ changed: 1, unchanged: 1 });
    expect((await reader.get(pathOf(full))).body.data.tags).toHaveLength(100);
    expect((await reader.get(pathOf(other))).body.data.tags).toEqual(['one more', 't1', 't2']);
    expect((await reader.patch(pathOf(full), { tags: names.slice(1) })).status).toBe(200);
  });

  test('a link is saved with its tags', async () => {
    const url = 'https://tagged.example/article';
    const saved = await ana.post('/api/v1/media', { url, tags: ['on saving'] });
    expect((await ana.get(pathOf(saved.body.data.media_id))).body.data.tags).toEqual(['on saving']);
    await ana.post('/api/v1/media', { url, tags: ['again'] });
    expect((await ana.get(pathOf(saved.body.data.media_id))).body.data.tags).toEqual(['again', 'on saving']);
  });
});
