import { NexusError } from '../../contract/errors.ts';
import { EVENT_TYPES, type EventStatus, type EventType } from '../../contract/events.ts';
import type { Webhook } from '../../contract/webhooks.ts';
import { type Actor, recordAudit } from '../../platform/audit/audit.ts';
import { cutPage, readCursor } from '../../platform/cursor.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import type { Egress } from '../../platform/egress/egress.ts';
import { EgressError } from '../../platform/egress/errors.ts';
import { newId } from '../../platform/ids.ts';
import { cloudEventOf } from '../../platform/outbox/cloud-event.ts';
import { type DeliveredEvent, defineSubscriber } from '../../platform/outbox/subscriber.ts';
import { currentTraceparent } from '../../platform/telemetry/tracing.ts';
import { versionOf } from '../../platform/version-tag.ts';
import * as deliveryStore from './delivery-store.ts';
import { newSecret } from './signature.ts';
import * as store from './store.ts';

export type Webhooks = ReturnType<typeof createWebhooks>;

interface WebhooksDependencies {
  sql: Database;
  egress: Pick<Egress, 'check'>;
}

/** How long the old secret also signs, by default. */
const OVERLAP_HOURS = 24;

interface ListQuery {
  cursor?: string | undefined;
  limit: number;
}

export function createWebhooks({ sql, egress }: WebhooksDependencies) {
  async function get(id: string): Promise<Webhook> {
    return (await store.findWebhook(sql, id)) ?? webhookNotFound(id);
  }

  async function getDelivery(webhookId: string, id: string) {
    await get(webhookId);
    return requireDelivery(await deliveryStore.findDelivery(sql, webhookId, id));
  }

  /** Throws when egress refuses the URL. A name that cannot be resolved now may resolve later. */
  async function refuseUnreachable(url: string): Promise<void> {
    try {
      await egress.check(url);
    } catch (error) {
      if (!(error instanceof EgressError) || error.isUnresolved) return;
      const { code, message } = error;
      if (code === 'E_SSRF_BLOCKED' || code === 'E_INVALID_URL') throw new NexusError(code, message);
    }
  }

  return {
    get,
    getDelivery,

    async list(query: ListQuery) {
      const rows = await store.listWebhooks(sql, readCursor(query.cursor), query.limit + 1);
      return cutPage(rows, query.limit);
    },

    /** Returns the secret, too; it is shown only once. */
    async create(fields: { url: string; event_types: EventType[] }, actor: Actor) {
      await refuseUnreachable(fields.url);
      const [id, secret] = [newId(), newSecret()];
      await transaction(
        sql,
        async (tx) => {
          await store.insertWebhook(tx, { id, ...fields });
          await store.insertSecret(tx, id, secret);
          await recordAudit(tx, {
            action: 'webhook.created',
            actor,
            details: { webhook_id: id, url: fields.url },
          });
        },
        actor,
      );
      return { ...(await get(id)), secret };
    },

    async update(
      id: string,
      changes: {
        url?: string | undefined;
        event_types?: EventType[] | undefined;
        is_enabled?: boolean | undefined;
      },
      actor: Actor,
    ): Promise<Webhook> {
      await get(id);
      if (changes.url !== undefined) await refuseUnreachable(changes.url);
      await transaction(sql, async (tx) => {
        const before = (await store.lockWebhook(tx, id)) ?? webhookNotFound(id);
        actor.requireVersion?.(webhookVersion(before));
        const {
          url = before.url,
          event_types = before.event_types,
          is_enabled = before.is_enabled,
        } = changes;
        await store.updateWebhook(tx, id, { url, event_types });
        if (is_enabled && !before.is_enabled) await store.enableWebhook(tx, id);
        if (!is_enabled && before.is_enabled)
          await store.disableWebhook(tx, id, `${actor.name} disabled it.`);
        await recordAudit(tx, {
          action: 'webhook.updated',
          actor,
          details: { webhook_id: id, url, is_enabled },
        });
      });
      return get(id);
    },

    async delete(id: string, actor: Actor): Promise<void> {
      await transaction(sql, async (tx) => {
        if (!(await store.deleteWebhook(tx, id))) webhookNotFound(id);
        await recordAudit(tx, { action: 'webhook.deleted', actor, details: { webhook_id: id } });
      });
    },

    /** Both secrets sign during the overlap, so that the receiver can switch without losing deliveries. */
    async rotateSecret(id: string, overlapHours: number | undefined, actor: Actor) {
      const secret = newSecret();
      const rotate = async (tx: Transaction) => {
        if (!(await store.lockWebhook(tx, id))) webhookNotFound(id);
        const until = await store.expireSecrets(tx, id, overlapHours ?? OVERLAP_HOURS);
        await store.insertSecret(tx, id, secret);
        await recordAudit(tx, { action: 'webhook.secret_rotated', actor, details: { webhook_id: id } });
        return until;
      };
      return { secret, previous_valid_until: await transaction(sql, rotate, actor) };
    },

    /** Sends a `webhook.test` event. */
    async test(id: string, actor: Actor) {
      const send = async (tx: Transaction) => {
        requireEnabled((await store.lockWebhook(tx, id)) ?? webhookNotFound(id));
        const event = {
          id: newId(),
          event_type: 'webhook.test',
          schema_version: 1,
          aggregate_type: 'webhook',
          aggregate_id: id,
          payload: { webhook_id: id },
          request_id: actor.requestId ?? null,
          created_at: new Date(),
        };
        const body = JSON.stringify(cloudEventOf(event));
        const { id: event_id, event_type } = event;
        const [delivery] = await deliveryStore.insertDeliveries(tx, [
          { webhook_id: id, event_id, event_type, body, traceparent: currentTraceparent() },
        ]);
        tx.notifyAfterCommit(deliveryStore.DELIVERIES_DUE);
        return requireDelivery(await deliveryStore.findDelivery(tx, id, delivery ?? ''));
      };
      return transaction(sql, send, actor);
    },

    async deliveries(id: string, query: ListQuery & { status?: EventStatus | undefined }) {
      await get(id);
      const rows = await deliveryStore.listDeliveries(sql, id, {
        status: query.status,
        before: readCursor(query.cursor),
        limit: query.limit + 1,
      });
      return cutPage(rows, query.limit);
    },

    /** Sends a delivery again under the same `webhook-id`, with all attempts left. */
    async replay(webhookId: string, deliveryId: string, actor: Actor) {
      await getDelivery(webhookId, deliveryId);
      const send = async (tx: Transaction) => {
        requireEnabled((await store.lockWebhook(tx, webhookId)) ?? webhookNotFound(webhookId));
        if (!(await deliveryStore.replayDelivery(tx, deliveryId)))
          throw new NexusError('E_INVALID_STATE', 'The delivery is being sent. Wait for its outcome.');
        const details = { webhook_id: webhookId, delivery_id: deliveryId };
        await recordAudit(tx, { action: 'webhook.replayed', actor, details });
        tx.notifyAfterCommit(deliveryStore.DELIVERIES_DUE);
        return requireDelivery(await deliveryStore.findDelivery(tx, webhookId, deliveryId));
      };
      return transaction(sql, send, actor);
    },

    measure: () => deliveryStore.measureWebhooks(sql),
  };
}

