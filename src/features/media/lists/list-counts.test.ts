/**
 * Performs hundreds of random operations.
 *
 * @module-tag slow
 */
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import {
  createLibrary,
  createReader,
  join,
  type Reader,
  saveMedia,
} from '../../../../test/support/libraries.ts';
import type { MediaKind, MediaQuery, ProcessingStatus } from '../../../contract/media.ts';
import type { ReadingState } from '../../../contract/reading.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { newId } from '../../../platform/ids.ts';
import { canReadMedia, type Viewer } from '../../libraries/access/can-read-media.ts';
import { addToDefaultLibrary } from '../../libraries/closure/closure.ts';
import { createMediaLists } from './list.ts';

/* Lists and counts use indexes for ready media. Here they are compared with the naive way. */

const seed = Number(process.env.MODEL_SEED ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env.MODEL_RUNS ?? 2);

const PEOPLE = 3;
const LIBRARIES = 2;
const MEDIA = 6;
const KINDS: MediaKind[] = ['web_article', 'pdf'];
const SITES = ['a.example', 'b.example', null];
const STATUSES: ProcessingStatus[] = ['pending', 'extracting', 'ready', 'failed'];

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

const person = fc.nat(PEOPLE - 1);
const library = fc.nat(LIBRARIES - 1);
const media = fc.nat(MEDIA - 1);
const is = <const Kind extends string>(kind: Kind) => fc.constant(kind);

const operation = fc.oneof(
  fc.record({ kind: is('save'), person, media }),
  fc.record({ kind: is('unsave'), person, media }),
  fc.record({ kind: is('add'), library, media }),
  fc.record({ kind: is('remove'), library, media }),
  fc.record({ kind: is('join'), library, person }),
  fc.record({ kind: is('expel'), library, person }),
  fc.record({ kind: is('fill'), person }),
  fc.record({ kind: is('read'), person, media, finished: fc.boolean() }),
  fc.record({
    kind: is('become'),
    media,
    status: fc.constantFrom(...STATUSES, 'ready'),
    as: fc.constantFrom(...KINDS),
    site: fc.constantFrom(...SITES),
  }),
);
type Operation = typeof operation extends fc.Arbitrary<infer O> ? O : never;

function unlessMember(error: Error): void {
  if (!error.message.includes('E_INVITE_MEMBER_EXISTS')) throw error;
}

class World {
  readonly people: Reader[] = [];
  readonly libraries: string[] = [];
  readonly media: string[] = [];

  /** The first person owns everything; the others are chosen at random. */
  async populate(): Promise<void> {
    for (let n = 0; n < PEOPLE; n++) this.people.push(await createReader(app));
    const [owner] = this.people as [Reader];
    for (let n = 0; n < LIBRARIES; n++) this.libraries.push(await createLibrary(owner));
    for (let n = 0; n < MEDIA; n++) this.media.push(await saveMedia(sql, owner));
  }

  /** Over HTTP. A refused operation does nothing. */
  async perform(operation: Operation): Promise<void> {
    const [owner] = this.people as [Reader];
    const reader = 'person' in operation ? (this.people[operation.person] as Reader) : owner;
    const mediaId = 'media' in operation ? (this.media[operation.media] ?? '') : '';
    const libraryId = 'library' in operation ? (this.libraries[operation.library] ?? '') : '';
    switch (operation.kind) {
      case 'save':
        return void (await reader.post(`/libraries/${reader.defaultLibraryId}/media`, { media_id: mediaId }));
      case 'unsave':
        return void (reader !== owner && (await reader.delete(`/media/${mediaId}`)));
      case 'add':
        return void (await owner.post(`/libraries/${libraryId}/media`, { media_id: mediaId }));
      case 'remove':
        return void (await owner.delete(`/libraries/${libraryId}/media/${mediaId}`));
      case 'join':
        return void (await join(owner, libraryId, reader).catch(unlessMember));
      case 'expel':
        return void (await owner.delete(`/libraries/${libraryId}/members/${reader.id}`));
      case 'fill':
        return fill(reader);
      case 'read': {
        const body = { progress: 0.5, finished: operation.finished };
        return void (await app.call('PUT', `/media/${mediaId}/reading`, { key: reader.key, body }));
      }
      case 'become':
        return become(mediaId, operation);
    }
  }
}

/** Backfills stay pending until a test runs them: no worker runs here. */
async function fill({ id }: Reader): Promise<void> {
  const keys = await sql<{ default_library_id: string; source_library_id: string; user_id: string }[]>`
    select default_library_id, source_library_id, user_id
    from default_library_backfill_jobs
    where user_id = ${id} and status = 'pending'`;
  const context = {
    jobId: newId(),
    requestId: null,
    signal: new AbortController().signal,
    log: pino({ level: 'silent' }),
    complete: async () => undefined,
  };
  for (const key of keys) await app.services.backfill.run(key, context);
}

