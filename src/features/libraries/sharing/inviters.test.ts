import { beforeEach, describe, expect, test } from 'vitest';
import { DEV_KEYS, failure, useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import {
  createLibrary,
  createReader,
  invite,
  join,
  type Reader,
} from '../../../../test/support/libraries.ts';
import { blockedOrDone, holdBeforeCommit } from '../../../../test/support/races.ts';
import type { Database } from '../../../platform/database/database.ts';
import { createLogger } from '../../../platform/telemetry/logger.ts';
import { countHighlights } from '../../highlights/store.ts';
import { createBackfill } from '../closure/backfill.ts';
import { createInvitations } from './invitations.ts';
import { createMembers } from './members.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const actor = { name: 'test' };
const _log = createLogger({ level: 'silent', format: 'json' });

let owner: Reader;
let inviter: Reader;
let invitee: Reader;
let library: string;
let invitation: string;

beforeEach(async () => {
  [owner, inviter, invitee] = [await createReader(app), await createReader(app), await createReader(app)];
  library = await createLibrary(owner, 'Book club');
  await join(owner, library, inviter, 'admin');
  invitation = await invite(inviter, library, invitee);
});

const peopleOn = (on: Database) => app.another({ sql: on }).services.users;
const membersOn = (on: Database) => createMembers({ sql: on, countHighlights });
const invitationsOn = (on: Database) => {
  const backfill = createBackfill({ sql: on });
  return createInvitations({ sql: on, users: app.services.users, backfill });
};

/** The ways to lose the right to invite, each on a given connection. */
const LOSSES = {
  demoted: (on: Database) =>
    membersOn(on).changeRole(owner.id, library, { memberId: inviter.id, role: 'member' }, actor),
  'made a contributor': (on: Database) =>
    membersOn(on).changeRole(owner.id, library, { memberId: inviter.id, role: 'contributor' }, actor),
  removed: (on: Database) => membersOn(on).remove(owner.id, library, inviter.id, actor),
  disabled: (on: Database) => peopleOn(on).update(inviter.id, { is_enabled: false }, actor),
};
type Loss = keyof typeof LOSSES;
const losses = Object.keys(LOSSES) as Loss[];

const accept = () => invitee.post(`/libraries/invites/${invitation}/accept`);
const statusOf = async (id = invitation) => {
  const [row] = await sql`select status from library_invitations where id = ${id}`;
  return row?.status;
};
const isMember = async () =>
  (await sql`select from memberships where library_id = ${library} and user_id = ${invitee.id}`).length === 1;

describe.each(losses)('an invitation whose inviter was %s', (loss) => {
  test('is revoked: it cannot be accepted, and every list shows it as revoked', async () => {
    await LOSSES[loss](sql);
    expect(await accept()).toMatchObject(failure(409, 'E_INVITE_NOT_PENDING'));
    expect(await isMember()).toBe(false);
    for (const path of ['/libraries/invites', `/libraries/${library}/invites`]) {
      const reader = path === '/libraries/invites' ? invitee : owner;
      expect((await reader.get(path)).body.data).toEqual([]);
      expect((await reader.get(`${path}?status=revoked`)).body.data).toMatchObject([{ id: invitation }]);
    }
  });

  test('emits an event in the same transaction', async () => {
    const told = () => sql`
      select payload from outbox_event where event_type = 'invitation.revoked' and aggregate_id = ${invitation}`;
    const held = holdBeforeCommit(database.twoConnections()[0]);
    const losing = LOSSES[loss](held.sql);
    await held.reached;
    expect(await told()).toHaveLength(0);
    held.letGo();
    await losing;
    expect([...(await told())]).toMatchObject([
      { payload: { invitation_id: invitation, library_id: library } },
    ]);
  });

  test('cannot be accepted at the same time: the acceptance waits and is refused', async () => {
    const [one, two] = database.twoConnections();
    const held = holdBeforeCommit(one);
    const losing = LOSSES[loss](held.sql);
    await held.reached;
    const viewer = { user_id: invitee.id, default_library_id: invitee.defaultLibraryId };
    const accepting = invitationsOn(two).accept(viewer, invitation, actor);
    accepting.catch(() => undefined);
    expect(await blockedOrDone(sql, accepting)).toBe('blocked');
    held.letGo();
    await losing;
    await expect(accepting).rejects.toMatchObject({ code: 'E_INVITE_NOT_PENDING' });
    expect(await isMember()).toBe(false);
  });

  test('stays accepted when the acceptance came first', async () => {
    const [one, two] = database.twoConnections();
    const held = holdBeforeCommit(one);
    const viewer = { user_id: invitee.id, default_library_id: invitee.defaultLibraryId };
    const accepting = invitationsOn(held.sql).accept(viewer, invitation, actor);
    await held.reached;
    const losing = LOSSES[loss](two);
    expect(await blockedOrDone(sql, losing)).toBe('blocked');
    held.letGo();
    await Promise.all([accepting, losing]);
    expect([await statusOf(), await isMember()]).toEqual(['accepted', true]);
    // A repeated answer is the same, even if the inviter has lost the right since.
    expect((await accept()).body.data).toMatchObject({ idempotent: true });
  });

  test('cannot be created at the same time', async () => {
    const other = await createReader(app);
    const [one, two] = database.twoConnections();
    const held = holdBeforeCommit(one);
    const losing = LOSSES[loss](held.sql);
    await held.reached;
    const inviting = invitationsOn(two).invite(inviter.id, library, {
      invitee_user_id: other.id,
      role: 'member',
    });
    inviting.catch(() => undefined);
    expect(await blockedOrDone(sql, inviting)).toBe('blocked');
    held.letGo();
    await losing;
    await expect(inviting).rejects.toMatchObject({
      code: expect.stringMatching(/^E_(FORBIDDEN|LIBRARY_NOT_FOUND)$/),
    });
    expect(
      await sql`select from library_invitations where library_id = ${library} and status = 'pending'`,
    ).toHaveLength(0);
  });
});

test('invitations of others, and to other libraries, stay pending', async () => {
  const elsewhere = await createLibrary(inviter, 'Elsewhere');
  const [other, another] = [await createReader(app), await createReader(app)];
  const [ofOwner, ofElsewhere] = [
    await invite(owner, library, other),
    await invite(inviter, elsewhere, another),
  ];
  await LOSSES.demoted(sql);
  expect([await statusOf(ofOwner), await statusOf(ofElsewhere)]).toEqual(['pending', 'pending']);
  await LOSSES.disabled(sql);
  expect([await statusOf(ofOwner), await statusOf(ofElsewhere)]).toEqual(['pending', 'revoked']);
});

test('disabling somebody over the API revokes their invitations', async () => {
  const path = `/api/v1/users/${inviter.id}`;
  await app.call('PATCH', path, { key: DEV_KEYS.admin, body: { is_enabled: false } });
  expect(await statusOf()).toBe('revoked');
  await app.call('PATCH', path, { key: DEV_KEYS.admin, body: { is_enabled: true } });
  expect(await accept()).toMatchObject(failure(409, 'E_INVITE_NOT_PENDING'));
  expect(await statusOf(await invite(inviter, library, invitee))).toBe('pending');
});

test('the invitations of somebody who stays an admin stay pending', async () => {
  await membersOn(sql).changeRole(owner.id, library, { memberId: inviter.id, role: 'admin' }, actor);
  await sql`update users set disabled_at = null where id = ${inviter.id}`;
  expect((await accept()).status).toBe(200);
});
