import type { EventPayload, EventType } from '../../contract/events.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { emitEvent, type NewEvent } from '../../platform/outbox/emit-event.ts';

type HighlightEvent = Extract<EventType, `highlight.${string}`>;
type Subject = { id: string; media_id: string; user_id: string };
type Own<Type extends HighlightEvent> = Omit<EventPayload<Type>, 'highlight_id' | 'media_id' | 'user_id'>;

/** Emits an event about a highlight. It says who did what with which highlight, and nothing of its text. */
export async function emitHighlightEvent<Type extends HighlightEvent>(
  tx: Transaction,
  eventType: Type,
  { id, media_id, user_id }: Subject,
  own: Own<Type>,
  { requestId }: Pick<Actor, 'requestId'>,
): Promise<void> {
  const payload = { highlight_id: id, media_id, user_id, ...own };
  const event = { eventType, aggregateType: 'highlight', aggregateId: id, payload, requestId };
  await emitEvent(tx, event as NewEvent);
}
