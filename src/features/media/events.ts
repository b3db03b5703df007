import type { EventPayload, EventType } from '../../contract/events.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';
import { emitEvent, emitEvents } from '../../platform/outbox/emit-event.ts';

type MediaEvent = Extract<EventType, `media.${string}`>;
type Said<Type extends MediaEvent> = Omit<EventPayload<Type>, keyof EventPayload<'media.created'>>;

/**
 * Tells what happened to a media, which can fail and become readable more than once. Only `media.created` names a person,
 * and is heard by nobody else: whoever can read the media hears the others.
 */
export async function tellMedia<Type extends MediaEvent>(
  tx: Transaction,
  eventType: Type,
  mediaId: string,
  said: Said<Type>,
  requestId?: string,
): Promise<void> {
  const [media] = await tx<{ kind: string; created_by_user_id: string }[]>`
    select kind, created_by_user_id from media where id = ${mediaId}`;
  if (!media) return;
  const { kind, created_by_user_id } = media;
  const saver = eventType === 'media.created' ? { created_by_user_id } : {};
  await emitEvent(tx, {
    eventType: eventType as MediaEvent,
    aggregateType: 'media',
    aggregateId: mediaId,
    payload: { media_id: mediaId, kind, ...saver, ...said } as EventPayload<MediaEvent>,
    idempotencyKey: `media:${mediaId}:${newId()}`,
    requestId,
  });
}

/** Tells that media were created, for many at once. */
export async function tellMediaCreated(
  tx: Transaction,
  created: EventPayload<'media.created'>[],
  requestId?: string,
): Promise<void> {
  await emitEvents(
    tx,
    created.map((payload) => ({
      eventType: 'media.created',
      aggregateType: 'media',
      aggregateId: payload.media_id,
      payload,
      idempotencyKey: `media:${payload.media_id}:${newId()}`,
      requestId,
    })),
  );
}
