import type { EventPayload, EventType } from '../../contract/events.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { emitEvents, type NewEvent } from '../../platform/outbox/emit-event.ts';

type MediaEvent = Extract<EventType, `media.${string}`>;

/** Emits one event for each of the media. Only `media.created` names a person, and only that person receives it. */
export async function emitMediaEvents<Type extends MediaEvent>(
  tx: Transaction,
  eventType: Type,
  payloads: EventPayload<Type>[],
  requestId?: string,
): Promise<void> {
  const events = payloads.map((payload) => ({
    eventType,
    aggregateType: 'media',
    aggregateId: payload.media_id,
    payload,
    requestId,
  }));
  await emitEvents(tx, events as NewEvent[]);
}
