/**
 * Performs hundreds of random operations.
 *
 * @module-tag slow
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import {
  auditOf,
  createLibrary,
  createReader,
  join,
  type Reader,
} from '../../../../test/support/libraries.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { moveHighlights } from '../../highlights/placement.ts';
import { replaceByKnown } from '../../media/saving/unite-media.ts';

/** MODEL_SEED repeats a run that failed; its seed is printed. */
const seed = Number(process.env.MODEL_SEED ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env.MODEL_RUNS ?? 6);

const PEOPLE = 3;
const LINKS = 5;

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

type Operation =
  | { kind: 'save' | 'unsave'; actor: number; link: number }
  | { kind: 'batch'; actor: number; links: number[]; into: boolean }
  | { kind: 'add' | 'remove'; actor: number; library: number; link: number }
  | { kind: 'unite'; link: number; with: number };

const actor = fc.nat(PEOPLE - 1);
const link = fc.nat(LINKS - 1);
/** Each person's shared library, and their default library. */
const library = fc.nat(2 * PEOPLE - 1);
const kind = <const Kind extends string>(...names: Kind[]) => fc.constantFrom(...names);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: kind('save', 'save', 'unsave'), actor, link }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kind('batch'),
      actor,
      links: fc.array(link, { minLength: 1, maxLength: 4 }),
      into: fc.boolean(),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: kind('add', 'add', 'remove'), actor, library, link }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('unite'), link, with: link }) },
);

/** The contents of libraries, built from events. Throws when an event repeats the current state. */
function mirrorOf(events: { event_type: string; payload: { library_id: string; media_id: string } }[]) {
  const mirror = new Set<string>();
  for (const { event_type, payload } of events) {
    const item = `${payload.library_id} ${payload.media_id}`;
    const isAdded = event_type === 'library.media_added';
    if (mirror.has(item) === isAdded) throw new Error(`${event_type} of ${item} tells nothing new.`);
    if (isAdded) mirror.add(item);
    else mirror.delete(item);
  }
  return [...mirror].sort();
}

const readEvents = () => sql<Parameters<typeof mirrorOf>[0]>`
  select event_type, payload
  from outbox_event
  where event_type in ('library.media_added', 'library.media_removed')
  order by transaction_id, id`;

/** Returns the media that shared libraries list, and those that people have saved. */
async function readLibraries(): Promise<string[]> {
  const rows = await sql<{ item: string }[]>`
    select library_id || ' ' || media_id as item from library_media where not is_derived
    union all
    select default_library_id || ' ' || media_id from default_library_intrinsics`;
  return rows.map(({ item }) => item).sort();
}

test.each([1, 4])(
  'libraries mirrored from events equal the libraries, %i operations at once',
  async (atOnce) => {
    const property = fc.asyncProperty(
      fc.array(operation, { minLength: 40, maxLength: 80 }),
      async (operations) => {
        const people: Reader[] = [];
        for (let n = 0; n < PEOPLE; n++) people.push(await createReader(app));
        const shared = await Promise.all(people.map((person) => createLibrary(person)));
        // Each person contributes to the library of the one before them, and reads the others.
        for (const [n, person] of people.entries())
          for (const [distance, role] of [
            [1, 'contributor'],
            [2, 'member'],
          ] as const)
            await join(person, shared[n] as string, people[(n + distance) % PEOPLE] as Reader, role);
        const places = [...shared, ...people.map(({ defaultLibraryId }) => defaultLibraryId)];
        const origin = `https://${people[0]?.id}.example`;
        const urlOf = (number: number) => `${origin}/${number}`;
        const mediaOf = async (number: number) => {
          const [media] = await sql<
            { id: string }[]
          >`select id from media where canonical_url = ${urlOf(number)}`;
          return media?.id ?? '00000000-0000-7000-8000-000000000000';
        };
        const perform = async (each: Operation): Promise<number> => {
          if (each.kind === 'unite') {
            const [from, to] = [await mediaOf(each.link), await mediaOf(each.with)];
            if (from === to) return 200;
            await transaction(sql, (tx) => replaceByKnown(tx, from, to, moveHighlights));
            return 200;
          }
          const person = people[each.actor] as Reader;
          switch (each.kind) {
            case 'save':
              return (await person.post('/media/from_url', { url: urlOf(each.link) })).status;
            case 'unsave':
              return (await person.delete(`/media/${await mediaOf(each.link)}`)).status;
            case 'batch': {
              const payload = {
                urls: each.links.map(urlOf),
                ...(each.into && { library_id: shared[each.actor] }),
              };
              const body = { job_type: 'ingest_batch', payload, execution_mode: 'sync' };
              return (await person.post('/api/v1/jobs/submit', body)).status;
            }
            case 'add': {
              const media_id = await mediaOf(each.link);
              return (await person.post(`/libraries/${places[each.library]}/media`, { media_id })).status;
            }
            case 'remove':
              return (
                await person.delete(`/libraries/${places[each.library]}/media/${await mediaOf(each.link)}`)
              ).status;
          }
        };
        const left = [...operations];
        await Promise.all(
          Array.from({ length: atOnce }, async () => {
            for (let next = left.shift(); next; next = left.shift()) {
              expect({ next, status: await perform(next) }).toMatchObject({
                status: expect.toSatisfy(isNoFault),
              });
            }
          }),
        );
        expect(mirrorOf(await readEvents())).toEqual(await readLibraries());
        expect(await auditOf(sql)).toEqual([]);
      },
    );
    await fc.assert(property, { seed, numRuns, endOnFailure: true });
  },
);

const isNoFault = (status: number) => status < 500;
