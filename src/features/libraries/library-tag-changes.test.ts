import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { gate } from '../../../test/support/jobs.ts';
import { createLibrary, createReader, join, type Reader } from '../../../test/support/libraries.ts';
import { blockedOrDone, holdBeforeCommit } from '../../../test/support/races.ts';
import { saveReady } from '../../../test/support/saved-media.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { replaceMedia } from './closure/forget-media.ts';
import { lockListings } from './closure/lock-contents.ts';
import { createLibraryTags } from './library-tags.ts';

/* Changes of the tags of a library on many media: renaming, merging, deleting, and bulk actions. */

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const connections = database.twoConnections();
const tagsOn = (which: 0 | 1) => createLibraryTags({ sql: connections[which] });

let owner: Reader;
let admin: Reader;
let contributor: Reader;
let member: Reader;
let removed: Reader;
let stranger: Reader;
let library: string;
/** Two media of the library, added by its owner. */
let first: string;
let second: string;

beforeAll(async () => {
  owner = await createReader(app);
  admin = await createReader(app);
  contributor = await createReader(app);
  member = await createReader(app);
  removed = await createReader(app);
  stranger = await createReader(app);
});

beforeEach(async () => {
  library = await createLibrary(owner);
  await join(owner, library, admin, 'admin');
  await join(owner, library, contributor, 'contributor');
  await join(owner, library, member);
  await join(owner, library, removed, 'admin');
  await owner.delete(`/libraries/${library}/members/${removed.id}`);
  first = await addedBy(owner);
  second = await addedBy(owner);
});

async function addedBy(reader: Reader): Promise<string> {
  const id = await saveReady(sql, reader);
  const { status } = await reader.post(`/libraries/${library}/media`, { media_id: id });
  expect(status).toBe(201);
  return id;
}

const viewerOf = ({ id, defaultLibraryId }: Reader) => ({
  user_id: id,
  default_library_id: defaultLibraryId,
});
const pathOf = (tag: string, libraryId = library) =>
  `/libraries/${libraryId}/tags?tag=${encodeURIComponent(tag)}`;
const set = async (mediaId: string, tags: string[], by = owner) => {
  const { status } = await by.patch(`/libraries/${library}/media/${mediaId}`, { tags });
  expect(status).toBe(200);
};
const rename = (by: Reader, tag: string, name: unknown) => by.patch(pathOf(tag), { name });
const tagsOf = async (mediaId: string, by = member): Promise<string[]> => {
  const { body } = await by.get(`/libraries/${library}/media`);
  return body.data.find(({ id }: { id: string }) => id === mediaId).library_tags;
};
const listed = async () => (await member.get(`/libraries/${library}/tags`)).body.data;
/** The media of the events about tags that somebody changed in the library. */
const taggedBy = async ({ id }: Reader) => {
  const events = await sql<{ media_id: string }[]>`
    select payload ->> 'media_id' as media_id
    from outbox_event
    where event_type = 'library.media_tagged'
      and aggregate_id = ${library}
      and payload ->> 'tagged_by_user_id' = ${id}`;
  return events.map(({ media_id }) => media_id).sort();
};

