import { expect, test } from 'vitest';
import { useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { createLibrary, createReader, join, type Reader } from '../../../../test/support/libraries.ts';
import { saveReady } from '../../../../test/support/saved-media.ts';
import { identifier } from '../../../platform/database/statement.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

/** Returns added_at from every route that shows a media. */
const shownBy: Record<string, (by: Reader, id: string) => Promise<{ added_at: string } | undefined>> = {
  itself: async (by, id) => (await by.get(`/media/${id}`)).body.data,
  list: async (by, id) => (await by.get('/media')).body.data.find(is(id)),
  filter: async (by, id) => (await by.get('/media?kind=web_article')).body.data.find(is(id)),
  search: async (by, id) =>
    (await by.get('/api/v1/search?q=Harbour')).body.data
      .map(({ media }: { media: object }) => media)
      .find(is(id)),
  export: async (by, id) =>
    (await by.get(`/libraries/${by.defaultLibraryId}/export`)).body.documents.find(is(id)),
  library: async (by, id) => (await by.get(`/libraries/${by.defaultLibraryId}/media`)).body.data.find(is(id)),
};
const is = (id: string) => (media: { id: string }) => media.id === id;

async function datesOf(by: Reader, id: string): Promise<Record<string, string | undefined>> {
  const dates = Object.entries(shownBy).map(async ([name, show]) => [name, (await show(by, id))?.added_at]);
  return Object.fromEntries(await Promise.all(dates));
}

const everywhere = (date: unknown) => Object.fromEntries(Object.keys(shownBy).map((name) => [name, date]));

/** Moves everything that was written today to a day in the past. */
async function nowIs(day: string): Promise<void> {
  for (const table of ['library_media', 'default_library_intrinsics', 'memberships', 'media']) {
    await sql`
      update ${identifier(table)}
      set created_at = ${`${day}T00:00:00Z`}
      where created_at > now() - interval '1 day'`;
  }
}

const at = (day: string) => `${day}T00:00:00.000Z`;
/** Runs the pending backfills. */
async function fillDefaultLibraries(): Promise<void> {
  const worker = await app.engine.work({
    concurrency: 1,
    pollSeconds: 0.2,
    graceSeconds: 5,
    untilEmpty: true,
  });
  await worker.stopped;
}

const recently = expect.toSatisfy((date: string) => Math.abs(Date.parse(date) - Date.now()) < 60_000);

test('added_at is when the viewer saved it, or when it came through a library they are a member of now', async () => {
  const [ana, ben] = [await createReader(app), await createReader(app)];
  const [first, second] = [await createLibrary(ana, 'First'), await createLibrary(ana, 'Second')];
  const id = await saveReady(sql, ana, { title: 'Harbour' });
  await nowIs('2020-01-01');

  await ana.post(`/libraries/${first}/media`, { media_id: id });
  await nowIs('2020-02-01');
  await join(ana, first, ben);
  await nowIs('2020-03-01');
  expect(await datesOf(ana, id)).toEqual(everywhere(at('2020-01-01')));
  // No backfill has run yet, and the default library lists nothing.
  expect(await datesOf(ben, id)).toEqual({ ...everywhere(at('2020-03-01')), library: undefined });
  await fillDefaultLibraries();
  expect(await datesOf(ben, id)).toEqual(everywhere(at('2020-03-01')));

  await join(ana, second, ben);
  await nowIs('2020-04-01');
  await ana.post(`/libraries/${second}/media`, { media_id: id });
  await nowIs('2020-05-01');
  expect(await datesOf(ben, id)).toEqual(everywhere(at('2020-03-01')));

  await ana.delete(`/libraries/${first}/media/${id}`);
  expect(await datesOf(ben, id)).toEqual(everywhere(at('2020-05-01')));

  await ben.post(`/libraries/${ben.defaultLibraryId}/media`, { media_id: id });
  expect(await datesOf(ben, id)).toEqual(everywhere(recently));
  await nowIs('2020-06-01');
  await ana.delete(`/libraries/${second}/members/${ben.id}`);
  expect(await datesOf(ben, id)).toEqual(everywhere(at('2020-06-01')));
  expect(await datesOf(ana, id)).toEqual(everywhere(at('2020-01-01')));

  await join(ana, second, ben);
  await fillDefaultLibraries();
  await nowIs('2020-07-01');
  await ben.delete(`/media/${id}`);
  expect(await datesOf(ben, id)).toEqual(everywhere(at('2020-07-01')));
});

test('a default library names only its owner', async () => {
  const [ana, ben] = [await createReader(app), await createReader(app)];
  const library = await createLibrary(ana);
  const id = await saveReady(sql, ana, { title: 'Harbour' });
  await join(ana, library, ben);
  await ana.post(`/libraries/${library}/media`, { media_id: id });
  const addedBy = async (by: Reader, libraryId = by.defaultLibraryId) =>
    (await by.get(`/libraries/${libraryId}/media`)).body.data[0].added_by_user_id;
  expect(await addedBy(ana)).toBe(ana.id);
  expect(await addedBy(ben)).toBe(null);
  expect(await addedBy(ben, library)).toBe(ana.id);
  await ben.post(`/libraries/${ben.defaultLibraryId}/media`, { media_id: id });
  await ana.delete(`/libraries/${library}/members/${ben.id}`);
  expect(await addedBy(ben)).toBe(ben.id);
});
