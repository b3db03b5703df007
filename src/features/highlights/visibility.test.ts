import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { createLibrary, createReader, findings, join, type Reader } from '../../../test/support/libraries.ts';
import { blockedOrDone, holdBeforeCommit } from '../../../test/support/races.ts';
import { saveReady } from '../../../test/support/saved-media.ts';
import type { Database } from '../../platform/database/database.ts';
import { createLibraryMedia } from '../libraries/library-media.ts';
import { createMembers } from '../libraries/sharing/members.ts';
import { createHighlights } from './highlights.ts';
import { createHighlightCheck } from './integrity.ts';
import { countHighlights } from './store.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database, { NEXUS_REQUESTS_PER_MINUTE: '1000000,1000000,1000000,1000000' });

const TEXT = 'A passage that everybody marks.';
const target = { fragment_idx: 0, selector: [{ type: 'TextPositionSelector', start: 2, end: 9 }] };
const viewer = ({ id, defaultLibraryId }: Reader) => ({ user_id: id, default_library_id: defaultLibraryId });
const actor = { name: 'test' };

const PEOPLE = 4;
const LIBRARIES = 3;
const MEDIA = 2;

/** The owner is the first person. They own all libraries, and the others come and go. */
let people: Reader[];
let media: string[];

beforeAll(async () => {
  people = await Promise.all(Array.from({ length: PEOPLE }, () => createReader(app)));
  const [owner] = people as [Reader];
  media = await Promise.all(Array.from({ length: MEDIA }, () => saveReady(sql, owner, { texts: [TEXT] })));
});

type Operation =
  | { kind: 'join' | 'leave'; person: number; library: number }
  | { kind: 'add' | 'remove'; media: number; library: number }
  | { kind: 'mark'; person: number; media: number; libraries: number[] }
  | { kind: 'share'; highlight: number; libraries: number[] }
  | { kind: 'delete'; highlight: number };

const person = fc.nat(PEOPLE - 1);
const library = fc.nat(LIBRARIES - 1);
const libraries = fc.uniqueArray(library, { maxLength: LIBRARIES });
const which = fc.nat(MEDIA - 1);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ kind: fc.constantFrom('join' as const, 'leave' as const), person, library }),
  fc.record({ kind: fc.constantFrom('add' as const, 'remove' as const), media: which, library }),
  fc.record({ kind: fc.constant('mark' as const), person, media: which, libraries }),
  fc.record({ kind: fc.constant('share' as const), highlight: fc.nat(9), libraries }),
  fc.record({ kind: fc.constant('delete' as const), highlight: fc.nat(9) }),
);

interface Marked {
  id: string;
  author: number;
  media: number;
  sharedWith: Set<number>;
}

/** The expected state: who is a member of which library, what each contains, and who marked what. */
interface Model {
  members: Set<number>[];
  contents: Set<number>[];
  marked: Marked[];
}

const visibilityOf = (ids: string[]) => (ids.length === 0 ? 'private' : { library_ids: ids });

