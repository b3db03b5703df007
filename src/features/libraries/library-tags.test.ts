import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { createLibrary, createReader, join, type Reader } from '../../../test/support/libraries.ts';
import { blockedOrDone, holdBeforeCommit } from '../../../test/support/races.ts';
import { saveReady } from '../../../test/support/saved-media.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { replaceMedia } from './closure/forget-media.ts';
import { lockListings } from './closure/lock-contents.ts';
import { createLibraryMedia } from './library-media.ts';
import { createLibraryTags } from './library-tags.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const connections = database.twoConnections();

let owner: Reader;
let contributor: Reader;
let member: Reader;
let stranger: Reader;
let library: string;
let media: string;

beforeAll(async () => {
  const people = [];
  for (let n = 0; n < 4; n++) people.push(await createReader(app));
  [owner, contributor, member, stranger] = people as [Reader, Reader, Reader, Reader];
});

beforeEach(async () => {
  library = await createLibrary(owner);
  await join(owner, library, contributor, 'contributor');
  await join(owner, library, member);
  media = await saveReady(sql, owner);
  await owner.post(`/libraries/${library}/media`, { media_id: media });
});

const tag = (by: Reader, tags: unknown, mediaId = media, libraryId = library) =>
  by.patch(`/libraries/${libraryId}/media/${mediaId}`, { tags });
const tagsSeenBy = async (by: Reader, path = `/libraries/${library}/media`) => {
  const { body } = await by.get(path);
  return body.data.find(({ id }: { id: string }) => id === media)?.library_tags;
};

