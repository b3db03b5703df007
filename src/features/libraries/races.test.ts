import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import {
  auditOf,
  closureOf,
  createLibrary,
  createReader,
  invite,
  join,
  type Reader,
  saveMedia,
} from '../../../test/support/libraries.ts';
import { blockedOrDone, holdBeforeBegin, holdBeforeCommit } from '../../../test/support/races.ts';
import type { Database } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';
import { createLogger } from '../../platform/telemetry/logger.ts';
import { countHighlights } from '../highlights/store.ts';
import { createBackfill } from './closure/backfill.ts';
import { createLibraries } from './libraries.ts';
import { createLibraryMedia } from './library-media.ts';
import { createInvitations } from './sharing/invitations.ts';
import { createMembers } from './sharing/members.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const connections = database.twoConnections();
const log = createLogger({ level: 'silent', format: 'json' });
const actor = { name: 'test' };

let owner: Reader;
let member: Reader;
let library: string;
let media: string;

beforeEach(async () => {
  [owner, member] = [await createReader(app), await createReader(app)];
  library = await createLibrary(owner);
  media = await saveMedia(sql, owner);
});

/** After every test the closure must be exact. */
afterEach(async () => {
  for (const [reader, source] of pendingBackfills.splice(0)) await backfill(sql, reader, source);
  expect(await auditOf(sql)).toEqual([]);
});

const pendingBackfills: [Reader, string][] = [];
const viewer = ({ id, defaultLibraryId }: Reader) => ({ user_id: id, default_library_id: defaultLibraryId });
const keyOf = (reader: Reader, source: string) => ({
  default_library_id: reader.defaultLibraryId,
  source_library_id: source,
  user_id: reader.id,
});

const nothing = async () => undefined;
const backfillOn = (on: Database, batchSize = 10_000) => createBackfill({ sql: on, batchSize });

function backfill(on: Database, reader: Reader, source: string, batchSize?: number) {
  const context = {
    jobId: newId(),
    requestId: null,
    signal: new AbortController().signal,
    log,
    complete: nothing,
  };
  return backfillOn(on, batchSize).run(keyOf(reader, source), context);
}

const add = (on: Database, by: Reader, to: string, mediaId: string) =>
  createLibraryMedia({ sql: on }).add(viewer(by), to, mediaId);
const remove = (on: Database, by: Reader, from: string, mediaId: string) =>
  createLibraryMedia({ sql: on }).remove(viewer(by), from, mediaId);
const removeMember = (on: Database, by: Reader, who: Reader) =>
  createMembers({ sql: on, countHighlights }).remove(by.id, library, who.id, actor);
const transfer = (on: Database, by: Reader, to: Reader) =>
  createMembers({ sql: on, countHighlights }).transferOwnership(by.id, library, to.id, actor);
const deleteLibrary = (on: Database) => createLibraries({ sql: on }).delete(owner.id, library, actor);
const accept = (on: Database, who: Reader, invitationId: string) =>
  createInvitations({ sql: on, users: app.services.users, backfill: backfillOn(on) }).accept(
    viewer(who),
    invitationId,
    actor,
  );

type Act = (on: Database) => Promise<unknown>;

/**
 * Runs `first` up to its commit, starts `second`, checks whether it waits, and lets both end. With `skip`, that many
 * transactions of `first` commit before.
 */
async function inOrder(first: Act, second: Act, { skip = 0 } = {}) {
  const held = holdBeforeCommit(connections[0], { skip });
  const one = Promise.allSettled([first(held.sql)]);
  await held.reached;
  const begun = second(connections[1]);
  const [two, waited] = [Promise.allSettled([begun]), await blockedOrDone(sql, begun)];
  held.letGo();
  const [[firstEnd], [secondEnd]] = await Promise.all([one, two]);
  return { waited, first: outcome(firstEnd), second: outcome(secondEnd) };
}

function outcome(settled: PromiseSettledResult<unknown>): unknown {
  return settled.status === 'fulfilled' ? settled.value : (settled.reason as { code?: string }).code;
}