/** Carries out an operation in Nexus and in the model. What is not allowed is refused by both. */
async function perform(each: Operation, model: Model, ids: string[]): Promise<void> {
  const [owner] = people as [Reader];
  const libraryId = 'library' in each ? (ids[each.library] as string) : '';
  switch (each.kind) {
    case 'join':
      if (each.person === 0 || model.members[each.library]?.has(each.person)) return;
      await join(owner, libraryId, people[each.person] as Reader);
      model.members[each.library]?.add(each.person);
      return;
    case 'leave': {
      if (each.person === 0) return;
      await owner.delete(`/libraries/${libraryId}/members/${people[each.person]?.id}`);
      model.members[each.library]?.delete(each.person);
      for (const one of model.marked) if (one.author === each.person) one.sharedWith.delete(each.library);
      return;
    }
    case 'add':
      await owner.post(`/libraries/${libraryId}/media`, { media_id: media[each.media] });
      model.contents[each.library]?.add(each.media);
      return;
    case 'remove':
      await owner.delete(`/libraries/${libraryId}/media/${media[each.media]}`);
      model.contents[each.library]?.delete(each.media);
      return;
    case 'mark': {
      const body = { target, visibility: visibilityOf(each.libraries.map((index) => ids[index] as string)) };
      const path = `/api/v1/media/${media[each.media]}/highlights`;
      const answer = await (people[each.person] as Reader).post(path, body);
      const isReadable =
        each.person === 0 ||
        model.members.some(
          (members, index) => members.has(each.person) && model.contents[index]?.has(each.media),
        );
      const mayShare = each.libraries.every((index) => isIn(model, index, each.person, each.media));
      expect(answer.status).toBe(isReadable && mayShare ? 201 : 404);
      if (answer.status !== 201) return;
      const sharedWith = new Set(each.libraries);
      model.marked.push({ id: answer.body.data.id, author: each.person, media: each.media, sharedWith });
      return;
    }
    default: {
      const one = model.marked[each.highlight % Math.max(model.marked.length, 1)];
      if (!one) return;
      const author = people[one.author] as Reader;
      if (each.kind === 'delete') {
        expect((await author.delete(`/api/v1/highlights/${one.id}`)).status).toBe(204);
        model.marked.splice(model.marked.indexOf(one), 1);
        return;
      }
      const visibility = visibilityOf(each.libraries.map((index) => ids[index] as string));
      const { status } = await author.patch(`/api/v1/highlights/${one.id}`, { visibility });
      const mayShare = each.libraries.every((index) => isIn(model, index, one.author, one.media));
      expect(status).toBe(mayShare ? 200 : 404);
      if (mayShare) one.sharedWith = new Set(each.libraries);
    }
  }
}

const isIn = (model: Model, index: number, who: number, what: number) =>
  (who === 0 || model.members[index]?.has(who) === true) && model.contents[index]?.has(what) === true;

function seenBy(model: Model, who: number): string[] {
  return model.marked
    .filter(
      (one) => one.author === who || [...one.sharedWith].some((index) => isIn(model, index, who, one.media)),
    )
    .map(({ id }) => id);
}

const idsIn = ({ body }: { body: { data?: { id: string }[] } }) => (body.data ?? []).map(({ id }) => id);

/** Asks for one person, in all three ways, what they see. */
async function expectSeen(reader: Reader, model: Model, who: number): Promise<void> {
  const seen = seenBy(model, who);
  expect(sorted(idsIn(await reader.get('/api/v1/highlights?limit=200')))).toEqual(sorted(seen));
  for (const [what, mediaId] of media.entries()) {
    const listed = idsIn(await reader.get(`/api/v1/media/${mediaId}/highlights?limit=200`));
    const isReadable = who === 0 || model.members.some((_, index) => isIn(model, index, who, what));
    const expected = model.marked.filter((one) => one.media === what && seen.includes(one.id));
    expect(sorted(listed)).toEqual(isReadable ? sorted(expected.map(({ id }) => id)) : []);
  }
  for (const { id } of model.marked) {
    const { status } = await reader.get(`/api/v1/highlights/${id}`);
    expect(status).toBe(seen.includes(id) ? 200 : 404);
  }
}

const sorted = (ids: string[]) => ids.toSorted();

test('whatever people do, everybody sees exactly what is theirs or shared with them', {
  tags: 'slow',
  timeout: 120_000,
}, async () => {
  const [owner] = people as [Reader];
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 10, maxLength: 40 }), async (operations) => {
      const ids = await Promise.all(Array.from({ length: LIBRARIES }, () => createLibrary(owner)));
      const model: Model = {
        members: ids.map(() => new Set()),
        contents: ids.map(() => new Set()),
        marked: [],
      };
      try {
        // Everybody is everywhere at first, so that most sharing succeeds and most leaving has an effect.
        for (const [index] of ids.entries()) {
          for (const what of media.keys())
            await perform({ kind: 'add', media: what, library: index }, model, ids);
          for (const who of people.keys())
            await perform({ kind: 'join', person: who, library: index }, model, ids);
        }
        for (const each of operations) {
          await perform(each, model, ids);
          for (const [who, reader] of people.entries()) await expectSeen(reader, model, who);
        }
      } finally {
        for (const id of ids) await owner.delete(`/libraries/${id}`);
        await sql`delete from highlights`;
      }
    }),
    { numRuns: 6 },
  );
  expect(await findings(sql, createHighlightCheck(sql))).toEqual([]);
});

