import type { EventPayload, EventType } from '../../contract/events.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { emitEvents, type NewEvent } from '../../platform/outbox/emit-event.ts';

type HighlightEvent = Extract<EventType, `highlight.${string}`>;
type Subject = { id: string; media_id: string; user_id: string };
type Own<Type extends HighlightEvent> = Omit<EventPayload<Type>, 'highlight_id' | 'media_id' | 'user_id'>;

/** Emits an event about a highlight. It says who did what with which highlight, and nothing of its text. */
export async function emitHighlightEvent<Type extends HighlightEvent>(
  tx: Transaction,
  eventType: Type,
  subject: Subject,
  own: Own<Type>,
  actor: Pick<Actor, 'requestId'>,
): Promise<void> {
  await emitHighlightEvents(tx, eventType, [subject], own, actor);
}

/** Emits the same event about each of many highlights. */
export async function emitHighlightEvents<Type extends HighlightEvent>(
  tx: Transaction,
  eventType: Type,
  subjects: Subject[],
  own: Own<Type>,
  { requestId }: Pick<Actor, 'requestId'>,
): Promise<void> {
  const events = subjects.map(({ id, media_id, user_id }) => {
    const payload = { highlight_id: id, media_id, user_id, ...own };
    return { eventType, aggregateType: 'highlight', aggregateId: id, payload, requestId };
  });
  await emitEvents(tx, events as NewEvent[]);
}