describe('adding media while somebody joins', () => {
  test('the addition first: the backfill waits for it and finds its media', async () => {
    const invitation = await invite(owner, library, member);
    const joinAndFill: Act = async (on) => {
      await accept(on, member, invitation);
      return backfill(on, member, library);
    };
    const { waited } = await inOrder((on) => add(on, owner, library, media), joinAndFill);
    expect(waited).toBe('blocked');
    expect(await closureOf(sql, member.defaultLibraryId, media)).toMatchObject({
      listed: true,
      edges: [library],
    });
  });

  test('the acceptance first: the addition does not see the member, and the backfill adds the media', async () => {
    const invitation = await invite(owner, library, member);
    const { waited } = await inOrder(
      (on) => accept(on, member, invitation),
      (on) => add(on, owner, library, media),
    );
    expect(waited).toBe('done');
    expect((await closureOf(sql, member.defaultLibraryId, media)).edges).toEqual([]);
    await backfill(sql, member, library);
    expect((await closureOf(sql, member.defaultLibraryId, media)).edges).toEqual([library]);
  });

  test('the backfill first: the addition waits for it and sees the member', async () => {
    await join(owner, library, member);
    const { waited } = await inOrder(
      (on) => backfill(on, member, library),
      (on) => add(on, owner, library, media),
    );
    expect(waited).toBe('blocked');
    expect((await closureOf(sql, member.defaultLibraryId, media)).edges).toEqual([library]);
  });
});

describe('a backfill while its member is removed', () => {
  beforeEach(async () => {
    await add(sql, owner, library, media);
    await add(sql, owner, library, await saveMedia(sql, owner));
    await join(owner, library, member);
  });

  const leftOver = async () => ({
    edges: (
      await sql`select from default_library_closure_edges where default_library_id = ${member.defaultLibraryId}`
    ).length,
    listed: (await sql`select from library_media where library_id = ${member.defaultLibraryId}`).length,
    backfills: (await sql`select from default_library_backfill_jobs where user_id = ${member.id}`).length,
  });

  test('the backfill first: the removal waits and removes everything again', async () => {
    const { waited } = await inOrder(
      (on) => backfill(on, member, library),
      (on) => removeMember(on, owner, member),
    );
    expect(waited).toBe('blocked');
    expect(await leftOver()).toEqual({ edges: 0, listed: 0, backfills: 0 });
  });

  test('the removal first: the backfill waits and finds nothing to do', async () => {
    const { waited, second } = await inOrder(
      (on) => removeMember(on, owner, member),
      (on) => backfill(on, member, library),
    );
    expect(waited).toBe('blocked');
    expect(second).toMatchObject({ result: { outcome: 'skipped' } });
    expect(await leftOver()).toEqual({ edges: 0, listed: 0, backfills: 0 });
  });

  test('the removal between two batches: the second one writes nothing', async () => {
    const held = holdBeforeBegin(connections[0], { skip: 1 });
    const filling = backfill(held.sql, member, library, 1);
    await held.reached;
    expect(await leftOver()).toEqual({ edges: 1, listed: 1, backfills: 1 });
    await removeMember(connections[1], owner, member);
    held.letGo();
    expect(await filling).toMatchObject({ result: { outcome: 'skipped', reason: 'no longer ours' } });
    expect(await leftOver()).toEqual({ edges: 0, listed: 0, backfills: 0 });
  });
});

describe('removing media during a backfill', () => {
  beforeEach(async () => {
    await add(sql, owner, library, media);
    await join(owner, library, member);
  });

  test('the backfill first: the removal waits and removes its edge', async () => {
    const { waited } = await inOrder(
      (on) => backfill(on, member, library),
      (on) => remove(on, owner, library, media),
    );
    expect(waited).toBe('blocked');
    expect(await closureOf(sql, member.defaultLibraryId, media)).toMatchObject({ listed: false, edges: [] });
  });

  test('the removal first: the backfill waits and does not add the media again', async () => {
    const { waited } = await inOrder(
      (on) => remove(on, owner, library, media),
      (on) => backfill(on, member, library),
    );
    expect(waited).toBe('blocked');
    expect(await closureOf(sql, member.defaultLibraryId, media)).toMatchObject({ listed: false, edges: [] });
  });
});

test('of two parallel acceptances one adds the member, and the other is idempotent', async () => {
  const invitation = await invite(owner, library, member);
  const { waited, first, second } = await inOrder(
    (on) => accept(on, member, invitation),
    (on) => accept(on, member, invitation),
  );
  expect(waited).toBe('blocked');
  expect([first, second]).toMatchObject([{ idempotent: false }, { idempotent: true }]);
  expect(
    await sql`select from memberships where library_id = ${library} and user_id = ${member.id}`,
  ).toHaveLength(1);
});