/** Writes a delivery of every event for each webhook that wants it. A repeated call changes nothing. */
export function subscribeWebhooks(sql: Database) {
  return defineSubscriber('webhooks', {
    eventTypes: EVENT_TYPES,
    async batchHandler(events) {
      const webhooks = await store.listEnabled(sql);
      const deliveries = events.filter(isForWebhooks).flatMap((event) => {
        const { id: event_id, event_type, traceparent = null } = event;
        const body = JSON.stringify(cloudEventOf(event));
        return webhooks
          .filter(({ event_types }) => event_types.length === 0 || event_types.includes(event_type))
          .map(({ id: webhook_id }) => ({ webhook_id, event_id, event_type, body, traceparent }));
      });
      if (deliveries.length === 0) return;
      await transaction(sql, async (tx: Transaction) => {
        await deliveryStore.insertDeliveries(tx, deliveries);
        tx.notifyAfterCommit(deliveryStore.DELIVERIES_DUE);
      });
    },
  });
}

function isForWebhooks({ payload }: DeliveredEvent): boolean {
  return !('is_private' in payload && payload.is_private);
}

/** Names the state of a webhook that admins change. */
export function webhookVersion({ url, event_types, is_enabled }: Webhook): string {
  return versionOf(url, event_types, is_enabled);
}

function webhookNotFound(id: string): never {
  throw new NexusError('E_NOT_FOUND', `There is no webhook ${id}.`);
}

function requireDelivery(delivery: deliveryStore.FullDelivery | undefined): deliveryStore.FullDelivery {
  if (delivery) return delivery;
  throw new NexusError('E_NOT_FOUND', 'There is no such delivery of this webhook.');
}

function requireEnabled({ is_enabled, disabled_reason }: Webhook): void {
  if (is_enabled) return;
  throw new NexusError('E_INVALID_STATE', `The webhook is disabled: ${disabled_reason} Enable it first.`);
}
