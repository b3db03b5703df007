import { expect, test, vi } from 'vitest';
import { useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { createReader } from '../../../../test/support/libraries.ts';
import { saveReady } from '../../../../test/support/saved-media.ts';
import { searchDifferences } from '../integrity-store.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

test('search rows of an earlier release are rebuilt in the background', async () => {
  const reader = await createReader(app);
  const ids = [
    await saveReady(sql, reader, { title: 'Short', texts: ['She said “hello”.'] }),
    await saveReady(sql, reader, { title: 'Long', texts: ['x '.repeat(60_000), '“hello” again'] }),
    await saveReady(sql, reader, { title: 'Current', texts: ['hello'] }),
  ];
  const [, , current = ''] = ids;
  await sql`
    update media_search set version = 1, words = null, document = '''“hello”'':1' where media_id <> ${current}`;
  const found = async () => {
    const { body } = await reader.get('/api/v1/search?q=hello');
    return body.data.map(({ media }: { media: { id: string } }) => media.id).sort();
  };
  const rowOf = async (id: string) =>
    (
      await sql<{ written: string }[]>`select xmin::text as written from media_search where media_id = ${id}`
    )[0];
  const before = await rowOf(current);
  expect(await found()).toEqual([current]);
  expect([...(await searchDifferences(sql, ids))], 'the audit leaves them to the job').toEqual([]);

  const worker = await app.engine.work({ concurrency: 2, pollSeconds: 0.1, graceSeconds: 5 });
  await vi.waitFor(async () => {
    expect(await sql`select from media_search where version = 1`).toHaveLength(0);
  }, 30_000);
  await worker.stop();

  expect(await found()).toEqual(ids.toSorted());
  expect([...(await searchDifferences(sql, ids))]).toEqual([]);
  expect(await rowOf(current), 'a current row is left alone').toEqual(before);
});