test('of a parallel acceptance and decline one wins, and the other is refused', async () => {
  const decline: Act = (on) =>
    createInvitations({ sql: on, users: app.services.users, backfill: backfillOn(on) }).decline(
      member.id,
      invitation,
    );
  let invitation = await invite(owner, library, member);
  const declined = await inOrder(decline, (on) => accept(on, member, invitation));
  expect([declined.waited, declined.second]).toEqual(['blocked', 'E_INVITE_NOT_PENDING']);
  expect(
    await sql`select from memberships where library_id = ${library} and user_id = ${member.id}`,
  ).toHaveLength(0);
  invitation = await invite(owner, library, member);
  const accepted = await inOrder((on) => accept(on, member, invitation), decline);
  expect([accepted.waited, accepted.second]).toEqual(['blocked', 'E_INVITE_NOT_PENDING']);
});

test('somebody who is just accepting cannot be invited again', async () => {
  const invitation = await invite(owner, library, member);
  const { waited, second } = await inOrder(
    (on) => accept(on, member, invitation),
    (on) =>
      createInvitations({ sql: on, users: app.services.users, backfill: backfillOn(on) }).invite(
        owner.id,
        library,
        {
          invitee_user_id: member.id,
          role: 'member',
        },
      ),
  );
  expect([waited, second]).toEqual(['blocked', 'E_INVITE_MEMBER_EXISTS']);
});

test('two parallel requeues reset the row, and it is materialised once', async () => {
  await add(sql, owner, library, media);
  await join(owner, library, member);
  await backfill(sql, member, library);
  const requeue: Act = (on) => backfillOn(on).requeue(keyOf(member, library), actor);
  const { waited, first, second } = await inOrder(requeue, requeue);
  expect(waited).toBe('blocked');
  expect([first, second]).toMatchObject([
    { status: 'pending', attempts: 0, idempotent: false },
    { status: 'pending', attempts: 0, idempotent: false },
  ]);
  const runs = [await backfill(sql, member, library), await backfill(sql, member, library)];
  expect(runs).toMatchObject([undefined, { result: { outcome: 'skipped' } }]);
});

describe('deleting a library during a backfill', () => {
  beforeEach(async () => {
    await add(sql, owner, library, media);
    await join(owner, library, member);
  });

  test('the backfill first: the deletion waits and deletes everything', async () => {
    const { waited } = await inOrder((on) => backfill(on, member, library), deleteLibrary);
    expect(waited).toBe('blocked');
    expect(await closureOf(sql, member.defaultLibraryId, media)).toMatchObject({ listed: false, edges: [] });
  });

  test('the deletion first: the backfill waits and finds nothing to do', async () => {
    const { waited, second } = await inOrder(deleteLibrary, (on) => backfill(on, member, library));
    expect(waited).toBe('blocked');
    expect(second).toMatchObject({ result: { outcome: 'skipped' } });
    expect(await closureOf(sql, member.defaultLibraryId, media)).toMatchObject({ listed: false, edges: [] });
  });

  test('a deletion and an addition: the second one finds the library deleted, or deletes the media with it', async () => {
    const other = await saveMedia(sql, owner);
    const { waited, second } = await inOrder(deleteLibrary, (on) => add(on, owner, library, other));
    expect([waited, second]).toEqual(['blocked', 'E_LIBRARY_NOT_FOUND']);
    library = await createLibrary(owner);
    await inOrder((on) => add(on, owner, library, other), deleteLibrary);
    expect(await sql`select from library_media where library_id = ${library}`).toHaveLength(0);
  });
});

describe('transferring ownership while the new owner is removed', () => {
  beforeEach(() => join(owner, library, member, 'admin'));

  test('the transfer first: the new owner cannot be removed', async () => {
    const { waited, second } = await inOrder(
      (on) => transfer(on, owner, member),
      (on) => removeMember(on, owner, member),
    );
    expect([waited, second]).toEqual(['blocked', 'E_OWNER_EXIT_FORBIDDEN']);
    const [row] = await sql`select owner_user_id from libraries where id = ${library}`;
    expect(row?.owner_user_id).toBe(member.id);
  });

  test('the removal first: the transfer is refused', async () => {
    const { waited, second } = await inOrder(
      (on) => removeMember(on, owner, member),
      (on) => transfer(on, owner, member),
    );
    expect([waited, second]).toEqual(['blocked', 'E_OWNERSHIP_TRANSFER_INVALID']);
    const [row] = await sql`select owner_user_id from libraries where id = ${library}`;
    expect(row?.owner_user_id).toBe(owner.id);
  });

  test('an admin who is removed while removing another is refused', async () => {
    const third = await createReader(app);
    await join(owner, library, third, 'admin');
    const { waited, second } = await inOrder(
      (on) => removeMember(on, third, member),
      (on) => removeMember(on, member, third),
    );
    expect([waited, second]).toEqual(['blocked', 'E_LIBRARY_NOT_FOUND']);
  });
});

