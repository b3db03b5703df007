import type { z } from 'zod';
import { NexusError } from '../../../contract/errors.ts';
import type {
  BackfillKey,
  createInvitation,
  Invitation,
  InvitationStatus,
  invitationQuery,
} from '../../../contract/libraries.ts';
import type { Actor } from '../../../platform/audit/audit.ts';
import { cutPage, readCursor } from '../../../platform/cursor.ts';
import type { Database, Queryable, Transaction } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { newId } from '../../../platform/ids.ts';
import type { Users } from '../../identity/users.ts';
import { refuseDefault, requireAdmin } from '../access/access.ts';
import type { Viewer } from '../access/can-read-media.ts';
import type { Backfill } from '../closure/backfill.ts';
import { findBackfill } from '../closure/backfill-store.ts';
import { emitInvitationEvent, recordLibraryChange } from '../events.ts';
import { findLibrary, holdLibrary } from '../store.ts';
import * as invitations from './invitation-store.ts';

interface InvitationsDependencies {
  sql: Database;
  users: Pick<Users, 'get' | 'getByName'>;
  backfill: Pick<Backfill, 'start'>;
}

type InvitationQuery = z.output<typeof invitationQuery>;

/** Revokes the pending invitations that somebody has sent, in all libraries or in one. */
export async function revokeInvitations(
  tx: Transaction,
  inviterId: string,
  { libraryId, requestId }: { libraryId?: string; requestId?: string | undefined } = {},
): Promise<void> {
  for (const invitation of await invitations.revokeOfInviter(tx, inviterId, libraryId))
    await emitInvitationEvent(tx, 'invitation.revoked', invitation, requestId);
}

export type Invitations = ReturnType<typeof createInvitations>;

