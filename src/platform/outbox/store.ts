import type { EventStatus, OutboxDelivery, OutboxEvent, OutboxHealth } from '../../contract/events.ts';
import type { Database, Queryable, Transaction } from '../database/database.ts';
import { firstIdAt } from '../ids.ts';
import { eventColumns } from './emit-event.ts';

/** An event in the hands of a dispatcher. */
export interface ClaimedEvent extends OutboxEvent {
  claim_id: string;
  /** The subscribers that need not be called again. */
  delivered_to: string[];
}

/**
 * Takes the events that have been due for longest. For the time of the visibility timeout nobody else takes them, and no
 * lock is held meanwhile; after it they are due again, whatever became of the taker. One whose last attempt ended that
 * way has failed.
 */
export async function claimEvents(
  sql: Database,
  want: number,
  claimId: string,
  visibilitySeconds: number,
): Promise<ClaimedEvent[]> {
  return sql<ClaimedEvent[]>`
    with due as materialized (
      select id, attempts >= max_attempts as is_exhausted
      from outbox_event
      where status = 'pending' and next_attempt_at <= now()
      order by next_attempt_at
      limit ${want}
      for update skip locked
    ),
    exhausted as (
      update outbox_event
      set status = 'failed',
          next_attempt_at = null,
          claim_id = null,
          error_message = 'Nexus was stopped, or died, during the last attempt.',
          updated_at = now()
      from due
      where outbox_event.id = due.id and due.is_exhausted
    )
    update outbox_event
    set attempts = outbox_event.attempts + 1,
        claim_id = ${claimId},
        next_attempt_at = now() + ${visibilitySeconds} * interval '1 second',
        updated_at = now()
    from due
    where outbox_event.id = due.id and not due.is_exhausted
    returning
      ${eventColumns(sql)}, outbox_event.claim_id,
      array(
        select subscriber
        from outbox_delivery
        where outbox_delivery.event_id = outbox_event.id and outbox_delivery.delivered_at is not null
      ) as delivered_to`;
}

/** What became of one attempt at an event: whom it reached, and why it did not reach the others. */
export interface Settlement {
  event: ClaimedEvent;
  outcomes: { subscriber: string; error: string | null }[];
  retryDelaySeconds: number;
}

/**
 * Writes what became of events, in one statement. pending → delivered when nobody is left to tell; → failed when no
 * attempt is left; else still pending, and due later. Whoever lost their claim writes nothing. Returns how many were
 * written.
 */
export async function settleEvents(sql: Database, settlements: Settlement[]): Promise<number> {
  const column = <T>(read: (settlement: Settlement) => T) => settlements.map(read);
  const errorOf = ({ outcomes }: Settlement) => outcomes.find(({ error }) => error !== null)?.error ?? null;
  const calls = settlements.flatMap(({ event, outcomes }) =>
    outcomes.map((outcome) => ({ ...outcome, event_id: event.id })),
  );
  const [{ count }] = await sql<[{ count: number }]>`
    with outcome as (
      select *
      from unnest(
        ${column(({ event }) => event.id)}::uuid[],
        ${column(({ event }) => event.claim_id)}::uuid[],
        ${column(errorOf)}::text[],
        ${column(({ retryDelaySeconds }) => retryDelaySeconds)}::float8[]
      ) as outcome (id, claim_id, error, delay_seconds)
    ),
    settled as (
      update outbox_event
      set status = case
            when outcome.error is null then 'delivered'
            when outbox_event.attempts >= outbox_event.max_attempts then 'failed'
            else 'pending'
          end,
          delivered_at = case when outcome.error is null then now() end,
          next_attempt_at = case
            when outcome.error is not null and outbox_event.attempts < outbox_event.max_attempts
            then now() + outcome.delay_seconds * interval '1 second'
          end,
          error_message = coalesce(outcome.error, outbox_event.error_message),
          claim_id = null,
          updated_at = now()
      from outcome
      where outbox_event.id = outcome.id and outbox_event.claim_id = outcome.claim_id
      returning outbox_event.id
    ),
    recorded as (
      insert into outbox_delivery (event_id, subscriber, error_message, delivered_at)
      select call.event_id, call.subscriber, call.error, case when call.error is null then now() end
      from unnest(
        ${calls.map(({ event_id }) => event_id)}::uuid[],
        ${calls.map(({ subscriber }) => subscriber)}::text[],
        ${calls.map(({ error }) => error)}::text[]
      ) as call (event_id, subscriber, error)
      join settled on settled.id = call.event_id
      on conflict (event_id, subscriber) do update
      set attempts = outbox_delivery.attempts + 1,
          error_message = excluded.error_message,
          delivered_at = excluded.delivered_at
      where outbox_delivery.delivered_at is null
    )
    select count(*) from settled`;
  return count;
}

