import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { auditOf, createLibrary, createReader, type Reader } from '../../../../test/support/libraries.ts';
import { blockedOrDone, holdBeforeCommit } from '../../../../test/support/races.ts';
import { saveReady } from '../../../../test/support/saved-media.ts';
import type { Database } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { moveHighlights } from '../../highlights/placement.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import { createLibraryMedia } from '../../libraries/library-media.ts';
import { type SavedLink, saveLinks } from '../saving/save-links.ts';
import { lockKnown, replaceByKnown } from '../saving/unite-media.ts';
import { readLink } from '../saving/url.ts';
import { createPurge } from './purge.ts';
import { createTrash } from './trash.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
let reader: Reader;
let other: Reader;

beforeAll(async () => {
  reader = await createReader(app);
  other = await createReader(app);
});

const viewerOf = ({ id, defaultLibraryId }: Reader): Viewer => ({
  user_id: id,
  default_library_id: defaultLibraryId,
});
const purgeThrough = (connection: Database) =>
  createPurge({ sql: connection, storage: app.resources.storage }).fromTrash;
const trashThrough = (connection: Database) =>
  createTrash({
    sql: connection,
    purge: createPurge({ sql: connection, storage: app.resources.storage }),
    libraryMedia: createLibraryMedia({ sql: connection }),
    days: 30,
  });
const urlOf = (id: string) => `https://example.org/${id}`;

async function trashed(): Promise<string> {
  const id = await saveReady(sql, reader, { texts: ['text'] });
  await sql`update media set canonical_url = ${urlOf(id)} where id = ${id}`;
  await reader.delete(`/media/${id}`);
  return id;
}

/** Saves links as the other reader. Their extraction is not enqueued, because no test waits for it. */
async function saveAsOther(connection: Database, ids: string[]): Promise<SavedLink[]> {
  const links = ids.map((id) => readLink('web_article', new URL(urlOf(id))));
  const ingest = { enqueueProcessing: async () => [], hasJob: () => false };
  const options = { ingest, createdBy: undefined, requestId: undefined };
  return transaction(connection, async (tx) => [
    ...(await saveLinks(tx, viewerOf(other), links, options)).values(),
  ]);
}

/** The operations that make somebody have a media while it is being purged. */
const HOLDERS: Record<string, (connection: Database, id: string) => Promise<string>> = {
  save: async (connection, id) => {
    const saved = await saveAsOther(connection, [id]);
    return saved[0]?.media_id ?? '';
  },
  restore: async (connection, id) => {
    await trashThrough(connection).restore(viewerOf(reader), id);
    return id;
  },
  merge: async (connection, id) => {
    const loser = await saveReady(sql, other, { texts: ['text'] });
    return transaction(connection, async (tx) => {
      const known = await lockKnown(tx, { id: loser, kind: 'web_article', canonicalUrl: urlOf(id) });
      if (!known) return loser;
      await replaceByKnown(tx, loser, known.id, moveHighlights);
      return known.id;
    });
  },
};

const isReadable = async (by: Reader, id: string) => (await by.get(`/media/${id}`)).status === 200;

describe.each(Object.keys(HOLDERS))('purging against %s', (name) => {
  const hold = HOLDERS[name] as (connection: Database, id: string) => Promise<string>;
  const by = () => (name === 'restore' ? reader : other);

  test('the operation first: the purge waits, checks again, and keeps the media', async () => {
    const id = await trashed();
    const [one, two] = database.twoConnections();
    const held = holdBeforeCommit(one);
    const holding = hold(held.sql, id);
    await held.reached;
    const purging = purgeThrough(two)(viewerOf(reader), [id]);
    expect(await blockedOrDone(sql, purging)).toBe('blocked');
    held.letGo();
    expect(await holding).toBe(id);
    expect(await purging).toBe(0);
    expect(await isReadable(by(), id)).toBe(true);
    expect(await auditOf(sql)).toEqual([]);
  });

  test('the purge first: the operation waits, and what it acknowledges exists', async () => {
    const id = await trashed();
    const [one, two] = database.twoConnections();
    const held = holdBeforeCommit(one);
    const purging = purgeThrough(held.sql)(viewerOf(reader), [id]);
    await held.reached;
    const holding = hold(two, id).catch((error) => error as { code: string });
    expect(await blockedOrDone(sql, holding)).toBe('blocked');
    held.letGo();
    expect(await purging).toBe(1);
    const outcome = await holding;
    if (typeof outcome === 'string') expect(await isReadable(by(), outcome)).toBe(true);
    else expect(outcome.code).toBe('E_MEDIA_NOT_FOUND');
    expect(typeof outcome === 'string').toBe(name !== 'restore');
    expect(await auditOf(sql)).toEqual([]);
  });
});

test('adding to a library during the purge: no library lists a deleted media', async () => {
  const library = await createLibrary(reader);
  for (let round = 0; round < 10; round++) {
    const id = await saveReady(sql, reader, { texts: ['text'] });
    const [one, two] = database.twoConnections();
    const adding = createLibraryMedia({ sql: one }).add(viewerOf(reader), library, id);
    const purging = trashThrough(two).removePermanently(viewerOf(reader), id);
    const [added] = await Promise.allSettled([adding, purging]);
    expect(await isReadable(reader, id)).toBe(added.status === 'fulfilled');
  }
  expect(await auditOf(sql)).toEqual([]);
});

test('a batch of links that are just being purged is saved', async () => {
  const ids = [await trashed(), await trashed()];
  const [one, two] = database.twoConnections();
  const held = holdBeforeCommit(one);
  const purging = purgeThrough(held.sql)(viewerOf(reader), ids);
  await held.reached;
  const saving = saveAsOther(two, ids);
  expect(await blockedOrDone(sql, saving)).toBe('blocked');
  held.letGo();
  expect(await purging).toBe(2);
  for (const { media_id, created } of await saving) {
    expect(created).toBe(true);
    expect(await isReadable(other, media_id)).toBe(true);
  }
});

test('emptying the trash twice in parallel purges each media once', async () => {
  const ids = [await trashed(), await trashed(), await trashed()];
  const purged = await Promise.all(
    database.twoConnections().map((connection) => purgeThrough(connection)(viewerOf(reader), ids)),
  );
  expect(purged.toSorted()).toEqual([0, 3]);
  const events = await sql`
    select from outbox_event where event_type = 'media.deleted' and aggregate_id = any(${ids})`;
  expect(events).toHaveLength(3);
});

test('the charge for a media moves to somebody who still has it', async () => {
  const id = await trashed();
  await transaction(sql, (tx) => tx`update media set stored_bytes = 1000 where id = ${id}`);
  await other.post('/media/from_url', { url: urlOf(id) });
  const usedBy = async (who: Reader) => (await who.get('/api/v1/me/storage')).body.data.used_bytes;
  const [before, theirs] = [await usedBy(reader), await usedBy(other)];
  await reader.delete(`/api/v1/trash/${id}`);
  expect([await usedBy(reader), await usedBy(other)]).toEqual([before - 1000, theirs + 1000]);
});