describe('renaming a tag of a library', () => {
  test('renames it and those below it on all media, also on what others added, and on nothing else', async () => {
    const theirs = await addedBy(contributor);
    await set(first, ['Sea', 'sea/tides', 'seaside']);
    await set(theirs, ['sea/tides/spring']);
    await set(second, ['seaside']);
    const elsewhere = await createLibrary(owner, 'Other');
    await owner.post(`/libraries/${elsewhere}/media`, { media_id: first });
    await owner.patch(`/libraries/${elsewhere}/media/${first}`, { tags: ['sea'] });
    await owner.patch(`/media/${first}/mine`, { tags: ['sea'] });

    const answer = await rename(admin, 'SEA', ' Oceans / World ');
    expect(answer).toMatchObject({
      status: 200,
      body: { data: { name: 'Oceans/World', media_count: 1 } },
    });
    expect(await tagsOf(first)).toEqual(['Oceans/World', 'Oceans/World/tides', 'seaside']);
    expect(await tagsOf(theirs)).toEqual(['Oceans/World/tides/spring']);
    expect(await tagsOf(second)).toEqual(['seaside']);
    expect((await owner.get(`/libraries/${elsewhere}/tags`)).body.data).toEqual([
      { name: 'sea', media_count: 1 },
    ]);
    expect((await owner.get(`/media/${first}`)).body.data.mine.tags).toEqual(['sea']);
    expect(await taggedBy(admin)).toEqual([first, theirs].sort());
  });

  test('to the name of another merges the two, with those below it, in the spelling of the other', async () => {
    await set(first, ['sea', 'sea/tides', 'Ocean']);
    await set(second, ['SEA', 'Ocean/Tides']);
    expect((await rename(admin, 'sea', 'ocean')).body.data).toEqual({ name: 'Ocean', media_count: 2 });
    expect(await tagsOf(first)).toEqual(['Ocean', 'Ocean/Tides']);
    expect(await tagsOf(second)).toEqual(['Ocean', 'Ocean/Tides']);
    expect(await listed()).toEqual([
      { name: 'Ocean', media_count: 2 },
      { name: 'Ocean/Tides', media_count: 2 },
    ]);
    expect(await taggedBy(admin)).toEqual([first, second].sort());
  });

  test('changes the spelling, and the same name changes nothing', async () => {
    await set(first, ['sea', 'sea/tides']);
    expect((await rename(admin, 'sea', 'Sea')).body.data.name).toBe('Sea');
    expect(await tagsOf(first)).toEqual(['Sea', 'Sea/tides']);
    expect((await rename(admin, 'sea', 'Sea')).status).toBe(200);
    expect(await taggedBy(admin)).toEqual([first]);
  });

  test('moves it below itself and above itself', async () => {
    await set(first, ['a', 'a/b', 'a/b/b']);
    await rename(admin, 'a', 'a/b');
    expect(await tagsOf(first)).toEqual(['a/b', 'a/b/b', 'a/b/b/b']);
    await rename(admin, 'a/b', 'a');
    expect(await tagsOf(first)).toEqual(['a', 'a/b', 'a/b/b']);
  });

  test.each([
    ['owner', 200, undefined],
    ['admin', 200, undefined],
    ['contributor', 403, 'E_FORBIDDEN'],
    ['member', 403, 'E_FORBIDDEN'],
    ['removed', 404, 'E_LIBRARY_NOT_FOUND'],
    ['stranger', 404, 'E_LIBRARY_NOT_FOUND'],
  ] as const)('and deleting it as %s is %i', async (who, status, code) => {
    const by = { owner, admin, contributor, member, removed, stranger }[who];
    const own = await addedBy(contributor);
    await set(own, ['sea'], contributor);
    const [renamed, deleted] = [await rename(by, 'sea', 'ocean'), await by.delete(pathOf('ocean'))];
    if (code) for (const answer of [renamed, deleted]) expect(answer).toMatchObject(failure(status, code));
    else expect([renamed.status, deleted.status]).toEqual([200, 204]);
    expect(await tagsOf(own)).toEqual(code ? ['sea'] : []);
  });

  test('finds tags of this library alone, and none in a default library', async () => {
    await set(first, ['sea/tides']);
    for (const tag of ['sea', 'tides', 'sea/tide', '%'])
      expect(await rename(admin, tag, 'ocean')).toMatchObject(failure(404, 'E_NOT_FOUND'));
    expect(await admin.delete(pathOf('sea'))).toMatchObject(failure(404, 'E_NOT_FOUND'));
    const own = pathOf('sea', owner.defaultLibraryId);
    expect(await owner.patch(own, { name: 'x' })).toMatchObject(failure(403, 'E_DEFAULT_LIBRARY_FORBIDDEN'));
    expect(await owner.delete(own)).toMatchObject(failure(403, 'E_DEFAULT_LIBRARY_FORBIDDEN'));
    expect(await owner.delete(pathOf('sea', newId()))).toMatchObject(failure(404, 'E_LIBRARY_NOT_FOUND'));
  });

  test.each([undefined, null, '', 'a,b', 'a//b', '"', 'x'.repeat(65), 3])(
    'to %j is refused',
    async (name) => {
      await set(first, ['sea']);
      expect(await rename(admin, 'sea', name)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
      expect(await tagsOf(first)).toEqual(['sea']);
    },
  );

  test('without a tag, and to one that makes those below it too long, is refused', async () => {
    await set(first, ['sea', 'sea/tides']);
    const path = `/libraries/${library}/tags`;
    expect(await admin.patch(path, { name: 'x' })).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    for (const query of ['', '?tag=', '?tag=a//b'])
      expect(await admin.delete(path + query)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    expect(await rename(admin, 'sea', 'x'.repeat(60))).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    expect(await tagsOf(first)).toEqual(['sea', 'sea/tides']);
    expect(await taggedBy(admin)).toEqual([]);
  });
});

describe('deleting a tag of a library', () => {
  test('takes it from all media, keeps those below it, and is 204 again', async () => {
    await set(first, ['Sea', 'sea/tides']);
    await set(second, ['sea', 'other']);
    expect((await admin.delete(pathOf('SEA'))).status).toBe(204);
    expect(await tagsOf(first)).toEqual(['sea/tides']);
    expect(await tagsOf(second)).toEqual(['other']);
    expect(await taggedBy(admin)).toEqual([first, second].sort());
    expect((await admin.delete(pathOf('SEA'))).status).toBe(204);
    expect(await owner.delete(pathOf('sea'))).toMatchObject(failure(404, 'E_NOT_FOUND'));
    expect(await taggedBy(admin)).toHaveLength(2);
  });
});

describe('bulk actions', () => {
  const change = (by: Reader, body: object) =>
    by.post('/media/bulk', { action: 'library_tag', library_id: library, ...body });
  const counts = ({ body }: Awaited<ReturnType<typeof change>>) => {
    const { changed, unchanged, not_found, changed_media } = body.data;
    return {
      changed: changed_media.map(({ media_id }: { media_id: string }) => media_id).sort(),
      counted: [changed, unchanged, not_found],
    };
  };

  test('add and remove tags on what is listed, and say which media they changed', async () => {
    const unlisted = await saveReady(sql, contributor);
    const foreign = await saveReady(sql, stranger);
    await set(first, ['Sea', 'kept']);
    const media_ids = [first, second, unlisted, foreign, newId(), second];
    const added = await change(contributor, { media_ids, tags: ['sea', 'tides', 'TIDES'] });
    expect(counts(added)).toEqual({ changed: [first, second].sort(), counted: [2, 1, 2] });
    expect(await tagsOf(first)).toEqual(['kept', 'Sea', 'tides']);
    expect(await tagsOf(second)).toEqual(['Sea', 'tides']);
    const again = await change(contributor, { media_ids, tags: ['Tides'] });
    expect(counts(again)).toEqual({ changed: [], counted: [0, 3, 2] });
    expect(await taggedBy(contributor)).toEqual([first, second].sort());

    const taken = { action: 'library_untag', media_ids, tags: ['KEPT', 'none'] };
    expect(counts(await change(contributor, taken))).toEqual({ changed: [first], counted: [1, 2, 2] });
    expect(await tagsOf(first)).toEqual(['Sea', 'tides']);
    expect(await taggedBy(contributor)).toHaveLength(3);
  });

  test('change everything that a list of the library contains', async () => {
    await set(first, ['sea']);
    const filter = { library_id: library, library_tag: 'sea' };
    expect(counts(await change(admin, { filter, tags: ['found'] })).changed).toEqual([first]);
    const untag = { action: 'library_untag', filter, tags: ['sea'] };
    expect(counts(await change(admin, untag)).changed).toEqual([first]);
    expect(await tagsOf(first)).toEqual(['found']);
    expect(counts(await change(admin, { filter: { library_id: library }, tags: ['all'] })).counted).toEqual([
      2, 0, 0,
    ]);
  });

  test.each([
    ['member', 403, 'E_FORBIDDEN'],
    ['removed', 404, 'E_LIBRARY_NOT_FOUND'],
    ['stranger', 404, 'E_LIBRARY_NOT_FOUND'],
  ] as const)('as %s are %i', async (who, status, code) => {
    const by = { member, removed, stranger }[who];
    for (const action of ['library_tag', 'library_untag'])
      expect(await change(by, { action, media_ids: [first], tags: ['sea'] })).toMatchObject(
        failure(status, code),
      );
    expect(await tagsOf(first)).toEqual([]);
  });

  test('leave a media with 100 tags as it is, and refuse a default library', async () => {
    const most = Array.from({ length: 100 }, (_, n) => `t${n}`);
    await set(first, most);
    const media_ids = [first, second];
    const one = await change(owner, { media_ids, tags: ['T1', 'one more'] });
    expect(counts(one)).toEqual({ changed: [second], counted: [1, 1, 0] });
    expect(await tagsOf(first)).toHaveLength(100);
    expect(await change(owner, { media_ids, tags: ['x'], library_id: owner.defaultLibraryId })).toMatchObject(
      failure(403, 'E_DEFAULT_LIBRARY_FORBIDDEN'),
    );
  });

  test.each([
    { tags: undefined },
    { tags: [] },
    { tags: ['a,b'] },
    { tags: ['x'], library_id: undefined },
    { tags: ['x'], library_id: 'x' },
    { tags: ['x'], action: 'tag' },
  ])('with %j are refused', async (body) => {
    expect(await change(owner, { media_ids: [first], ...body })).toMatchObject(
      failure(400, 'E_INVALID_REQUEST'),
    );
  });
});

describe('on separate connections', () => {
  const oceans = () => ({ libraryId: library, tag: 'sea', name: 'Ocean' });

  test('a tag that is set while another is renamed waits, and gets the spelling of the new name', async () => {
    await set(first, ['sea']);
    const held = holdBeforeCommit(connections[0]);
    const renamed = createLibraryTags({ sql: held.sql }).rename(viewerOf(admin), oceans());
    await held.reached;
    const edit = { libraryId: library, mediaId: second, names: ['ocean'] };
    const tagged = tagsOn(1).set(viewerOf(contributor), edit);
    expect(await blockedOrDone(sql, tagged)).toBe('blocked');
    held.letGo();
    await Promise.all([renamed, tagged]);
    expect(await listed()).toEqual([{ name: 'Ocean', media_count: 2 }]);
  });

  test('a rename waits for a tag that is being set, and renames it, too', async () => {
    await set(first, ['sea']);
    const held = holdBeforeCommit(connections[0]);
    const many = { libraryId: library, mediaIds: [first, second], names: ['sea', 'sea/tides'] };
    const tagged = createLibraryTags({ sql: held.sql }).addMany(viewerOf(contributor), many);
    await held.reached;
    const renamed = tagsOn(1).rename(viewerOf(admin), oceans());
    expect(await blockedOrDone(sql, renamed)).toBe('blocked');
    held.letGo();
    expect((await tagged).changedIds.sort()).toEqual([first, second].sort());
    expect(await renamed).toEqual({ name: 'Ocean', media_count: 2 });
    expect(await listed()).toEqual([
      { name: 'Ocean', media_count: 2 },
      { name: 'Ocean/tides', media_count: 2 },
    ]);
  });

  test('an admin who is removed in the meantime is refused', async () => {
    await set(first, ['sea']);
    const held = holdBeforeCommit(connections[0]);
    const expelled = transaction(held.sql, async (tx) => {
      await tx`select from libraries where id = ${library} for no key update`;
      await tx`delete from memberships where library_id = ${library} and user_id = ${admin.id}`;
    });
    await held.reached;
    const deleted = tagsOn(1).delete(viewerOf(admin), { libraryId: library, tag: 'sea' });
    const settled = Promise.allSettled([deleted]);
    expect(await blockedOrDone(sql, deleted)).toBe('blocked');
    held.letGo();
    await expelled;
    expect(await settled).toMatchObject([{ reason: { code: 'E_LIBRARY_NOT_FOUND' } }]);
    expect(await tagsOf(first)).toEqual(['sea']);
  });

  /** Merges `first` into `second` with the locks of a merge, and waits after it has locked the media. */
  function mergeAfter(opened: Promise<void>, locked: () => void) {
    return transaction(connections[0], async (tx) => {
      await lockListings(tx, [first, second]);
      await tx`select from media where id = any(${[first, second].sort()}::uuid[]) order by id for update`;
      locked();
      await opened;
      await replaceMedia(tx, first, second);
    });
  }

  test('a rename does not wait for a merge of media that has only locked them, and the merge copies the new names', async () => {
    await set(first, ['sea', 'sea/tides']);
    await set(second, ['ocean/TIDES']);
    const [locked, free] = [gate(), gate()];
    const merged = mergeAfter(free.opened, locked.open);
    await locked.opened;
    const renamed = tagsOn(1).rename(viewerOf(admin), oceans());
    expect(await blockedOrDone(sql, renamed)).toBe('done');
    free.open();
    await Promise.all([renamed, merged]);
    expect(await tagsOf(second)).toEqual(['Ocean', 'ocean/TIDES']);
  });

  test('a merge of media waits for a rename, and copies the new names', async () => {
    await set(first, ['sea']);
    const held = holdBeforeCommit(connections[1]);
    const renamed = createLibraryTags({ sql: held.sql }).rename(viewerOf(admin), oceans());
    await held.reached;
    const merged = mergeAfter(Promise.resolve(), () => {});
    expect(await blockedOrDone(sql, merged)).toBe('blocked');
    held.letGo();
    await Promise.all([renamed, merged]);
    expect(await listed()).toEqual([{ name: 'Ocean', media_count: 1 }]);
    expect(await tagsOf(second)).toEqual(['Ocean']);
  });

  test('tags that are added while the tag above is renamed back and forth are neither lost nor doubled', async () => {
    const ROUNDS = 24;
    const media = [first, second];
    await set(first, ['keep']);
    for (let round = 0; round < ROUNDS; round += 1) {
      const [tag, name] = round % 2 === 0 ? ['keep', 'KEPT'] : ['kept', 'Keep'];
      const names = [`keep/${round}`];
      const mediaIds = media.slice(round % 3 === 0 ? 1 : 0);
      await Promise.all([
        tagsOn(0).addMany(viewerOf(contributor), { libraryId: library, mediaIds, names }),
        tagsOn(1).rename(viewerOf(admin), { libraryId: library, tag, name }),
      ]);
    }
    await tagsOn(1).rename(viewerOf(admin), { libraryId: library, tag: 'keep', name: 'kept' });
    const all = Array.from({ length: ROUNDS }, (_, round) => round);
    const namesOf = (rounds: number[]) => rounds.map((round) => `kept/${round}`).sort();
    const sorted = async (mediaId: string) =>
      (await tagsOf(mediaId)).map((name) => name.toLowerCase()).sort();
    expect(await sorted(first)).toEqual(['kept', ...namesOf(all.filter((round) => round % 3 !== 0))]);
    expect(await sorted(second)).toEqual(namesOf(all));
    const spellings = await sql`
      select lower(name) from library_media_tags where library_id = ${library}
      group by lower(name) having count(distinct name) > 1`;
    expect(spellings).toHaveLength(0);
  });
});