export function createInvitations({ sql, users, backfill }: InvitationsDependencies) {
  return {
    async invite(
      userId: string,
      libraryId: string,
      { invitee_user_id, invitee_username, role }: z.output<typeof createInvitation>,
      actor: Pick<Actor, 'requestId' | 'claim'> = {},
    ): Promise<Invitation> {
      refuseDefault(requireAdmin(await findLibrary(sql, userId, libraryId)));
      const invitee = invitee_user_id
        ? await users.get(invitee_user_id)
        : await users.getByName(invitee_username ?? '');
      return transaction(
        sql,
        async (tx) => {
          requireAdmin(await holdLibrary(tx, userId, libraryId));
          if (!(await invitations.holdInviter(tx, libraryId, userId))) mayNotInvite();
          const id = newId();
          const people = { inviter_user_id: userId, invitee_user_id: invitee.id };
          const isNew = await invitations.insertInvitation(tx, {
            id,
            library_id: libraryId,
            ...people,
            role,
          });
          // Checked after the insert, which waits for a parallel acceptance that may have made them a member.
          if (await invitations.findMembership(tx, libraryId, invitee.id)) {
            const message = `${invitee.username} is already a member of this library.`;
            throw new NexusError('E_INVITE_MEMBER_EXISTS', message);
          }
          if (!isNew) {
            const message = `${invitee.username} already has a pending invitation to this library.`;
            throw new NexusError('E_INVITE_ALREADY_EXISTS', message);
          }
          const invitation = requireInvitation(await invitations.findInvitation(tx, id));
          await emitInvitationEvent(tx, 'invitation.created', invitation, actor.requestId);
          return invitation;
        },
        actor,
      );
    },

    async listOfLibrary(userId: string, libraryId: string, query: InvitationQuery) {
      requireAdmin(await findLibrary(sql, userId, libraryId));
      return list({ library_id: libraryId }, query);
    },

    listOfInvitee: (userId: string, query: InvitationQuery) => list({ invitee_user_id: userId }, query),

    /** Makes the invitee a member, who reads the library at once, and starts filling their default library. */
    async accept({ user_id, default_library_id }: Viewer, invitationId: string, actor: Actor) {
      const found = requireInvitee(await invitations.findInvitation(sql, invitationId), user_id);
      const { library_id, inviter_user_id, role } = found;
      const accept = async (tx: Transaction) => {
        await holdLibrary(tx, user_id, library_id);
        const mayInvite = await invitations.holdInviter(tx, library_id, inviter_user_id);
        const invitation = requireInvitee(await invitations.lockInvitation(tx, invitationId), user_id);
        const key = { default_library_id, source_library_id: library_id, user_id };
        const idempotent = isAnsweredAlready(invitation, 'accepted');
        if (!idempotent) {
          if (!mayInvite) notPending('revoked', 'accepted');
          await backfill.start(tx, key, actor.requestId);
          const member = { library_id, user_id, role };
          await invitations.insertMembership(tx, member);
          await invitations.answerInvitation(tx, invitationId, 'accepted');
          await emitInvitationEvent(tx, 'invitation.accepted', invitation, actor.requestId);
          const details = { ...member, invitation_id: invitationId };
          await recordLibraryChange(tx, 'library.member_added', member, { actor, details });
        }
        const accepted = requireInvitation(await invitations.findInvitation(tx, invitationId));
        return { ...(await describeAcceptance(tx, accepted, key)), idempotent };
      };
      return transaction(sql, accept, actor);
    },

    /** Describes an invitation that the viewer has accepted, as it is now. */
    async accepted({ user_id, default_library_id }: Viewer, invitationId: string, idempotent: boolean) {
      const invitation = requireInvitee(await invitations.findInvitation(sql, invitationId), user_id);
      const key = { default_library_id, source_library_id: invitation.library_id, user_id };
      return { ...(await describeAcceptance(sql, invitation, key)), idempotent };
    },

    /** Returns an invitation to its invitee, and to admins of its library. */
    async get(userId: string, invitationId: string) {
      const invitation = requireInvitation(await invitations.findInvitation(sql, invitationId));
      if (invitation.invitee_user_id === userId) return invitation;
      const library = await findLibrary(sql, userId, invitation.library_id);
      return library?.role === 'admin' ? invitation : invitationNotFound();
    },

    async decline(userId: string, invitationId: string, actor: Pick<Actor, 'requestId' | 'claim'> = {}) {
      const decline = async (tx: Transaction) => {
        const invitation = requireInvitee(await invitations.lockInvitation(tx, invitationId), userId);
        const idempotent = isAnsweredAlready(invitation, 'declined');
        if (!idempotent) {
          await invitations.answerInvitation(tx, invitationId, 'declined');
          await emitInvitationEvent(tx, 'invitation.declined', invitation, actor.requestId);
        }
        const invite = requireInvitation(await invitations.findInvitation(tx, invitationId));
        return { invite, idempotent };
      };
      return transaction(sql, decline, actor);
    },

    /** Describes an invitation that the invitee has declined, as it is now. */
    async declined(userId: string, invitationId: string, idempotent: boolean) {
      return {
        invite: requireInvitee(await invitations.findInvitation(sql, invitationId), userId),
        idempotent,
      };
    },

    async revoke(userId: string, invitationId: string, requestId?: string): Promise<void> {
      await transaction(sql, async (tx) => {
        const invitation = requireInvitation(await invitations.lockInvitation(tx, invitationId));
        const library = await findLibrary(tx, userId, invitation.library_id);
        // The invitee and the library's members may know that it exists.
        if (!library && invitation.invitee_user_id !== userId) invitationNotFound();
        if (library?.role !== 'admin') {
          throw new NexusError('E_FORBIDDEN', 'Only admins of this library can revoke its invitations.');
        }
        if (isAnsweredAlready(invitation, 'revoked')) return;
        await invitations.answerInvitation(tx, invitationId, 'revoked');
        await emitInvitationEvent(tx, 'invitation.revoked', invitation, requestId);
      });
    },
  };

  async function list(
    of: { library_id: string } | { invitee_user_id: string },
    { status, cursor, limit }: InvitationQuery,
  ) {
    const rows = await invitations.listInvitations(sql, { ...of, status }, readCursor(cursor), limit + 1);
    return cutPage(rows, limit);
  }
}

async function describeAcceptance(sql: Queryable, invite: Invitation, key: BackfillKey) {
  const { source_library_id, user_id } = key;
  return {
    invite,
    membership: (await invitations.findMembership(sql, source_library_id, user_id)) ?? null,
    backfill_job_status: (await findBackfill(sql, key))?.status ?? null,
  };
}

/** Whether the invitation already has this answer. False when it is pending; throws when it has another one. */
function isAnsweredAlready(invitation: Invitation, answer: invitations.Answer): boolean {
  if (invitation.status === 'pending') return false;
  if (invitation.status === answer) return true;
  return notPending(invitation.status, answer);
}

function notPending(status: InvitationStatus, answer: InvitationStatus): never {
  throw new NexusError(
    'E_INVITE_NOT_PENDING',
    `This invitation was ${status} and can no longer be ${answer}.`,
  );
}

function mayNotInvite(): never {
  throw new NexusError('E_FORBIDDEN', 'Only admins of this library can do this.');
}

function requireInvitee(invitation: Invitation | undefined, userId: string): Invitation {
  return invitation?.invitee_user_id === userId ? invitation : invitationNotFound();
}

function requireInvitation(invitation: Invitation | undefined): Invitation {
  return invitation ?? invitationNotFound();
}

function invitationNotFound(): never {
  throw new NexusError('E_INVITE_NOT_FOUND', 'This invitation does not exist, or it is not yours.');
}
