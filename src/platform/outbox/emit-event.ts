import { EVENTS, type EventPayload, type EventType, type OutboxEvent } from '../../contract/events.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { newId } from '../ids.ts';
import { type Emittable, serialise } from './serialise.ts';
import { EVENTS_EMITTED } from './topics.ts';

export interface NewEvent<Type extends EventType = EventType> {
  eventType: Type;
  aggregateType: string;
  aggregateId: string;
  payload: Emittable<EventPayload<Type>>;
  /**
   * One event of a type has this key. By default it is the aggregate's name, for what happens to an aggregate once; what
   * can happen again needs a key that tells one time from the next.
   */
  idempotencyKey?: string | undefined;
  requestId?: string | undefined;
}

/**
 * Tells that something has happened, in the transaction that makes it true: either both are committed, or neither is.
 *
 *     await transaction(sql, async (tx) => {
 *       await store.insertLibrary(tx, library);
 *       await emitEvent(tx, { eventType: 'library.created', aggregateType: 'library', aggregateId: library.id, … });
 *     });
 *
 * Returns the event, which is pending: delivery starts when the transaction has committed. Under a key that was used
 * before it returns the first event, writes nothing, and leaves the transaction as usable as it was.
 */
export async function emitEvent<Type extends EventType>(
  tx: Transaction,
  event: NewEvent<Type>,
): Promise<OutboxEvent> {
  const [emitted] = await emitEvents(tx, [event as NewEvent]);
  if (!emitted) throw new Error('Emitting one event answers with one.');
  return emitted;
}

/** The same for many, in one statement. In the order given. */
export async function emitEvents(tx: Transaction, events: NewEvent[]): Promise<OutboxEvent[]> {
  if (events.length === 0) return [];
  const drafts = events.map(draft);
  const inserted = await insertEvents(tx, drafts);
  const isRepeated = inserted.length < drafts.length;
  const known = [...inserted, ...(isRepeated ? await findByKey(tx, drafts) : [])];
  tx.notifyAfterCommit(EVENTS_EMITTED);
  const byKey = new Map(known.map((event) => [keyOf(event), event]));
  return drafts.map((wanted) => {
    const event = byKey.get(keyOf(wanted));
    if (!event) throw new Error(`The event ${wanted.event_type} was neither inserted nor found.`);
    return event;
  });
}

type Draft = Pick<
  OutboxEvent,
  | 'id'
  | 'event_type'
  | 'schema_version'
  | 'aggregate_type'
  | 'aggregate_id'
  | 'idempotency_key'
  | 'request_id'
> & { payload: string };

/** Checked as it will be read: a payload that does not fit its schema is refused before anything is written. */
function draft(event: NewEvent): Draft {
  const { schema_version, payload } = EVENTS[event.eventType];
  const text = serialise(event.payload);
  payload.parse(JSON.parse(text));
  return {
    id: newId(),
    event_type: event.eventType,
    schema_version,
    aggregate_type: event.aggregateType,
    aggregate_id: event.aggregateId,
    payload: text,
    idempotency_key: event.idempotencyKey ?? `${event.aggregateType}:${event.aggregateId}`,
    request_id: event.requestId ?? null,
  };
}

/** Of several who emit one key at once, the first to commit inserts; the others wait for it and insert nothing. */
async function insertEvents(tx: Transaction, drafts: Draft[]): Promise<OutboxEvent[]> {
  const column = <T>(read: (draft: Draft) => T) => drafts.map(read);
  return tx<OutboxEvent[]>`
    insert into outbox_event (
      id, event_type, schema_version, aggregate_type, aggregate_id, payload, idempotency_key, request_id
    )
    select *
    from unnest(
      ${column(({ id }) => id)}::uuid[],
      ${column(({ event_type }) => event_type)}::text[],
      ${column(({ schema_version }) => schema_version)}::smallint[],
      ${column(({ aggregate_type }) => aggregate_type)}::text[],
      ${column(({ aggregate_id }) => aggregate_id)}::text[],
      ${column(({ payload }) => payload)}::jsonb[],
      ${column(({ idempotency_key }) => idempotency_key)}::text[],
      ${column(({ request_id }) => request_id)}::text[]
    )
    on conflict (event_type, idempotency_key) do nothing
    returning ${eventColumns(tx)}`.named('outbox_emit');
}

async function findByKey(tx: Transaction, drafts: Draft[]): Promise<OutboxEvent[]> {
  return tx<OutboxEvent[]>`
    select ${eventColumns(tx)}
    from outbox_event
    where (event_type, idempotency_key) in (
      select *
      from unnest(
        ${drafts.map(({ event_type }) => event_type)}::text[],
        ${drafts.map(({ idempotency_key }) => idempotency_key)}::text[]
      )
    )`;
}

export function eventColumns(sql: Queryable) {
  return sql`
    outbox_event.id, outbox_event.event_type, outbox_event.schema_version, outbox_event.aggregate_type,
    outbox_event.aggregate_id, outbox_event.payload, outbox_event.idempotency_key, outbox_event.request_id,
    outbox_event.status, outbox_event.attempts, outbox_event.max_attempts, outbox_event.next_attempt_at,
    outbox_event.delivered_at, outbox_event.error_message, outbox_event.created_at, outbox_event.updated_at`;
}

function keyOf({ event_type, idempotency_key }: Pick<Draft, 'event_type' | 'idempotency_key'>): string {
  return `${event_type}\n${idempotency_key}`;
}
