import type { Transaction } from '../../../platform/database/database.ts';
import { emitInvitationEvent } from '../events.ts';
import * as invitations from './invitation-store.ts';

/** Revokes what somebody has sent and nobody has answered, in all libraries: they are disabled. */
export async function revokeInvitationsBy(
  tx: Transaction,
  inviterId: string,
  requestId?: string,
): Promise<void> {
  await announce(tx, await invitations.revokeOfInviter(tx, inviterId), requestId);
}

/** Revokes somebody's pending invitations to one library: they are no longer an admin of it. */
export async function revokeInvitationsInLibrary(
  tx: Transaction,
  libraryId: string,
  inviterId: string,
  requestId?: string,
): Promise<void> {
  await announce(tx, await invitations.revokeOfInviter(tx, inviterId, libraryId), requestId);
}

async function announce(
  tx: Transaction,
  revoked: Awaited<ReturnType<typeof invitations.revokeOfInviter>>,
  requestId: string | undefined,
): Promise<void> {
  for (const invitation of revoked)
    await emitInvitationEvent(tx, 'invitation.revoked', invitation, requestId);
}
