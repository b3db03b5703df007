import { z } from 'zod';
import { NexusError } from '../../../contract/errors.ts';
import type { LibraryRole, Member } from '../../../contract/libraries.ts';
import type { ListQuery, Page } from '../../../contract/wire.ts';
import { type Actor, recordAudit } from '../../../platform/audit/audit.ts';
import { cutByCursor, decodeCursor } from '../../../platform/cursor.ts';
import type { Database, Queryable, Transaction } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { refuseDefault, requireAdmin, requireMember, requireOwner } from '../access/access.ts';
import { deleteBackfill, lockBackfill } from '../closure/backfill-store.ts';
import { removeMemberClosure } from '../closure/closure.ts';
import { emitLibraryEvents } from '../events.ts';
import { withCount } from '../library-counts.ts';
import * as store from '../store.ts';
import { revokeInvitationsInLibrary } from './invitation-revocation.ts';
import * as members from './member-store.ts';

export type Members = ReturnType<typeof createMembers>;

const position = z.object({ rank: z.int().min(0).max(2), since_us: z.int(), user_id: z.uuid() });

export function createMembers({ sql }: { sql: Database }) {
  return {
    async list(userId: string, libraryId: string, query: ListQuery): Promise<{ rows: Member[]; page: Page }> {
      requireAdmin(await store.findLibrary(sql, userId, libraryId));
      const last = decodeCursor(query.cursor, position);
      return cutByCursor(await members.listMembers(sql, libraryId, last, query.limit + 1), query.limit);
    },

    async changeRole(
      userId: string,
      libraryId: string,
      { memberId, role }: { memberId: string; role: LibraryRole },
      actor: Actor,
    ): Promise<Member> {
      return transaction(sql, async (tx) => {
        requireAdmin(await store.findLibrary(tx, userId, libraryId));
        await store.holdAdmissions(tx, libraryId);
        const locked = await members.lockMemberships(tx, libraryId, [memberId]);
        const library = requireAdmin(await store.lockLibrary(tx, userId, libraryId));
        refuseDefault(library);
        if (!locked.has(memberId)) notAMember();
        const member = await requireMembership(tx, libraryId, memberId);
        refuseOwner(member);
        if (member.role === role) return member;
        if (role === 'member') await keepOneAdmin(tx, libraryId, member);
        await members.changeRole(tx, libraryId, memberId, role);
        if (role !== 'admin') await revokeInvitationsInLibrary(tx, libraryId, memberId, actor.requestId);
        await recordAudit(tx, {
          action: 'library.member_role_changed',
          actor,
          details: { library_id: libraryId, user_id: memberId, role },
        });
        const changed = { library_id: libraryId, user_id: memberId, role };
        await emitLibraryEvents(tx, 'library.member_role_changed', [changed], actor.requestId);
        return { ...member, role };
      });
    },

    /** Removes a member, by an admin or by the member themselves. Does nothing for somebody who is not a member. */
    async remove(userId: string, libraryId: string, memberId: string, actor: Actor): Promise<void> {
      const defaultLibraryId = await members.findDefaultLibraryId(sql, memberId);
      await transaction(sql, async (tx) => {
        requireLeaving(await store.findLibrary(tx, userId, libraryId), userId, memberId);
        if (defaultLibraryId === undefined) return;
        await store.holdAdmissions(tx, libraryId);
        const backfill = {
          default_library_id: defaultLibraryId,
          source_library_id: libraryId,
          user_id: memberId,
        };
        await lockBackfill(tx, backfill);
        const locked = await members.lockMemberships(tx, libraryId, [memberId]);
        const library = requireLeaving(await store.lockLibrary(tx, userId, libraryId), userId, memberId);
        refuseDefault(library);
        if (!locked.has(memberId)) return;
        const member = await requireMembership(tx, libraryId, memberId);
        refuseOwner(member);
        await keepOneAdmin(tx, libraryId, member);
        await removeMemberClosure(tx, defaultLibraryId, libraryId);
        await members.deleteMembership(tx, libraryId, memberId);
        await deleteBackfill(tx, backfill);
        await revokeInvitationsInLibrary(tx, libraryId, memberId, actor.requestId);
        await recordAudit(tx, {
          action: 'library.member_removed',
          actor,
          details: { library_id: libraryId, user_id: memberId },
        });
        const removed = { library_id: libraryId, user_id: memberId };
        await emitLibraryEvents(tx, 'library.member_removed', [removed], actor.requestId);
      });
    },

    /** Transfers ownership to a member, who becomes an admin. The old owner stays an admin. */
    async transferOwnership(userId: string, libraryId: string, newOwnerId: string, actor: Actor) {
      const library = await transaction(sql, async (tx) => {
        requireMember(await store.findLibrary(tx, userId, libraryId));
        const locked = await members.lockMemberships(tx, libraryId, [userId, newOwnerId]);
        const library = requireMember(await store.lockLibrary(tx, userId, libraryId));
        refuseDefault(library);
        // A repeated call comes from somebody who is no longer the owner.
        if (library.role === 'admin' && library.owner_user_id === newOwnerId) return library;
        requireOwner(library, userId);
        if (!locked.has(newOwnerId)) {
          throw new NexusError(
            'E_OWNERSHIP_TRANSFER_INVALID',
            'Ownership can only be transferred to a member. Invite this person first.',
          );
        }
        await members.changeRole(tx, libraryId, newOwnerId, 'admin');
        await members.changeOwner(tx, libraryId, newOwnerId);
        const transfer = { library_id: libraryId, from_user_id: userId, to_user_id: newOwnerId };
        await recordAudit(tx, { action: 'library.ownership_transferred', actor, details: transfer });
        await emitLibraryEvents(tx, 'library.ownership_transferred', [transfer], actor.requestId);
        return requireMember(await store.findLibrary(tx, userId, libraryId));
      });
      return withCount(sql, userId, library);
    },
  };
}

function requireLeaving(found: store.MemberLibrary | undefined, userId: string, memberId: string) {
  return userId === memberId ? requireMember(found) : requireAdmin(found);
}

export async function requireMembership(sql: Queryable, libraryId: string, userId: string): Promise<Member> {
  return (await members.findMember(sql, libraryId, userId)) ?? notAMember();
}

function notAMember(): never {
  throw new NexusError('E_NOT_FOUND', 'This person is not a member of the library.');
}

export function refuseOwner(member: Member): void {
  if (!member.is_owner) return;
  throw new NexusError(
    'E_OWNER_EXIT_FORBIDDEN',
    'The owner must stay an admin of the library. Transfer ownership first.',
  );
}

async function keepOneAdmin(tx: Transaction, libraryId: string, leaving: Member): Promise<void> {
  if (leaving.role !== 'admin' || (await members.countAdmins(tx, libraryId)) > 1) return;
  throw new NexusError(
    'E_LAST_ADMIN_FORBIDDEN',
    'This is the last admin of the library. Make another member an admin first.',
  );
}