describe('a contributor who loses the role meanwhile', () => {
  const demote = (on: Database) =>
    createMembers({ sql: on, countHighlights }).changeRole(
      owner.id,
      library,
      { memberId: member.id, role: 'member' },
      actor,
    );
  const expel = (on: Database) => removeMember(on, owner, member);
  const listed = async (mediaId: string) =>
    (await sql`select from library_media where library_id = ${library} and media_id = ${mediaId}`).length ===
    1;
  let own: string;

  beforeEach(async () => {
    await join(owner, library, member, 'contributor');
    await backfill(sql, member, library);
    own = await saveMedia(sql, member);
  });

  test.each([
    ['demoted', demote, 'E_FORBIDDEN'],
    ['removed', expel, 'E_LIBRARY_NOT_FOUND'],
  ] as const)('is %s first: adding is refused', async (_how, lose, code) => {
    const { waited, second } = await inOrder(lose, (on) => add(on, member, library, own));
    expect([waited, second]).toEqual(['blocked', code]);
    expect(await listed(own)).toBe(false);
  });

  test.each([
    ['demoted', demote],
    ['removed', expel],
  ] as const)('adds first: being %s waits, and the media stays in the library', async (_how, lose) => {
    const { waited, first } = await inOrder((on) => add(on, member, library, own), lose);
    expect([waited, first]).toEqual(['blocked', { created: true }]);
    expect(await listed(own)).toBe(true);
  });

  test.each([
    ['demoted', demote, 'E_FORBIDDEN'],
    ['removed', expel, 'E_LIBRARY_NOT_FOUND'],
  ] as const)('is %s first: removing what they added is refused', async (_how, lose, code) => {
    await add(sql, member, library, own);
    const { waited, second } = await inOrder(lose, (on) => remove(on, member, library, own));
    expect([waited, second]).toEqual(['blocked', code]);
    expect(await listed(own)).toBe(true);
  });

  test('removes first: being removed waits, and the media is gone', async () => {
    await add(sql, member, library, own);
    const { waited, first } = await inOrder((on) => remove(on, member, library, own), expel);
    expect([waited, first]).toEqual(['blocked', undefined]);
    expect(await listed(own)).toBe(false);
  });

  test('removes what an editor has just removed and added again: it is no longer theirs', async () => {
    await add(sql, member, library, own);
    await add(sql, owner, owner.defaultLibraryId, own);
    const replace: Act = async (on) => {
      await remove(on, owner, library, own);
      return add(on, owner, library, own);
    };
    const removeOwn: Act = (on) => remove(on, member, library, own);
    const { waited, second } = await inOrder(replace, removeOwn, { skip: 1 });
    expect([waited, second]).toEqual(['blocked', 'E_FORBIDDEN']);
    expect(await listed(own)).toBe(true);
  });
});

describe('removing the last reason while another is added', () => {
  let second: string;

  beforeEach(async () => {
    second = await createLibrary(owner, 'Second');
    for (const id of [library, second]) {
      await join(owner, id, member);
      await backfill(sql, member, id);
    }
    await add(sql, owner, library, media);
  });

  test.each(['removal', 'addition'])('from one library and through another, the %s first', async (which) => {
    const acts: [Act, Act] = [
      (on) => remove(on, owner, library, media),
      (on) => add(on, owner, second, media),
    ];
    const [one, two] = which === 'removal' ? acts : acts.reverse();
    const { waited } = await inOrder(one as Act, two as Act);
    expect(waited).toBe('blocked');
    expect(await closureOf(sql, member.defaultLibraryId, media)).toEqual({
      listed: true,
      intrinsic: false,
      edges: [second],
    });
  });

  test.each(['removal', 'saving'])('from a library and by saving, the %s first', async (which) => {
    const acts: [Act, Act] = [
      (on) => remove(on, owner, library, media),
      (on) => add(on, member, member.defaultLibraryId, media),
    ];
    const [one, two] = which === 'removal' ? acts : acts.reverse();
    const { waited } = await inOrder(one as Act, two as Act);
    expect(waited).toBe('blocked');
    expect(await closureOf(sql, member.defaultLibraryId, media)).toEqual({
      listed: true,
      intrinsic: true,
      edges: [],
    });
  });

  test('removing both of the last two reasons in parallel removes the row', async () => {
    await add(sql, owner, second, media);
    const { waited } = await inOrder(
      (on) => remove(on, owner, library, media),
      (on) => remove(on, owner, second, media),
    );
    expect(waited).toBe('blocked');
    expect((await closureOf(sql, member.defaultLibraryId, media)).listed).toBe(false);
  });
});
