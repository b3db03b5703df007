/**
 * Tries many interleavings.
 *
 * @module-tag slow
 */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import {
  auditOf,
  canRead,
  createLibrary,
  createReader,
  join,
  type Reader,
  saveMedia,
} from '../../../../test/support/libraries.ts';
import { blockedOrDone, holdBeforeCommit } from '../../../../test/support/races.ts';
import type { Database } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { moveHighlights } from '../../highlights/placement.ts';
import { addToDefaultLibrary } from '../../libraries/closure/closure.ts';
import { createLibraryMedia } from '../../libraries/library-media.ts';
import { replaceByKnown } from './unite-media.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const connections = database.twoConnections();

let owner: Reader;
let holder: Reader;
let library: string;
let loser: string;
let winner: string;

/** `holder` has saved the page that is found to be known, and `library` lists it. */
beforeEach(async () => {
  [owner, holder] = [await createReader(app), await createReader(app)];
  library = await createLibrary(owner);
  loser = await saveMedia(sql, owner);
  winner = await saveMedia(sql, owner);
  await owner.post(`/libraries/${library}/media`, { media_id: loser });
  await save(sql, holder, loser);
});

afterEach(async () => expect(await auditOf(sql)).toEqual([]));

type Act = (on: Database) => Promise<unknown>;

const viewer = ({ id, defaultLibraryId }: Reader) => ({ user_id: id, default_library_id: defaultLibraryId });
const unite: Act = (on) => transaction(on, (tx) => replaceByKnown(tx, loser, winner, moveHighlights));
const removeSaved: Act = (on) =>
  createLibraryMedia({ sql: on }).remove(viewer(holder), holder.defaultLibraryId, loser);
const removeListed = (from: string, by: Reader, mediaId: string): Act => {
  return (on) => createLibraryMedia({ sql: on }).remove(viewer(by), from, mediaId);
};

/** Saves the same address, which is already known. */
async function save(on: Database, by: Reader, mediaId: string): Promise<void> {
  await transaction(on, async (tx) => {
    const held = await tx`select from media where id = ${mediaId} for key share`;
    if (held.length === 1)
      await addToDefaultLibrary(tx, by.defaultLibraryId, [{ media_id: mediaId }], { userId: by.id });
  });
}

/** Runs `first` up to its commit, starts `second`, and lets both end. */
async function inOrder(first: Act, second: Act) {
  const held = holdBeforeCommit(connections[0]);
  const one = Promise.allSettled([first(held.sql)]);
  await held.reached;
  const begun = second(connections[1]);
  const [two, waited] = [Promise.allSettled([begun]), await blockedOrDone(sql, begun)];
  held.letGo();
  const [[firstEnd], [secondEnd]] = await Promise.all([one, two]);
  return { waited, first: outcome(firstEnd), second: outcome(secondEnd) };
}

function outcome(settled: PromiseSettledResult<unknown>): unknown {
  return settled.status === 'fulfilled'
    ? 'done'
    : ((settled.reason as { code?: string }).code ?? settled.reason);
}

const listed = async (libraryId: string) => {
  const rows = await sql<{ media_id: string }[]>`
    select media_id from library_media where library_id = ${libraryId}`;
  return rows.map(({ media_id }) => media_id);
};

describe('a removal while a page is united with a known one', () => {
  const removals: [string, () => Act, () => string][] = [
    ['DELETE /media/{id}', () => removeSaved, () => holder.defaultLibraryId],
    [
      'the default library',
      () => removeListed(holder.defaultLibraryId, holder, loser),
      () => holder.defaultLibraryId,
    ],
    ['a shared library', () => removeListed(library, owner, loser), () => library],
  ];

  test.each(removals)('from %s that comes first stays', async (_from, remove, place) => {
    const { waited, first, second } = await inOrder(remove(), unite);
    expect({ waited, first, second }).toEqual({ waited: 'blocked', first: 'done', second: 'done' });
    expect(await listed(place())).toEqual([]);
  });

  test.each(removals)(
    'from %s that comes second is refused, and the known page is there',
    async (_from, remove, place) => {
      const { waited, first, second } = await inOrder(unite, remove());
      expect({ waited, first, second }).toEqual({
        waited: 'blocked',
        first: 'done',
        second: 'E_MEDIA_NOT_FOUND',
      });
      expect(await listed(place())).toEqual([winner]);
    },
  );

  test('is never undone, whatever the interleaving', async () => {
    const start = fc.nat(12);
    const plan = fc.record({
      unite: start,
      saved: start,
      listed: start,
      expelled: fc.option(start),
      again: start,
    });
    const property = fc.asyncProperty(plan, async (starts) => {
      const [admin, saver, member] = [
        await createReader(app),
        await createReader(app),
        await createReader(app),
      ];
      const [from, to] = [await saveMedia(sql, admin), await saveMedia(sql, admin)];
      const [shared, kept] = [await createLibrary(admin), await createLibrary(admin)];
      await join(admin, shared, member);
      for (const each of [shared, kept]) await admin.post(`/libraries/${each}/media`, { media_id: from });
      await save(sql, saver, from);
      await save(sql, member, from);
      /** Starts after this many round trips, on its own connection. */
      const startAfter = async (trips: number | null, act: Act) => {
        if (trips === null) return undefined;
        for (let trip = 0; trip < trips; trip++) await sql`select`;
        const [end] = await Promise.allSettled([act(sql)]);
        return outcome(end);
      };
      const remove = (by: Reader, place: string) => removeListed(place, by, from);
      const [united, unsaved, unlisted] = await Promise.all([
        startAfter(starts.unite, (on) =>
          transaction(on, (tx) => replaceByKnown(tx, from, to, moveHighlights)),
        ),
        startAfter(starts.saved, remove(saver, saver.defaultLibraryId)),
        startAfter(starts.listed, remove(admin, shared)),
        startAfter(starts.expelled, () => admin.delete(`/libraries/${shared}/members/${member.id}`)),
        startAfter(starts.again, (on) => save(on, admin, from)),
      ]);
      expect(united).toBe('done');
      for (const end of [unsaved, unlisted]) expect(['done', 'E_MEDIA_NOT_FOUND']).toContain(end);
      expect(await listed(saver.defaultLibraryId)).toEqual(unsaved === 'done' ? [] : [to]);
      expect(await listed(shared)).toEqual(unlisted === 'done' ? [] : [to]);
      expect(await listed(kept)).toEqual([to]);
      expect(await canRead(member, to)).toBe(true);
      expect(await auditOf(sql)).toEqual([]);
    });
    await fc.assert(property, { numRuns: 15, endOnFailure: true });
  });
});