describe('the tags of a media in a library', () => {
  test('are set by those who may add, and seen by all members, not only on their own media', async () => {
    expect((await tag(contributor, ['Sea/Tides', 'to discuss'])).body.data).toEqual({
      library_id: library,
      media_id: media,
      library_tags: ['Sea/Tides', 'to discuss'],
    });
    for (const path of [`/libraries/${library}/media`, `/media?library_id=${library}`])
      expect(await tagsSeenBy(member, path)).toEqual(['Sea/Tides', 'to discuss']);
    expect((await tag(owner, [])).body.data.library_tags).toEqual([]);
    expect(await tagsSeenBy(member)).toEqual([]);
  });

  test('are not set by readers and strangers, nor in a default library, nor on what is not listed', async () => {
    const elsewhere = await saveReady(sql, owner);
    expect(await tag(member, ['x'])).toMatchObject(failure(403, 'E_FORBIDDEN'));
    expect(await tag(stranger, ['x'])).toMatchObject(failure(404, 'E_LIBRARY_NOT_FOUND'));
    expect(await tag(owner, ['x'], elsewhere)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    expect(await tag(owner, ['x'], media, owner.defaultLibraryId)).toMatchObject(
      failure(403, 'E_DEFAULT_LIBRARY_FORBIDDEN'),
    );
    expect(await sql`select from library_media_tags where library_id = ${library}`).toHaveLength(0);
  });

  test.each([
    ['no tags', undefined],
    ['a comma', ['a,b']],
    ['an empty part', ['a//b']],
    ['65 characters', ['x'.repeat(65)]],
    ['101 tags', Array.from({ length: 101 }, (_, n) => `t${n}`)],
  ])('with %s are refused', async (_case, tags) => {
    expect(await tag(owner, tags)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test('are the same in upper and lower case, and keep the first spelling', async () => {
    const other = await saveReady(sql, owner);
    await owner.post(`/libraries/${library}/media`, { media_id: other });
    await tag(owner, ['Tides', 'TIDES']);
    expect((await tag(contributor, ['tides', 'new'], other)).body.data.library_tags).toEqual([
      'new',
      'Tides',
    ]);
    const { body } = await member.get(`/libraries/${library}/tags`);
    expect(body.data).toEqual([
      { name: 'new', media_count: 1 },
      { name: 'Tides', media_count: 2 },
    ]);
  });

  test('belong to one library, and leave everybody’s own tags alone', async () => {
    const second = await createLibrary(owner, 'Second');
    await owner.post(`/libraries/${second}/media`, { media_id: media });
    await member.patch(`/media/${media}/mine`, { tags: ['mine'] });
    await tag(owner, ['ours']);
    expect(await tagsSeenBy(owner, `/libraries/${second}/media`)).toEqual([]);
    expect((await owner.get(`/libraries/${second}/tags`)).body.data).toEqual([]);
    expect((await member.get(`/media/${media}`)).body.data.mine.tags).toEqual(['mine']);
    expect((await owner.get(`/media/${media}`)).body.data).not.toHaveProperty('library_tags');
  });

  test('filter the list, including tags below, in pages', async () => {
    const others = [];
    for (const tags of [['sea/tides'], ['seaside'], ['SEA']]) {
      const id = await saveReady(sql, owner);
      await owner.post(`/libraries/${library}/media`, { media_id: id });
      await tag(owner, tags, id);
      others.push(id);
    }
    const listed = async (query: string) => {
      const { body } = await member.get(`/libraries/${library}/media?${query}`);
      return { ids: body.data.map(({ id }: { id: string }) => id), next: body.page.next_cursor };
    };
    expect((await listed('tag=sea')).ids).toEqual([others[2], others[0]]);
    const first = await listed('tag=sea&limit=1');
    expect(first.ids).toEqual([others[2]]);
    expect((await listed(`tag=sea&limit=1&cursor=${first.next}`)).ids).toEqual([others[0]]);
    expect((await listed('tag=sea%25')).ids).toEqual([]);
  });

  test('filter lists with all other filters and sorts, and actions on everything that matches', async () => {
    const other = await saveReady(sql, owner, { title: 'b' });
    const third = await saveReady(sql, owner, { title: 'a' });
    for (const id of [other, third]) await owner.post(`/libraries/${library}/media`, { media_id: id });
    await tag(owner, ['sea/tides'], other);
    await tag(owner, ['Sea'], third);
    await member.patch(`/media/${other}/mine`, { tags: ['mine'], is_favourite: true });
    const listed = async (query: string, by = member) => {
      const { status, body } = await by.get(`/media?library_id=${library}&${query}`);
      expect(status, JSON.stringify(body)).toBe(200);
      const ids = body.data.map(({ id }: { id: string }) => id);
      expect(body.page.total).toBe(ids.length);
      return ids;
    };
    expect(await listed('library_tag=sea')).toEqual([third, other]);
    expect(await listed('library_tag=sea&sort=title&order=desc')).toEqual([other, third]);
    expect(await listed('library_tag=sea&tag=mine')).toEqual([other]);
    expect(await listed('library_tag=sea&favourite=false&kind=web_article')).toEqual([third]);
    expect(await listed('library_tag=sea&q=is:favourite')).toEqual([other]);
    expect(await listed('library_tag=sea&q=is:favourite&sort=title')).toEqual([other]);
    expect(await listed('library_tag=mine')).toEqual([]);
    expect(await listed('library_tag=sea', stranger)).toEqual([]);
    expect(await member.get('/media?library_tag=sea')).toMatchObject(failure(400, 'E_INVALID_REQUEST'));

    const filter = { library_id: library, library_tag: 'sea' };
    const done = await member.post('/media/bulk', { action: 'archive', filter });
    expect(done.body.data.changed_media.map(({ media_id }: { media_id: string }) => media_id).sort()).toEqual(
      [other, third].sort(),
    );
    expect(
      await member.post('/media/bulk', { action: 'archive', filter: { library_tag: 'sea' } }),
    ).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test('are listed for members, by prefix and in pages', async () => {
    await tag(owner, ['a/bread', 'b', 'c/Break']);
    const { body } = await member.get(`/libraries/${library}/tags?prefix=bre`);
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['a/bread', 'c/Break']);
    const first = await member.get(`/libraries/${library}/tags?limit=2`);
    const next = await member.get(`/libraries/${library}/tags?limit=2&cursor=${first.body.page.next_cursor}`);
    expect(next.body.data).toEqual([{ name: 'c/Break', media_count: 1 }]);
    expect(await stranger.get(`/libraries/${library}/tags`)).toMatchObject(
      failure(404, 'E_LIBRARY_NOT_FOUND'),
    );
  });

  test('emit an event when they change, and none when they do not', async () => {
    await tag(contributor, ['one']);
    await tag(owner, ['ONE']);
    const events = await sql`
      select payload from outbox_event where event_type = 'library.media_tagged' and aggregate_id = ${library}`;
    expect([...events]).toEqual([
      { payload: { library_id: library, media_id: media, tagged_by_user_id: contributor.id } },
    ]);
  });

  test('go with the media when it is removed, and move to the one that replaces it', async () => {
    await tag(owner, ['one']);
    await owner.delete(`/libraries/${library}/media/${media}`);
    await owner.post(`/libraries/${library}/media`, { media_id: media });
    expect(await tagsSeenBy(member)).toEqual([]);

    await tag(owner, ['one', 'Two']);
    const winner = await saveReady(sql, owner);
    await owner.post(`/libraries/${library}/media`, { media_id: winner });
    await tag(owner, ['two'], winner);
    await transaction(sql, async (tx) => {
      await lockListings(tx, [media, winner]);
      await replaceMedia(tx, media, winner);
    });
    const { body } = await member.get(`/libraries/${library}/media`);
    expect(body.data).toMatchObject([{ id: winner, library_tags: ['one', 'Two'] }]);
    expect(await sql`select from library_media_tags where media_id = ${media}`).toHaveLength(0);
  });

  test('are not set while the media is being removed: the tag waits and finds it gone', async () => {
    const viewer = ({ id, defaultLibraryId }: Reader) => ({
      user_id: id,
      default_library_id: defaultLibraryId,
    });
    const held = holdBeforeCommit(connections[0]);
    const removed = createLibraryMedia({ sql: held.sql }).remove(viewer(owner), library, media);
    await held.reached;
    const edit = { libraryId: library, mediaId: media, names: ['late'] };
    const tagged = createLibraryTags({ sql: connections[1] }).set(viewer(owner), edit);
    const settled = Promise.allSettled([tagged]);
    expect(await blockedOrDone(sql, tagged)).toBe('blocked');
    held.letGo();
    await removed;
    expect(await settled).toMatchObject([{ reason: { code: 'E_MEDIA_NOT_FOUND' } }]);
    expect(await sql`select from library_media_tags where media_id = ${media}`).toHaveLength(0);
  });

  test('are deleted with the library', async () => {
    await tag(owner, ['one']);
    expect((await owner.delete(`/libraries/${library}`)).status).toBe(204);
    expect(await sql`select from library_media_tags where library_id = ${library}`).toHaveLength(0);
  });
});
