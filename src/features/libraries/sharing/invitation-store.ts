import type { Invitation, InvitationStatus, Membership } from '../../../contract/libraries.ts';
import type { Queryable, Transaction } from '../../../platform/database/database.ts';

/** Selects invitations. One that is answered or revoked keeps the name of the library: whoever left does not learn later ones. */
function invitations(sql: Queryable) {
  return sql`
    select
      invitation.id, invitation.library_id, coalesce(invitation.library_name, libraries.name) as library_name,
      invitation.inviter_user_id, inviter.username as inviter_username,
      invitation.invitee_user_id, invitee.username as invitee_username,
      invitation.role, invitation.status, invitation.created_at, invitation.responded_at
    from library_invitations as invitation
    join libraries on libraries.id = invitation.library_id
    join users as inviter on inviter.id = invitation.inviter_user_id
    join users as invitee on invitee.id = invitation.invitee_user_id`;
}

const currentName = (sql: Queryable) =>
  sql`(select name from libraries where libraries.id = library_invitations.library_id)`;

/** The stored fields of an invitation that do not change. */
export type NewInvitation = Pick<
  Invitation,
  'id' | 'library_id' | 'inviter_user_id' | 'invitee_user_id' | 'role'
>;

/** Inserts an invitation. False when the person has a pending one, also from a parallel transaction. */
export async function insertInvitation(tx: Transaction, invitation: NewInvitation): Promise<boolean> {
  const inserted = await tx`
    insert into library_invitations (id, library_id, inviter_user_id, invitee_user_id, role)
    values (${invitation.id}, ${invitation.library_id}, ${invitation.inviter_user_id},
      ${invitation.invitee_user_id}, ${invitation.role})
    on conflict (library_id, invitee_user_id) where status = 'pending' do nothing`;
  return inserted.count === 1;
}

export async function findInvitation(sql: Queryable, id: string): Promise<Invitation | undefined> {
  const [invitation] = await sql<Invitation[]>`${invitations(sql)} where invitation.id = ${id}`;
  return invitation;
}

/** Locks an invitation. Of several people who answer it at once, one goes first and the others see the answer. */
export async function lockInvitation(tx: Transaction, id: string): Promise<Invitation | undefined> {
  await tx`select from library_invitations where id = ${id} for update`;
  return findInvitation(tx, id);
}

/** Revokes the pending invitations that somebody has sent, in all libraries or in one, and returns them. */
export async function revokeOfInviter(tx: Transaction, inviterId: string, libraryId?: string) {
  return tx<NewInvitation[]>`
    update library_invitations
    set status = 'revoked', responded_at = now(), library_name = ${currentName(tx)}
    where inviter_user_id = ${inviterId}
      and status = 'pending'
      ${libraryId === undefined ? tx`` : tx`and library_id = ${libraryId}`}
    returning id, library_id, inviter_user_id, invitee_user_id, role`;
}

/**
 * Whether somebody may invite people to a library. Locks their row in `users` until the transaction ends, so that
 * disabling them happens before or after; `holdLibrary` does the same for demoting and removing them.
 */
export async function holdInviter(tx: Transaction, libraryId: string, inviterId: string): Promise<boolean> {
  const [inviter] = await tx`
    select
    from users
    where id = ${inviterId}
      and disabled_at is null
      and exists (
        select from memberships where library_id = ${libraryId} and user_id = ${inviterId} and role = 'admin'
      )
    for share`;
  return inviter !== undefined;
}

/** Lists invitations, newest first. */
export async function listInvitations(
  sql: Queryable,
  filter: { status: InvitationStatus } & ({ library_id: string } | { invitee_user_id: string }),
  before: string | null,
  limit: number,
): Promise<Invitation[]> {
  return sql<Invitation[]>`
    ${invitations(sql)}
    where invitation.status = ${filter.status}
      and ${
        'library_id' in filter
          ? sql`invitation.library_id = ${filter.library_id}`
          : sql`invitation.invitee_user_id = ${filter.invitee_user_id}`
      }
      ${before === null ? sql`` : sql`and invitation.id < ${before}`}
    order by invitation.id desc
    limit ${limit}`;
}

export type Answer = Exclude<InvitationStatus, 'pending'>;

export async function answerInvitation(tx: Transaction, id: string, status: Answer): Promise<void> {
  await tx`
    update library_invitations
    set status = ${status}, responded_at = now(), library_name = ${currentName(tx)}
    where id = ${id} and status = 'pending'`;
}

export async function insertMembership(tx: Transaction, member: Omit<Membership, 'created_at'>) {
  await tx`
    insert into memberships (library_id, user_id, role)
    values (${member.library_id}, ${member.user_id}, ${member.role})
    on conflict do nothing`;
}

export async function findMembership(sql: Queryable, libraryId: string, userId: string) {
  const [membership] = await sql<Membership[]>`
    select library_id, user_id, role, created_at
    from memberships
    where library_id = ${libraryId} and user_id = ${userId}`;
  return membership;
}
