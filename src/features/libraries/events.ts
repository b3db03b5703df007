import type { EventPayload, EventType } from '../../contract/events.ts';
import { type NewAuditEntry, recordAudit } from '../../platform/audit/audit.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { emitEvent, emitEvents, type NewEvent } from '../../platform/outbox/emit-event.ts';
import type { NewInvitation } from './sharing/invitation-store.ts';

type LibraryEvent = Extract<EventType, `library.${string}`>;
type InvitationEvent = Extract<EventType, `invitation.${string}`>;
type BackfillEvent = Extract<EventType, `backfill.${string}`>;

/** Emits one event for each payload. The aggregate is the library. */
export async function emitLibraryEvents<Type extends LibraryEvent>(
  tx: Transaction,
  eventType: Type,
  payloads: EventPayload<Type>[],
  requestId?: string,
): Promise<void> {
  const events = payloads.map((payload) => ({
    eventType,
    aggregateType: 'library',
    aggregateId: payload.library_id,
    payload,
    requestId,
  }));
  await emitEvents(tx, events as NewEvent[]);
}

/** Emits the event of a change to a library, and records it in the audit log under the same name. */
export async function recordLibraryChange<Type extends LibraryEvent>(
  tx: Transaction,
  eventType: Type,
  payload: EventPayload<Type>,
  entry: Pick<NewAuditEntry, 'actor' | 'details'>,
): Promise<void> {
  await recordAudit(tx, { action: eventType, ...entry });
  await emitLibraryEvents(tx, eventType, [payload], entry.actor.requestId);
}

export async function emitInvitationEvent(
  tx: Transaction,
  eventType: InvitationEvent,
  invitation: NewInvitation,
  requestId?: string,
): Promise<void> {
  const { id, library_id, inviter_user_id, invitee_user_id, role } = invitation;
  await emitEvent(tx, {
    eventType,
    aggregateType: 'invitation',
    aggregateId: id,
    payload: { invitation_id: id, library_id, inviter_user_id, invitee_user_id, role },
    requestId,
  });
}

export async function emitBackfillEvent<Type extends BackfillEvent>(
  tx: Transaction,
  eventType: Type,
  payload: EventPayload<Type>,
  requestId?: string,
): Promise<void> {
  const aggregateId = `${payload.default_library_id}:${payload.source_library_id}`;
  const event = { eventType, aggregateType: 'backfill', aggregateId, payload, requestId };
  await emitEvents(tx, [event as NewEvent]);
}