export async function untilNextDue(sql: Database): Promise<number | null> {
  const [row] = await sql<[{ wait_ms: number | null }]>`
    select extract(epoch from min(next_attempt_at) - now())::float8 * 1000 as wait_ms
    from outbox_event
    where status = 'pending'`;
  return row.wait_ms;
}

export interface EventFilter {
  status?: EventStatus | undefined;
  event_type?: string | undefined;
  aggregate_type?: string | undefined;
  aggregate_id?: string | undefined;
}

/** Newest first. */
export async function listEvents(
  sql: Queryable,
  filter: EventFilter,
  before: string | null,
  limit: number,
): Promise<OutboxEvent[]> {
  return sql<OutboxEvent[]>`
    select ${eventColumns(sql)}
    from outbox_event
    where true
      ${filter.status === undefined ? sql`` : sql`and status = ${filter.status}`}
      ${filter.event_type === undefined ? sql`` : sql`and event_type = ${filter.event_type}`}
      ${filter.aggregate_type === undefined ? sql`` : sql`and aggregate_type = ${filter.aggregate_type}`}
      ${filter.aggregate_id === undefined ? sql`` : sql`and aggregate_id = ${filter.aggregate_id}`}
      ${before === null ? sql`` : sql`and id < ${before}`}
    order by id desc
    limit ${limit}`;
}

export async function findEvent(sql: Queryable, id: string): Promise<OutboxEvent | undefined> {
  const [event] = await sql<OutboxEvent[]>`
    select ${eventColumns(sql)} from outbox_event where id = ${id}`;
  return event;
}

export async function listDeliveries(sql: Queryable, eventId: string): Promise<OutboxDelivery[]> {
  return sql<OutboxDelivery[]>`
    select subscriber, attempts, error_message, delivered_at
    from outbox_delivery
    where event_id = ${eventId}
    order by subscriber`;
}

/** failed → pending, with all its attempts before it. False when it is in another state. */
export async function retryEvent(tx: Transaction, id: string): Promise<boolean> {
  const reset = await tx`
    update outbox_event
    set status = 'pending', attempts = 0, next_attempt_at = now(), updated_at = now()
    where id = ${id} and status = 'failed'`;
  return reset.count === 1;
}

/** The part of the outbox's health that is about events. */
export type EventBacklog = Omit<
  OutboxHealth,
  'pending_webhook_deliveries' | 'failing_webhooks' | 'disabled_webhooks'
>;

export async function measureOutbox(sql: Queryable): Promise<EventBacklog> {
  const [health] = await sql<[EventBacklog]>`
    select
      count(*) as pending_count,
      count(*) filter (where next_attempt_at <= now()) as due_count,
      count(*) filter (where attempts > 0 and claim_id is null) as retrying_count,
      (select count(*) from outbox_event where status = 'failed') as failed_count,
      coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as oldest_pending_seconds,
      coalesce(greatest(0, extract(epoch from now() - min(next_attempt_at))), 0)::float8 as oldest_due_seconds
    from outbox_event
    where status = 'pending'`;
  return health;
}

const CLEANUP_BATCH = 1000;
const MS_PER_HOUR = 60 * 60 * 1000;

/** Deletes what has been over for so long, in batches; yields the size of each. Ids grow with time, so old ones come first. */
export async function* deleteOldEvents(sql: Database, hours: number): AsyncGenerator<number> {
  const youngest = firstIdAt(new Date(Date.now() - hours * MS_PER_HOUR));
  let last = firstIdAt(new Date(0));
  for (;;) {
    const candidates = await sql<{ id: string }[]>`
      select id from outbox_event where id > ${last} and id < ${youngest} order by id limit ${CLEANUP_BATCH}`;
    const lastCandidate = candidates.at(-1);
    if (!lastCandidate) return;
    const deleted = await sql`
      delete from outbox_event
      where id = any(${candidates.map(({ id }) => id)})
        and status <> 'pending'
        and updated_at < now() - ${hours} * interval '1 hour'`;
    yield deleted.count;
    last = lastCandidate.id;
  }
}
