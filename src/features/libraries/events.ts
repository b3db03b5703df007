import type { EventPayload, EventType } from '../../contract/events.ts';
import type { Invitation } from '../../contract/libraries.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';
import { emitEvent, emitEvents, type NewEvent } from '../../platform/outbox/emit-event.ts';

type LibraryEvent = Extract<EventType, `library.${string}`>;
type Invited = Extract<EventType, `invitation.${string}`>;
type Backfilled = Extract<EventType, `backfill.${string}`>;

/** What happens to a library can happen again: a media that was removed is added once more. */
export async function tellLibrary<Type extends LibraryEvent>(
  tx: Transaction,
  eventType: Type,
  payload: EventPayload<Type>,
  requestId?: string,
): Promise<void> {
  const { library_id } = payload as { library_id: string };
  await emitEvent(tx, {
    eventType: eventType as LibraryEvent,
    aggregateType: 'library',
    aggregateId: library_id,
    payload: payload as EventPayload<LibraryEvent>,
    idempotencyKey: `library:${library_id}:${newId()}`,
    requestId,
  });
}

/** Tells that media came into libraries. */
export async function tellMediaAdded(
  tx: Transaction,
  added: EventPayload<'library.media_added'>[],
  requestId?: string,
): Promise<void> {
  await tellContents(tx, 'library.media_added', added, requestId);
}

/** Tells that media went from libraries. Nobody has removed them when Nexus itself took them out. */
export async function tellMediaRemoved(
  tx: Transaction,
  removed: EventPayload<'library.media_removed'>[],
  requestId?: string,
): Promise<void> {
  await tellContents(tx, 'library.media_removed', removed, requestId);
}

async function tellContents<Type extends 'library.media_added' | 'library.media_removed'>(
  tx: Transaction,
  eventType: Type,
  payloads: EventPayload<Type>[],
  requestId: string | undefined,
): Promise<void> {
  const events = payloads.map((payload) => ({
    eventType,
    aggregateType: 'library',
    aggregateId: payload.library_id,
    payload,
    idempotencyKey: `library:${payload.library_id}:${newId()}`,
    requestId,
  }));
  await emitEvents(tx, events as NewEvent[]);
}

/** An invitation is made once and answered once. */
export async function tellInvitation(
  tx: Transaction,
  eventType: Invited,
  {
    id,
    library_id,
    inviter_user_id,
    invitee_user_id,
    role,
  }: Pick<Invitation, 'id' | 'library_id' | 'inviter_user_id' | 'invitee_user_id' | 'role'>,
  requestId?: string,
): Promise<void> {
  await emitEvent(tx, {
    eventType,
    aggregateType: 'invitation',
    aggregateId: id,
    payload: { invitation_id: id, library_id, inviter_user_id, invitee_user_id, role },
    requestId,
  });
}

/** A backfill runs again after every new acceptance, and when an operator asks for it. */
export async function tellBackfill<Type extends Backfilled>(
  tx: Transaction,
  eventType: Type,
  payload: EventPayload<Type>,
  requestId?: string,
): Promise<void> {
  const { default_library_id, source_library_id } = payload as EventPayload<'backfill.completed'>;
  const aggregateId = `${default_library_id}:${source_library_id}`;
  await emitEvent(tx, {
    eventType: eventType as Backfilled,
    aggregateType: 'backfill',
    aggregateId,
    payload: payload as EventPayload<Backfilled>,
    idempotencyKey: `backfill:${aggregateId}:${newId()}`,
    requestId,
  });
}
