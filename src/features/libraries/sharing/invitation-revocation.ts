import type { Transaction } from '../../../platform/database/database.ts';
import { emitInvitationEvent } from '../events.ts';
import * as invitations from './invitation-store.ts';

/** Revokes all pending invitations that a disabled person has sent. */
export async function revokeInvitationsBy(tx: Transaction, inviterId: string, requestId?: string) {
  await announce(tx, await invitations.revokeOfInviter(tx, inviterId), requestId);
}

/** Revokes the pending invitations that somebody has sent to one library, when they are no longer its admin. */
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