/** A library with a media and a member, who has marked a passage. */
async function situation() {
  const [owner, member] = people as [Reader, Reader];
  const libraryId = await createLibrary(owner);
  const mediaId = media[0] as string;
  await owner.post(`/libraries/${libraryId}/media`, { media_id: mediaId });
  await join(owner, libraryId, member);
  const { body } = await member.post(`/api/v1/media/${mediaId}/highlights`, { target });
  const id: string = body.data.id;
  return {
    owner,
    member,
    id,
    share: (on: Database) =>
      createHighlights({ sql: on }).edit(
        viewer(member),
        id,
        { visibility: { library_ids: [libraryId] } },
        actor,
      ),
    expel: (on: Database) =>
      createMembers({ sql: on, countHighlights }).remove(owner.id, libraryId, member.id, actor),
    takeOut: (on: Database) => createLibraryMedia({ sql: on }).remove(viewer(owner), libraryId, mediaId),
  };
}

test.each(['expel', 'takeOut'] as const)('sharing waits for %s, and is then refused', async (kind) => {
  const { owner, id, share, ...others } = await situation();
  const held = holdBeforeCommit(sql);
  const removing = others[kind](held.sql);
  await held.reached;
  const sharing = share(sql);
  sharing.catch(() => undefined);
  expect(await blockedOrDone(sql, sharing)).toBe('blocked');
  held.letGo();
  await removing;
  await expect(sharing).rejects.toMatchObject({ code: 'E_LIBRARY_NOT_FOUND' });
  expect(await owner.get(`/api/v1/highlights/${id}`)).toMatchObject(failure(404, 'E_HIGHLIGHT_NOT_FOUND'));
});

test.each(['expel', 'takeOut'] as const)('%s waits for sharing, and takes the share back', async (kind) => {
  const { owner, id, share, ...others } = await situation();
  const held = holdBeforeCommit(sql);
  const sharing = share(held.sql);
  await held.reached;
  const removing = others[kind](sql);
  expect(await blockedOrDone(sql, removing)).toBe('blocked');
  held.letGo();
  await Promise.all([sharing, removing]);
  expect(await owner.get(`/api/v1/highlights/${id}`)).toMatchObject(failure(404, 'E_HIGHLIGHT_NOT_FOUND'));
  expect(await findings(sql, createHighlightCheck(sql))).toEqual([]);
});

test('after everything at once, nothing is shared that should not be', {
  tags: 'slow',
  timeout: 60_000,
}, async () => {
  const [owner] = people as [Reader];
  const ids = await Promise.all(Array.from({ length: LIBRARIES }, () => createLibrary(owner)));
  for (const reader of people.slice(1)) for (const id of ids) await join(owner, id, reader);
  for (const id of ids) await owner.post(`/libraries/${id}/media`, { media_id: media[0] });
  const marked = await Promise.all(
    people.map(async (reader) => {
      const { body } = await reader.post(`/api/v1/media/${media[0]}/highlights`, { target });
      return { reader, id: body.data.id as string };
    }),
  );
  const anyOf = <T>(all: readonly T[]) => all[Math.floor(Math.random() * all.length)] as T;
  const turns = Array.from({ length: 150 }, async () => {
    const [libraryId, { reader, id }] = [anyOf(ids), anyOf(marked)];
    const visibility = { library_ids: [libraryId] };
    const { status } = await anyOf([
      () => reader.patch(`/api/v1/highlights/${id}`, { visibility }),
      () => reader.patch(`/api/v1/highlights/${id}`, { visibility: 'private' }),
      () => owner.delete(`/libraries/${libraryId}/members/${anyOf(people.slice(1)).id}`),
      () => owner.delete(`/libraries/${libraryId}/media/${media[0]}`),
      () => owner.post(`/libraries/${libraryId}/media`, { media_id: media[0] }),
    ])();
    expect(status).toBeLessThan(500);
  });
  await Promise.all(turns);
  expect(await findings(sql, createHighlightCheck(sql))).toEqual([]);
});
