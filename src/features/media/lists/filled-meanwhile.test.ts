import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { useApp } from '../../../../test/support/app.ts';
import { openTestDatabase, useDatabase } from '../../../../test/support/database.ts';
import { createLibrary, createReader, join } from '../../../../test/support/libraries.ts';
import { saveReady } from '../../../../test/support/saved-media.ts';
import { mediaQuery } from '../../../contract/media.ts';
import type { Database } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { materialiseBatch } from '../../libraries/closure/closure.ts';
import { createMediaLists } from './list.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
let pooled: Database;
beforeAll(() => {
  pooled = openTestDatabase(database.target, 4, true);
});
afterAll(() => pooled.end());

test.each([
  ['on connections of its own', () => sql],
  ['behind a transaction pooler', () => pooled],
])('a list misses nothing that a backfill adds while it is read, %s', async (_name, connections) => {
  const [ana, ben] = [await createReader(app), await createReader(app)];
  const libraryId = await createLibrary(ana, 'Harbours');
  const mediaId = await saveReady(sql, ana, { title: 'Harbour' });
  await ana.post(`/libraries/${libraryId}/media`, { media_id: mediaId });
  await join(ana, libraryId, ben);

  const key = { default_library_id: ben.defaultLibraryId, source_library_id: libraryId, user_id: ben.id };
  const lists = createMediaLists({ sql: connections() });
  const viewer = { user_id: ben.id, default_library_id: ben.defaultLibraryId };
  const [other] = database.twoConnections();
  let listing: ReturnType<typeof lists.list> | undefined;
  await transaction(other, async (tx) => {
    // The statement that looks for unfilled libraries waits for this lock.
    await tx`lock table default_library_backfill_jobs in access exclusive mode`;
    listing = lists.list(viewer, mediaQuery.parse({}));
    await vi.waitFor(async () =>
      expect(
        await sql`
          select from pg_locks
          where relation = 'default_library_backfill_jobs'::regclass and not granted
            and database = (select oid from pg_database where datname = current_database())`,
      ).toHaveLength(1),
    );
    await materialiseBatch(tx, key, null, 100);
    await tx`
      update default_library_backfill_jobs
      set status = 'completed', finished_at = now()
      where default_library_id = ${ben.defaultLibraryId} and source_library_id = ${libraryId}`;
  });
  expect((await listing)?.data.map(({ id }) => id)).toEqual([mediaId]);
});