async function become(
  mediaId: string,
  { status, as, site }: Extract<Operation, { kind: 'become' }>,
): Promise<void> {
  const failure = status === 'failed' ? 'other' : null;
  await transaction(sql, async (tx) => {
    await tx`
      update media
      set processing_status = ${status}, kind = ${as}, site = ${site}, failure_stage = ${failure},
          last_error_code = ${failure}, last_error_message = ${failure},
          failed_at = case when ${failure}::text is not null then now() end
      where id = ${mediaId}`;
  });
}

type Filter = Pick<MediaQuery, 'kind' | 'status' | 'site' | 'reading'>;

interface PlainMedia {
  id: string;
  kind: string;
  status: string;
  site: string | null;
  reading: ReadingState;
}

/** The naive way: checks every media. */
async function readable(viewer: Viewer, libraryId: string | undefined): Promise<PlainMedia[]> {
  const rows = await sql<PlainMedia[]>`
    select
      media.id, media.kind, media.processing_status as status, media.site,
      case
        when reading.media_id is null then 'unread'
        when reading.finished_at is null then 'reading'
        else 'finished'
      end as reading
    from media
    left join media_readings as reading on reading.media_id = media.id and reading.user_id = ${viewer.user_id}
    where ${canReadMedia(sql, viewer, sql`media.id`)}
      and (
        ${libraryId ?? null}::uuid is null
        or exists (
          select
          from library_media
          join memberships using (library_id)
          where library_id = ${libraryId ?? null} and media_id = media.id and user_id = ${viewer.user_id}
        )
      )`;
  return [...rows];
}

function sitesOf(rows: { site: string | null }[]) {
  const counts = new Map<string, number>();
  for (const { site } of rows) if (site !== null) counts.set(site, (counts.get(site) ?? 0) + 1);
  return [...counts]
    .map(([site, count]) => ({ site, count }))
    .sort((a, b) => b.count - a.count || (a.site < b.site ? -1 : 1));
}

const READINGS: (ReadingState | undefined)[] = [undefined, 'unread', 'reading', 'finished'];
const FILTERS: Filter[] = READINGS.flatMap((reading) => [
  { reading },
  { reading, kind: 'pdf' },
  { reading, status: 'ready' },
  { reading, status: 'failed' },
  { reading, site: 'a.example' },
  { reading, site: 'b.example', kind: 'web_article', status: 'ready' },
]);

/** Every way to list, even those that Nexus would not choose for so few media. */
const WAYS = {
  chosen: createMediaLists({ sql }),
  'along an index': createMediaLists({ sql, mostGathered: -1 }),
  'from many places': createMediaLists({ sql, mostOutside: 0, mostSubtracted: 0 }),
};

async function expectEqual(viewer: Viewer, library_id: string | undefined) {
  const all = await readable(viewer, library_id);
  for (const [way, lists] of Object.entries(WAYS)) {
    const sort = way === 'chosen' ? 'added' : 'title';
    for (const filter of FILTERS) {
      const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
      const expected = all.filter((media) =>
        wanted.every(([name, value]) => media[name as keyof PlainMedia] === value),
      );
      const { data, page } = await lists.list(viewer, { ...filter, library_id, sort, limit: 100 });
      expect({ way, filter, library_id, ids: idsOf(data), total: page.total }).toEqual({
        way,
        filter,
        library_id,
        ids: idsOf(expected),
        total: expected.length,
      });
    }
    expect([...(await lists.sites(viewer, library_id))]).toEqual(sitesOf(all));
  }
}

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id).sort();

test('lists, totals and sites equal the naive way, whatever people have done', async () => {
  const property = fc.asyncProperty(
    fc.array(operation, { minLength: 40, maxLength: 60 }),
    async (operations) => {
      const world = new World();
      await world.populate();
      for (const each of operations) await world.perform(each);
      for (const reader of world.people) {
        const viewer = { user_id: reader.id, default_library_id: reader.defaultLibraryId };
        for (const libraryId of [undefined, ...world.libraries]) await expectEqual(viewer, libraryId);
      }
    },
  );
  await fc.assert(property, { seed, numRuns, endOnFailure: true });
});

test('a media that is listed while it becomes ready is counted correctly', async () => {
  const [ana, one] = [await createReader(app), database.twoConnections()[0]];
  const viewer = { user_id: ana.id, default_library_id: ana.defaultLibraryId };
  const id = await saveMedia(sql, await createReader(app));
  await transaction(one, async (tx) => {
    await addToDefaultLibrary(tx, ana.defaultLibraryId, [{ media_id: id }], { userId: ana.id });
    await sql`update media set processing_status = 'ready', site = 'late.example' where id = ${id}`;
  });
  const [saved] = await sql`
    select ready_kind from default_library_intrinsics where default_library_id = ${ana.defaultLibraryId}`;
  expect(saved).toEqual({ ready_kind: null });
  await expectEqual(viewer, undefined);
  expect([...(await WAYS.chosen.sites(viewer, undefined))]).toEqual([{ site: 'late.example', count: 1 }]);
});
