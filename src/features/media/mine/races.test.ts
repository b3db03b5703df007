import { beforeEach, describe, expect, test } from 'vitest';
import { failure, useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { createReader, type Reader } from '../../../../test/support/libraries.ts';
import { blockedOrDone, holdBeforeCommit } from '../../../../test/support/races.ts';
import { saveReady } from '../../../../test/support/saved-media.ts';
import type { Database } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { moveHighlights } from '../../highlights/placement.ts';
import { createBulkMedia } from '../lists/bulk.ts';
import { deleteReadingProgress, writeReadingProgress } from '../lists/reading-progress-store.ts';
import { replaceByKnown } from '../saving/unite-media.ts';
import { createMine } from './mine.ts';
import { createTags } from './tags.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const connections = database.twoConnections();

type Act<T = unknown> = (on: Database) => Promise<T>;

/** Runs `first` up to its commit, starts `second`, and lets both end. Returns the result of the second, which had to wait. */
async function inOrder<T>(first: Act, second: Act<T>): Promise<T> {
  const held = holdBeforeCommit(connections[0]);
  const one = first(held.sql);
  await Promise.race([held.reached, one]);
  const begun = second(connections[1]);
  const settled = Promise.allSettled([one, begun]);
  const waited = await blockedOrDone(sql, begun);
  held.letGo();
  await settled;
  await one;
  expect(waited).toBe('blocked');
  return begun;
}

let reader: Reader;
const viewerOf = ({ id, defaultLibraryId }: Reader) => ({
  user_id: id,
  default_library_id: defaultLibraryId,
});
const actor = { name: 'test' };
const mineOf = async (mediaId: string) => (await reader.get(`/media/${mediaId}/mine`)).body.data;
const readingOf = async (mediaId: string) => (await reader.get(`/media/${mediaId}`)).body.data.reading;

beforeEach(async () => {
  reader = await createReader(app);
});

describe('while a media is merged into another', () => {
  let loser: string;
  let winner: string;
  const merge: Act = (on) => transaction(on, (tx) => replaceByKnown(tx, loser, winner, moveHighlights));
  const edit =
    (body: object): Act =>
    (on) =>
      createMine({ sql: on }).edit(viewerOf(reader), loser, body, actor);
  const bulk =
    (action: 'favourite' | 'finish'): Act =>
    (on) => {
      const dependencies = { sql: on } as Parameters<typeof createBulkMedia>[0];
      return createBulkMedia(dependencies).change(viewerOf(reader), { action, media_ids: [loser] }, actor);
    };
  const read = (progress: number): Act => {
    return (on) => transaction(on, (tx) => writeReadingProgress(tx, viewerOf(reader), loser, { progress }));
  };
  const forget: Act = (on) => transaction(on, (tx) => deleteReadingProgress(tx, viewerOf(reader), loser));

  /** Both media have rows of the reader already, so that changes update and do not insert. */
  beforeEach(async () => {
    [loser, winner] = [await saveReady(sql, reader), await saveReady(sql, reader)];
    await reader.patch(`/media/${loser}/mine`, { note: 'Old', tags: ['old'] });
    await read(0.2)(sql);
  });

  test('an edit that comes first goes over to the winner', async () => {
    await inOrder(edit({ note: 'New', tags: ['old', 'new'] }), merge);
    expect(await mineOf(winner)).toMatchObject({ note: 'New', tags: ['new', 'old'] });
  });

  test('the first edit of a media goes over to the winner', async () => {
    await sql`delete from media_mine where media_id = ${loser}`;
    await inOrder(edit({ note: 'New' }), merge);
    expect(await mineOf(winner)).toMatchObject({ note: 'New', tags: ['old'] });
  });

  test('a change of many that comes first goes over to the winner', async () => {
    await inOrder(bulk('favourite'), merge);
    expect(await mineOf(winner)).toMatchObject({ is_favourite: true });
  });

  test('reading progress that comes first goes over to the winner', async () => {
    await inOrder(read(0.8), merge);
    expect(await readingOf(winner)).toMatchObject({ progress: 0.8 });
  });

  test('reading progress of many that comes first goes over to the winner', async () => {
    await inOrder(bulk('finish'), merge);
    expect(await readingOf(winner)).toMatchObject({ progress: 1 });
  });

  test('reading progress that was deleted first does not come back', async () => {
    await inOrder(forget, merge);
    expect(await readingOf(winner)).toBeNull();
  });

  test.each([
    ['an edit', () => reader.patch(`/media/${loser}/mine`, { note: 'Late', tags: ['late'] })],
    [
      'reading progress',
      () => app.call('PUT', `/media/${loser}/reading`, { key: reader.key, body: { progress: 0.9 } }),
    ],
    ['deleting reading progress', () => reader.delete(`/media/${loser}/reading`)],
  ])('%s that comes second finds nothing', async (_what, request) => {
    expect(await inOrder(merge, request)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    expect(await mineOf(winner)).toMatchObject({ note: 'Old', tags: ['old'] });
    expect(await readingOf(winner)).toMatchObject({ progress: 0.2 });
  });

  test.each(['tag', 'favourite', 'finish'])('%s of many that comes second leaves it out', async (action) => {
    const other = await saveReady(sql, reader);
    const body = { action, media_ids: [other, loser], ...(action === 'tag' && { tags: ['late'] }) };
    const answer = await inOrder(merge, () => reader.post('/media/bulk', body));
    expect(answer).toMatchObject({ status: 200, body: { data: { changed: 1, unchanged: 0, not_found: 1 } } });
  });
});

describe('a tag that is set', () => {
  const setOld = (mediaId: string) => () =>
    reader.patch(`/media/${mediaId}/mine`, { tags: ['old', 'other'] });
  const namesOf = async () =>
    (await reader.get('/api/v1/tags')).body.data.map(({ name }: { name: string }) => name);
  let mediaId: string;
  let tagId: string;

  beforeEach(async () => {
    mediaId = await saveReady(sql, reader);
    await reader.patch(`/media/${await saveReady(sql, reader)}/mine`, { tags: ['old', 'other'] });
    tagId = (await reader.get('/api/v1/tags?prefix=old')).body.data[0].id;
  });

  test.each([
    ['renamed', 'new', ['new', 'old', 'other']],
    ['merged', 'Other', ['old', 'other']],
  ])('while it is %s is created again', async (_how, name, names) => {
    const rename: Act = (on) => createTags({ sql: on }).rename(viewerOf(reader), tagId, name);
    const answer = await inOrder(rename, setOld(mediaId));
    expect(answer).toMatchObject({ status: 200, body: { data: { tags: ['old', 'other'] } } });
    expect(await namesOf()).toEqual(names);
  });

  test('while it is deleted is created again', async () => {
    const remove: Act = (on) => createTags({ sql: on }).delete(viewerOf(reader), tagId);
    const answer = await inOrder(remove, setOld(mediaId));
    expect(answer).toMatchObject({ status: 200, body: { data: { tags: ['old', 'other'] } } });
    expect(await namesOf()).toEqual(['old', 'other']);
  });
});
