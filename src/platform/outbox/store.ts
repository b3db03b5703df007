import type { EventStatus, OutboxDelivery, OutboxEvent, OutboxHealth } from '../../contract/events.ts';
import type { Database, Queryable, Transaction } from '../database/database.ts';
import { eventColumns } from './emit-event.ts';

interface EventFilter {
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

/** failed → pending, with all attempts left. False when it is in another state. */
export async function retryEvent(tx: Transaction, id: string): Promise<boolean> {
  const reset = await tx`
    update outbox_event
    set status = 'pending', attempts = 0, interruptions = 0, next_attempt_at = now(), updated_at = now()
    where id = ${id} and status = 'failed'`;
  return reset.count === 1;
}

/** The part of the outbox's health that is about events. */
type EventBacklog = Omit<
  OutboxHealth,
  'pending_webhook_deliveries' | 'failing_webhooks' | 'disabled_webhooks'
>;

export async function measureOutbox(sql: Queryable): Promise<EventBacklog> {
  const [health] = await sql<[EventBacklog]>`
    select
      count(*) as pending_count,
      count(*) filter (where next_attempt_at <= now() and claim_id is null) as due_count,
      count(*) filter (where attempts > 0 and claim_id is null) as retrying_count,
      (select count(*) from outbox_event where status = 'failed') as failed_count,
      coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as oldest_pending_seconds,
      coalesce(greatest(0, extract(epoch from now() - min(next_attempt_at) filter (where claim_id is null))), 0)::float8 as oldest_due_seconds
    from outbox_event
    where status = 'pending'`;
  return health;
}

/** Deletes those of the events that have been over for so many hours. Returns how many. */
export async function deleteOldEvents(sql: Database, ids: string[], hours: number): Promise<number> {
  const deleted = await sql`
    delete from outbox_event
    where id = any(${ids})
      and status <> 'pending'
      and updated_at < now() - ${hours} * interval '1 hour'`;
  return deleted.count;
}
