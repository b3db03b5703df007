import { NexusError } from '../../../contract/errors.ts';
import type { LibraryRole, Member } from '../../../contract/libraries.ts';
import type { ListQuery } from '../../../contract/wire.ts';
import type { Actor } from '../../../platform/audit/audit.ts';
import { cutByCursor, cutPage, decodeCursor, readCursor } from '../../../platform/cursor.ts';
import type { Database, Queryable, Transaction } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { versionOf } from '../../../platform/version-tag.ts';
import { refuseDefault, requireAdmin, requireMember, requireOwner } from '../access/access.ts';
import { deleteBackfill, lockBackfill } from '../closure/backfill-store.ts';
import { removeMemberClosure } from '../closure/closure.ts';
import { recordLibraryChange } from '../events.ts';
import { getLibrary } from '../libraries.ts';
import * as store from '../store.ts';
import { revokeInvitations } from './invitations.ts';
import * as members from './member-store.ts';

export type Members = ReturnType<typeof createMembers>;

/** Counts the highlights that are shared with a library, by a member and by others. */
export type CountHighlights = (
  sql: Queryable,
  libraryId: string,
  memberId: string,
) => Promise<{ by_member: number; by_others: number }>;

interface MembersDependencies {
  sql: Database;
  countHighlights: CountHighlights;
}

export function createMembers({ sql, countHighlights }: MembersDependencies) {
  return {
    async list(userId: string, libraryId: string, query: ListQuery) {
      requireAdmin(await store.findLibrary(sql, userId, libraryId));
      const last = decodeCursor(query.cursor, members.memberCursor);
      const rows = await members.listMembers(sql, libraryId, last, query.limit + 1);
      return cutByCursor(rows, query.limit);
    },

    async get(userId: string, libraryId: string, memberId: string): Promise<Member> {
      requireAdmin(await store.findLibrary(sql, userId, libraryId));
      return requireMembership(sql, libraryId, memberId);
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
        actor.requireVersion?.(memberVersion(member));
        refuseOwner(member);
        if (member.role === role) return member;
        if (role !== 'admin') await keepOneAdmin(tx, libraryId, member);
        await members.changeRole(tx, libraryId, memberId, role);
        if (role !== 'admin')
          await revokeInvitations(tx, memberId, { libraryId, requestId: actor.requestId });
        const details = { library_id: libraryId, user_id: memberId, role };
        await recordLibraryChange(tx, 'library.member_role_changed', details, { actor, details });
        return { ...member, role };
      });
    },

    /** Removes a member, by an admin or by the member themselves. Does nothing for somebody who is not a member. */
    async remove(userId: string, libraryId: string, memberId: string, actor: Actor): Promise<void> {
      const default_library_id = await members.findDefaultLibraryId(sql, memberId);
      await transaction(sql, async (tx) => {
        requireLeaving(await store.findLibrary(tx, userId, libraryId), userId, memberId);
        if (default_library_id === undefined) return;
        await store.holdAdmissions(tx, libraryId);
        const backfill = { default_library_id, source_library_id: libraryId, user_id: memberId };
        await lockBackfill(tx, backfill);
        const locked = await members.lockMemberships(tx, libraryId, [memberId]);
        const library = requireLeaving(await store.lockLibrary(tx, userId, libraryId), userId, memberId);
        refuseDefault(library);
        if (!locked.has(memberId)) return;
        const member = await requireMembership(tx, libraryId, memberId);
        refuseOwner(member);
        await keepOneAdmin(tx, libraryId, member);
        await removeMemberClosure(tx, default_library_id, libraryId);
        await members.deleteMembership(tx, libraryId, memberId);
        await deleteBackfill(tx, backfill);
        await revokeInvitations(tx, memberId, { libraryId, requestId: actor.requestId });
        const details = { library_id: libraryId, user_id: memberId };
        await recordLibraryChange(tx, 'library.member_removed', details, { actor, details });
      });
    },

    library: (userId: string, libraryId: string) => getLibrary(sql, userId, libraryId),

    /** Transfers ownership to a member, who becomes an admin. The old owner stays an admin. */
    async transferOwnership(userId: string, libraryId: string, newOwnerId: string, actor: Actor) {
      const transfer = async (tx: Transaction) => {
        requireMember(await store.findLibrary(tx, userId, libraryId));
        const locked = await members.lockMemberships(tx, libraryId, [userId, newOwnerId]);
        const library = requireMember(await store.lockLibrary(tx, userId, libraryId));
        refuseDefault(library);
        // A repeated call comes from somebody who is no longer the owner.
        if (library.role === 'admin' && library.owner_user_id === newOwnerId)
          return getLibrary(tx, userId, libraryId);
        requireOwner(library, userId);
        if (!locked.has(newOwnerId)) {
          throw new NexusError(
            'E_OWNERSHIP_TRANSFER_INVALID',
            'Ownership can only be transferred to a member. Invite this person first.',
          );
        }
        await members.changeRole(tx, libraryId, newOwnerId, 'admin');
        await members.changeOwner(tx, libraryId, newOwnerId);
        const details = { library_id: libraryId, from_user_id: userId, to_user_id: newOwnerId };
        await recordLibraryChange(tx, 'library.ownership_transferred', details, { actor, details });
        return getLibrary(tx, userId, libraryId);
      };
      return transaction(sql, transfer, actor);
    },

    /** Previews what a member would lose when removed, and what they would keep and why. */
    async previewRemoval(adminId: string, libraryId: string, memberId: string, query: ListQuery) {
      refuseDefault(requireAdmin(await store.findLibrary(sql, adminId, libraryId)));
      refuseOwner(await requireMembership(sql, libraryId, memberId));
      const default_library_id = await members.findDefaultLibraryId(sql, memberId);
      if (default_library_id === undefined) throw new Error('A member has no default library.');
      const removal = { adminId, libraryId, member: { user_id: memberId, default_library_id } };
      const [counts, highlights] = await Promise.all([
        members.countKept(sql, removal),
        countHighlights(sql, libraryId, memberId),
      ]);
      const rows = await members.listKept(sql, removal, readCursor(query.cursor), query.limit + 1);
      const { data: kept, page } = cutPage(rows, query.limit);
      return { data: { library_id: libraryId, user_id: memberId, ...counts, highlights, kept }, page };
    },
  };
}

/** Names the state of a membership that admins change. */
export function memberVersion({ role, is_owner }: Member): string {
  return versionOf(role, is_owner);
}

function requireLeaving(found: store.MemberLibrary | undefined, userId: string, memberId: string) {
  return userId === memberId ? requireMember(found) : requireAdmin(found);
}

async function requireMembership(sql: Queryable, libraryId: string, userId: string): Promise<Member> {
  return (await members.findMember(sql, libraryId, userId)) ?? notAMember();
}

function notAMember(): never {
  throw new NexusError('E_NOT_FOUND', 'This person is not a member of the library.');
}

function refuseOwner(member: Member): void {
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
