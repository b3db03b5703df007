import type { Webhook } from '../../contract/webhooks.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';

const columns = (sql: Queryable) => sql`
  webhooks.id, webhooks.url, webhooks.event_types, webhooks.disabled_at is null as is_enabled, webhooks.failing_since,
  webhooks.disabled_at, webhooks.disabled_reason, webhooks.created_at, webhooks.updated_at`;

export async function insertWebhook(
  tx: Transaction,
  { id, url, event_types }: Pick<Webhook, 'id' | 'url' | 'event_types'>,
): Promise<void> {
  await tx`insert into webhooks (id, url, event_types) values (${id}, ${url}, ${event_types})`;
}

export async function insertSecret(tx: Transaction, webhookId: string, secret: string): Promise<void> {
  await tx`
    insert into webhook_secrets (id, webhook_id, secret) values (${newId()}, ${webhookId}, ${secret})`;
}

/** Lets the present secrets expire after so many hours, or sooner if they would anyway. */
export async function expireSecrets(tx: Transaction, webhookId: string, hours: number): Promise<Date> {
  await tx`delete from webhook_secrets where webhook_id = ${webhookId} and expires_at <= now()`;
  await tx`
    update webhook_secrets
    set expires_at = least(expires_at, now() + ${hours} * interval '1 hour')
    where webhook_id = ${webhookId}`;
  const [{ until }] = await tx<[{ until: Date }]>`select now() + ${hours} * interval '1 hour' as until`;
  return until;
}

export async function findWebhook(sql: Queryable, id: string): Promise<Webhook | undefined> {
  const [webhook] = await sql<Webhook[]>`select ${columns(sql)} from webhooks where id = ${id}`;
  return webhook;
}

export async function lockWebhook(tx: Transaction, id: string): Promise<Webhook | undefined> {
  const [webhook] = await tx<Webhook[]>`select ${columns(tx)} from webhooks where id = ${id} for update`;
  return webhook;
}

export async function listWebhooks(sql: Queryable, before: string | null, limit: number): Promise<Webhook[]> {
  return sql<Webhook[]>`
    select ${columns(sql)}
    from webhooks
    where ${before === null ? sql`true` : sql`id < ${before}`}
    order by id desc
    limit ${limit}`;
}

export async function updateWebhook(
  tx: Transaction,
  id: string,
  { url, event_types }: Pick<Webhook, 'url' | 'event_types'>,
): Promise<void> {
  await tx`
    update webhooks set url = ${url}, event_types = ${event_types}, updated_at = now() where id = ${id}`;
}

export async function enableWebhook(tx: Transaction, id: string): Promise<void> {
  await tx`
    update webhooks
    set disabled_at = null, disabled_reason = null, failing_since = null, updated_at = now()
    where id = ${id}`;
}

/** Disables a webhook. Its pending deliveries have failed, and can be replayed once it is enabled again. */
export async function disableWebhook(tx: Transaction, id: string, reason: string): Promise<boolean> {
  // Waits for deliveries that are being inserted. Without the lock they would stay pending for ever.
  await lockWebhook(tx, id);
  const disabled = await tx`
    update webhooks
    set disabled_at = now(), disabled_reason = ${reason}, updated_at = now()
    where id = ${id} and disabled_at is null`;
  await tx`
    update webhook_deliveries
    set status = 'failed', next_attempt_at = null, claim_id = null, worker_id = null, error_message = ${reason},
        updated_at = now()
    where webhook_id = ${id} and status = 'pending'`;
  return disabled.count === 1;
}

export async function deleteWebhook(tx: Transaction, id: string): Promise<boolean> {
  const deleted = await tx`delete from webhooks where id = ${id}`;
  return deleted.count === 1;
}

/** The enabled webhooks, with the event types that they want; none means all. */
export async function listEnabled(sql: Queryable): Promise<{ id: string; event_types: string[] }[]> {
  return sql<{ id: string; event_types: string[] }[]>`
    select id, event_types from webhooks where disabled_at is null`;
}

export async function listWebhookNames(
  sql: Queryable,
  ids: string[],
): Promise<{ id: string; name: string }[]> {
  return sql<{ id: string; name: string }[]>`
    select id, url as name from webhooks where id = any(${ids}::uuid[])`;
}
