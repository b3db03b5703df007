import type { EventStatus } from '../../contract/events.ts';
import type { WebhookAttempt, WebhookDelivery } from '../../contract/webhooks.ts';
import type { Database, Queryable, Transaction } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';

/** The topic of notifications about deliveries to send. */
export const DELIVERIES_DUE = 'deliveries';

const deliveryColumns = (sql: Queryable) => sql`
  delivery.id, delivery.webhook_id, delivery.event_id, delivery.event_type, delivery.status, delivery.attempts,
  delivery.next_attempt_at, delivery.delivered_at, delivery.error_message, delivery.created_at, delivery.updated_at`;

interface NewDelivery {
  webhook_id: string;
  event_id: string;
  event_type: string;
  body: string;
  /** The span that caused it. */
  traceparent: string | null;
}

/**
 * Inserts deliveries in one statement. Those that exist, and those of webhooks that are gone or disabled, are left out. A webhook
 * that is being disabled is waited for: nobody would send what is inserted afterwards.
 */
export async function insertDeliveries(tx: Transaction, deliveries: NewDelivery[]): Promise<string[]> {
  const column = <T>(read: (delivery: NewDelivery) => T) => deliveries.map(read);
  const rows = await tx<{ id: string }[]>`
    insert into webhook_deliveries (id, webhook_id, event_id, event_type, body, traceparent)
    select delivery.id, webhooks.id, delivery.event_id, delivery.event_type, delivery.body, delivery.traceparent
    from unnest(
      ${deliveries.map(() => newId())}::uuid[],
      ${column(({ webhook_id }) => webhook_id)}::uuid[],
      ${column(({ event_id }) => event_id)}::uuid[],
      ${column(({ event_type }) => event_type)}::text[],
      ${column(({ body }) => body)}::text[],
      ${column(({ traceparent }) => traceparent)}::text[]
    ) as delivery (id, webhook_id, event_id, event_type, body, traceparent)
    join webhooks on webhooks.id = delivery.webhook_id and webhooks.disabled_at is null
    for key share of webhooks
    on conflict (webhook_id, event_id) do nothing
    returning id`;
  return rows.map(({ id }) => id);
}

export type FullDelivery = WebhookDelivery & { request_body: string; log: WebhookAttempt[] };

const logged = (sql: Queryable) => sql`
  ${deliveryColumns(sql)},
  delivery.body as request_body,
  coalesce(
    (
      select json_agg(to_jsonb(attempt) - 'delivery_id' order by attempt.id)
      from webhook_attempts as attempt
      where attempt.delivery_id = delivery.id
    ),
    '[]'
  ) as log`;

function withDates(delivery: FullDelivery): FullDelivery {
  const log = delivery.log.map((attempt) => ({ ...attempt, created_at: new Date(attempt.created_at) }));
  return { ...delivery, log };
}

export async function listDeliveries(
  sql: Queryable,
  webhookId: string,
  { status, before, limit }: { status: EventStatus | undefined; before: string | null; limit: number },
): Promise<FullDelivery[]> {
  const rows = await sql<FullDelivery[]>`
    select ${logged(sql)}
    from webhook_deliveries as delivery
    where delivery.webhook_id = ${webhookId}
      ${status === undefined ? sql`` : sql`and delivery.status = ${status}`}
      ${before === null ? sql`` : sql`and delivery.id < ${before}`}
    order by delivery.id desc
    limit ${limit}`;
  return rows.map(withDates);
}

export async function findDelivery(
  sql: Queryable,
  webhookId: string,
  id: string,
): Promise<FullDelivery | undefined> {
  const [row] = await sql<FullDelivery[]>`
    select ${logged(sql)}
    from webhook_deliveries as delivery
    where delivery.webhook_id = ${webhookId} and delivery.id = ${id}`;
  return row && withDates(row);
}

/** delivered | failed | waiting for its next attempt → pending and due, under the id and with the body that it had. */
export async function replayDelivery(tx: Transaction, id: string): Promise<boolean> {
  const reset = await tx`
    update webhook_deliveries
    set status = 'pending', attempts = 0, interruptions = 0, next_attempt_at = now(), delivered_at = null,
        updated_at = now()
    where id = ${id} and (status <> 'pending' or (claim_id is null and next_attempt_at > now()))`;
  return reset.count === 1;
}

interface WebhookBacklog {
  pending_webhook_deliveries: number;
  failing_webhooks: number;
  disabled_webhooks: number;
}

export async function measureWebhooks(sql: Queryable): Promise<WebhookBacklog> {
  const [backlog] = await sql<[WebhookBacklog]>`
    select
      (select count(*) from webhook_deliveries where status = 'pending') as pending_webhook_deliveries,
      count(*) filter (where failing_since is not null and disabled_at is null) as failing_webhooks,
      count(*) filter (where disabled_at is not null) as disabled_webhooks
    from webhooks`;
  return backlog;
}

/** Deletes those of the deliveries that have been over for so many hours. Returns how many. */
export async function deleteOldDeliveries(sql: Database, ids: string[], hours: number): Promise<number> {
  const deleted = await sql`
    delete from webhook_deliveries
    where id = any(${ids})
      and status <> 'pending'
      and updated_at < now() - ${hours} * interval '1 hour'`;
  return deleted.count;
}
