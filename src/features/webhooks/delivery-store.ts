import type { EventStatus } from '../../contract/events.ts';
import type { WebhookAttempt, WebhookDelivery } from '../../contract/webhooks.ts';
import type { Database, Queryable, Transaction } from '../../platform/database/database.ts';
import { firstIdAt, newId } from '../../platform/ids.ts';

const deliveryColumns = (sql: Queryable) => sql`
  delivery.id, delivery.webhook_id, delivery.event_id, delivery.event_type, delivery.status, delivery.attempts,
  delivery.next_attempt_at, delivery.delivered_at, delivery.error_message, delivery.created_at, delivery.updated_at`;

export interface NewDelivery {
  event_id: string;
  event_type: string;
  body: string;
}

/** One for each webhook; those that exist already stay as they are. */
export async function insertDeliveries(
  tx: Transaction,
  webhookIds: string[],
  { event_id, event_type, body }: NewDelivery,
): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    insert into webhook_deliveries (id, webhook_id, event_id, event_type, body)
    select delivery.id, webhooks.id, ${event_id}, ${event_type}, ${body}
    from unnest(${webhookIds.map(() => newId())}::uuid[], ${webhookIds}::uuid[]) as delivery (id, webhook_id)
    join webhooks on webhooks.id = delivery.webhook_id
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
  status: EventStatus | undefined,
  before: string | null,
  limit: number,
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
    set status = 'pending', attempts = 0, next_attempt_at = now(), delivered_at = null, updated_at = now()
    where id = ${id} and (status <> 'pending' or (claim_id is null and next_attempt_at > now()))`;
  return reset.count === 1;
}

/** A delivery in the hands of a sender. */
export interface ClaimedDelivery {
  id: string;
  webhook_id: string;
  url: string;
  event_id: string;
  event_type: string;
  body: string;
  attempts: number;
  claim_id: string;
  /** To sign it with, the newest first. */
  secrets: string[];
}

/**
 * Takes what has been due for longest, and of each webhook only so many at once: one that hangs holds up its own
 * deliveries and nobody else's. For the time of the visibility timeout nobody else takes them.
 */
export async function claimDeliveries(
  sql: Database,
  want: number,
  atOnce: number,
  claimId: string,
  visibilitySeconds: number,
): Promise<ClaimedDelivery[]> {
  return sql<ClaimedDelivery[]>`
    with due as materialized (
      select next.id, webhooks.url
      from webhooks
      cross join lateral (
        select delivery.id
        from webhook_deliveries as delivery
        where delivery.webhook_id = webhooks.id and delivery.status = 'pending' and delivery.next_attempt_at <= now()
        order by delivery.next_attempt_at
        limit greatest(0, ${atOnce}::int - (
          select count(*)
          from webhook_deliveries as sent
          where sent.webhook_id = webhooks.id
            and sent.status = 'pending'
            and sent.next_attempt_at > now()
            and sent.claim_id is not null
        ))
        for update skip locked
      ) as next
      where webhooks.disabled_at is null
      limit ${want}
    )
    update webhook_deliveries as delivery
    set attempts = delivery.attempts + 1,
        claim_id = ${claimId},
        next_attempt_at = now() + ${visibilitySeconds} * interval '1 second',
        updated_at = now()
    from due
    where delivery.id = due.id
    returning
      delivery.id, delivery.webhook_id, due.url, delivery.event_id, delivery.event_type, delivery.body,
      delivery.attempts, delivery.claim_id,
      array(
        select secret
        from webhook_secrets
        where webhook_secrets.webhook_id = delivery.webhook_id and coalesce(expires_at > now(), true)
        order by webhook_secrets.id desc
      ) as secrets`;
}

export async function untilNextDelivery(sql: Database): Promise<number | null> {
  const [row] = await sql<[{ wait_ms: number | null }]>`
    select extract(epoch from min(next.next_attempt_at) - now())::float8 * 1000 as wait_ms
    from webhooks
    cross join lateral (
      select next_attempt_at
      from webhook_deliveries
      where webhook_id = webhooks.id and status = 'pending'
      order by next_attempt_at
      limit 1
    ) as next
    where webhooks.disabled_at is null`;
  return row.wait_ms;
}

/** How an attempt ended. */
export interface AttemptOutcome {
  /** Null when it succeeded. */
  error: { code: string | null; message: string } | null;
  responseStatus: number | null;
  responseBody: string | null;
  requestHeaders: Record<string, string>;
  durationMs: number;
}

/**
 * Writes how an attempt ended, in one statement: delivered, due again after the delay, or failed when there is none; the
 * log; and since when the webhook fails. Whoever lost their claim leaves a line in the log and nothing else. Returns for
 * how many days the webhook has done nothing but fail; undefined when the claim was lost.
 */
export async function settleDelivery(
  sql: Queryable,
  delivery: ClaimedDelivery,
  outcome: AttemptOutcome,
  delaySeconds: number | undefined,
): Promise<number | undefined> {
  const isDelivered = outcome.error === null;
  const status = isDelivered ? 'delivered' : delaySeconds === undefined ? 'failed' : 'pending';
  const [row] = await sql<{ failing_days: number }[]>`
    with settled as (
      update webhook_deliveries
      set status = ${status}::text,
          claim_id = null,
          delivered_at = case when ${isDelivered}::boolean then now() end,
          next_attempt_at = case
            when ${status}::text = 'pending' then now() + ${delaySeconds ?? 0} * interval '1 second'
          end,
          error_message = ${outcome.error?.message ?? null},
          updated_at = now()
      where id = ${delivery.id} and claim_id = ${delivery.claim_id}
      returning webhook_id
    ),
    logged as (
      insert into webhook_attempts (
        id, delivery_id, url, request_headers, response_status, response_body, error_code, error_message, duration_ms
      )
      select
        ${newId()}, id, ${delivery.url}, ${JSON.stringify(outcome.requestHeaders)}::jsonb,
        ${outcome.responseStatus}::smallint, ${outcome.responseBody}, ${outcome.error?.code ?? null},
        ${outcome.error?.message ?? null}, ${Math.round(outcome.durationMs)}::int
      from webhook_deliveries
      where id = ${delivery.id}
    ),
    turned as (
      -- Most attempts are like the one before, and need not write this.
      update webhooks
      set failing_since = case when ${isDelivered}::boolean then null else now() end
      from settled
      where webhooks.id = settled.webhook_id and (webhooks.failing_since is null) <> ${isDelivered}::boolean
    )
    select
      case
        when ${isDelivered}::boolean then 0
        else coalesce(extract(epoch from now() - webhooks.failing_since) / 86400, 0)
      end::float8 as failing_days
    from settled
    join webhooks on webhooks.id = settled.webhook_id`;
  return row?.failing_days;
}

export interface WebhookBacklog {
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

const CLEANUP_BATCH = 1000;
const MS_PER_HOUR = 60 * 60 * 1000;

export async function* deleteOldDeliveries(sql: Database, hours: number): AsyncGenerator<number> {
  const youngest = firstIdAt(new Date(Date.now() - hours * MS_PER_HOUR));
  let last = firstIdAt(new Date(0));
  for (;;) {
    const candidates = await sql<{ id: string }[]>`
      select id from webhook_deliveries where id > ${last} and id < ${youngest} order by id limit ${CLEANUP_BATCH}`;
    const lastCandidate = candidates.at(-1);
    if (!lastCandidate) return;
    const deleted = await sql`
      delete from webhook_deliveries
      where id = any(${candidates.map(({ id }) => id)})
        and status <> 'pending'
        and updated_at < now() - ${hours} * interval '1 hour'`;
    yield deleted.count;
    last = lastCandidate.id;
  }
}
