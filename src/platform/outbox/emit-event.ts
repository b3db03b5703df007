import { EVENTS, type EventPayload, type EventType, type OutboxEvent } from '../../contract/events.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import type { SqlFragment } from '../database/statement.ts';
import { newId } from '../ids.ts';
import { currentTraceparent } from '../telemetry/tracing.ts';
import { type Emittable, serialise } from './serialise.ts';

/** The topic of notifications about new events. */
export const EVENTS_EMITTED = 'events';

export interface NewEvent<Type extends EventType = EventType> {
  eventType: Type;
  aggregateType: string;
  aggregateId: string;
  payload: Emittable<EventPayload<Type>>;
  /**
   * At most one event of a type has this key. Without it, an event that is marked `once` has its aggregate as key, and
   * each other event has a key made of its transaction and its place in it.
   */
  idempotencyKey?: string | undefined;
  requestId?: string | undefined;
  /** The span that caused it; the active one by default. */
  traceparent?: string | null;
}

/**
 * Writes an event in the transaction that makes it true: either both are committed, or neither is.
 *
 *     await transaction(sql, async (tx) => {
 *       await store.insertLibrary(tx, library);
 *       await emitEvent(tx, { eventType: 'library.created', aggregateType: 'library', aggregateId: library.id, … });
 *     });
 *
 * Returns the event, which is pending: delivery starts when the transaction has committed. If the key was used before,
 * it returns the first event, writes nothing, and leaves the transaction usable.
 */
export async function emitEvent<Type extends EventType>(
  tx: Transaction,
  event: NewEvent<Type>,
): Promise<OutboxEvent> {
  const wanted = draft(event as NewEvent);
  const [emitted] = await tx<OutboxEvent[]>`${insertion(tx, [wanted])} returning ${eventColumns(tx)}`;
  tx.notifyAfterCommit(EVENTS_EMITTED);
  const found = emitted ?? (await findByKey(tx, wanted));
  if (!found) throw new Error(`The event ${wanted.event_type} was neither inserted nor found.`);
  return found;
}

/** Events that are written with one statement. Writing 100,000 at once blocked the event loop for two seconds. */
const WRITTEN_AT_ONCE = 1000;

/** Emits events in their order, like `emitEvent`, without waiting until the last of them are written. */
export async function emitEvents(tx: Transaction, events: NewEvent[]): Promise<void> {
  for (let start = 0; start < events.length; start += WRITTEN_AT_ONCE) {
    const end = start + WRITTEN_AT_ONCE;
    const written = tx`${insertion(tx, events.slice(start, end).map(draft))}`;
    if (end < events.length) await written;
    else tx.send(written);
    tx.notifyAfterCommit(EVENTS_EMITTED);
  }
}

type Draft = Pick<
  OutboxEvent,
  'id' | 'event_type' | 'schema_version' | 'aggregate_type' | 'aggregate_id' | 'request_id'
> & { payload: string; idempotency_key: string | null; traceparent: string | null };

/** Checks the payload as it will be read: one that does not fit its schema is refused before anything is written. */
function draft(event: NewEvent): Draft {
  const { schema_version, payload, once } = EVENTS[event.eventType];
  const text = serialise(event.payload);
  payload.parse(JSON.parse(text));
  return {
    id: newId(),
    event_type: event.eventType,
    schema_version,
    aggregate_type: event.aggregateType,
    aggregate_id: event.aggregateId,
    payload: text,
    idempotency_key: event.idempotencyKey ?? (once ? `${event.aggregateType}:${event.aggregateId}` : null),
    request_id: event.requestId ?? null,
    traceparent: event.traceparent ?? currentTraceparent(),
  };
}

/** The number of events that a transaction has emitted so far. */
const emittedCounts = new WeakMap<Transaction, number>();

/**
 * If several transactions emit one key at once, the first to commit inserts it; the others wait for it and insert nothing.
 *
 * The key of a repeatable event is deterministic: the transaction, by number and time, and the position within it. A
 * transaction that is rolled back and retried emits under new keys, and its first try is gone. The number alone would not
 * do: in a restored database it counts from the start again, and could meet a key that is still there.
 */
function insertion(tx: Transaction, drafts: Draft[]): SqlFragment {
  const first = emittedCounts.get(tx) ?? 0;
  emittedCounts.set(tx, first + drafts.length);
  const column = <T>(read: (draft: Draft, index: number) => T) => drafts.map(read);
  return tx`
    insert into outbox_event (
      id, event_type, schema_version, aggregate_type, aggregate_id, payload, request_id, traceparent, idempotency_key
    )
    select
      id, event_type, schema_version, aggregate_type, aggregate_id, payload, request_id, traceparent,
      coalesce(
        key,
        concat_ws(':', aggregate_type, aggregate_id, pg_current_xact_id(), extract(epoch from now()), position)
      )
    from unnest(
      ${column(({ id }) => id)}::uuid[],
      ${column(({ event_type }) => event_type)}::text[],
      ${column(({ schema_version }) => schema_version)}::smallint[],
      ${column(({ aggregate_type }) => aggregate_type)}::text[],
      ${column(({ aggregate_id }) => aggregate_id)}::text[],
      ${column(({ payload }) => payload)}::jsonb[],
      ${column(({ request_id }) => request_id)}::text[],
      ${column(({ traceparent }) => traceparent)}::text[],
      ${column(({ idempotency_key }) => idempotency_key)}::text[],
      ${column((_draft, index) => first + index)}::int[]
    ) as draft (
      id, event_type, schema_version, aggregate_type, aggregate_id, payload, request_id, traceparent, key, position
    )
    on conflict (event_type, idempotency_key) do nothing`;
}

async function findByKey(tx: Transaction, { event_type, idempotency_key }: Draft) {
  const [event] = await tx<OutboxEvent[]>`
    select ${eventColumns(tx)}
    from outbox_event
    where event_type = ${event_type} and idempotency_key = ${idempotency_key}`;
  return event;
}

export function eventColumns(sql: Queryable) {
  return sql`
    outbox_event.id, outbox_event.event_type, outbox_event.schema_version, outbox_event.aggregate_type,
    outbox_event.aggregate_id, outbox_event.payload, outbox_event.idempotency_key, outbox_event.request_id,
    outbox_event.status, outbox_event.attempts, outbox_event.max_attempts, outbox_event.next_attempt_at,
    outbox_event.delivered_at, outbox_event.error_message, outbox_event.created_at, outbox_event.updated_at`;
}
