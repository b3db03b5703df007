import type { EventPayload, EventType } from '../../contract/events.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { emitEvents, type NewEvent } from '../../platform/outbox/emit-event.ts';

type HighlightEvent = Extract<EventType, `highlight.${string}`>;
type Subject = { id: string; media_id: string; user_id: string };

interface Details<Type extends HighlightEvent> {
  /** The fields that only events of this type have. */
  own: Omit<EventPayload<Type>, 'highlight_id' | 'media_id' | 'user_id'>;
  actor: Pick<Actor, 'requestId'>;
}

/** Emits an event about a highlight. It says who did what with which highlight, and nothing of its text. */
export async function emitHighlightEvent<Type extends HighlightEvent>(
  tx: Transaction,
  eventType: Type,
  subject: Subject,
  details: Details<Type>,
): Promise<void> {
  await emitHighlightEvents(tx, eventType, [subject], details);
}

/** Emits the same event about each of many highlights. */
export async function emitHighlightEvents<Type extends HighlightEvent>(
  tx: Transaction,
  eventType: Type,
  subjects: Subject[],
  { own, actor: { requestId } }: Details<Type>,
): Promise<void> {
  const events = subjects.map(({ id, media_id, user_id }) => {
    const payload = { highlight_id: id, media_id, user_id, ...own };
    return { eventType, aggregateType: 'highlight', aggregateId: id, payload, requestId };
  });
  await emitEvents(tx, events as NewEvent[]);
}
