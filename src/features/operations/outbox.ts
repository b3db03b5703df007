import type { z } from 'zod';
import { NexusError } from '../../contract/errors.ts';
import type { OutboxEvent, OutboxHealth, outboxQuery } from '../../contract/events.ts';
import type { Principal } from '../../contract/identity.ts';
import { roleAllows } from '../../contract/roles.ts';
import { type Actor, recordAudit } from '../../platform/audit/audit.ts';
import { cutPage, readCursor } from '../../platform/cursor.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { EVENTS_EMITTED } from '../../platform/outbox/emit-event.ts';
import * as store from '../../platform/outbox/store.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';

export type OutboxOperations = ReturnType<typeof createOutboxOperations>;

/** The outbox for operators. Only admins see event data, because it is about other people's work. */
export function createOutboxOperations({ sql, webhooks }: { sql: Database; webhooks: Webhooks }) {
  async function get(id: string, principal: Principal) {
    const event = await store.findEvent(sql, id);
    if (!event) throw new NexusError('E_NOT_FOUND', `The event ${id} does not exist.`);
    const deliveries = await store.listDeliveries(sql, id);
    const hidden = isAdmin(principal) ? {} : { error_message: null };
    const shown = deliveries.map((delivery) => ({ ...delivery, ...hidden }));
    return { ...withoutHiddenFields(event, principal), deliveries: shown };
  }

  return {
    get,

    async list(query: z.output<typeof outboxQuery>, principal: Principal) {
      const rows = await store.listEvents(sql, query, readCursor(query.cursor), query.limit + 1);
      const { data: events, page } = cutPage(rows, query.limit);
      return { data: events.map((event) => withoutHiddenFields(event, principal)), page };
    },

    /** Retries a failed event. Subscribers that already handled it are not called again. */
    async retry(id: string, principal: Principal, actor: Actor) {
      const { event_type, status } = await get(id, principal);
      const retry = async (tx: Transaction) => {
        if (!(await store.retryEvent(tx, id))) {
          const message = `The event is ${status}. Only failed events can be retried.`;
          throw new NexusError('E_INVALID_STATE', message);
        }
        await recordAudit(tx, { action: 'outbox.retried', actor, details: { event_id: id, event_type } });
        tx.notifyAfterCommit(EVENTS_EMITTED);
      };
      await transaction(sql, retry, actor);
      return get(id, principal);
    },

    async health(): Promise<OutboxHealth> {
      return { ...(await store.measureOutbox(sql)), ...(await webhooks.measure()) };
    },
  };
}

function isAdmin({ role }: Principal): boolean {
  return roleAllows(role, 'admin');
}

function withoutHiddenFields(event: OutboxEvent, principal: Principal): OutboxEvent {
  return isAdmin(principal) ? event : { ...event, payload: {}, error_message: null, request_id: null };
}
