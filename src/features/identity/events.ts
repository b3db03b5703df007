import type { ApiKey } from '../../contract/identity.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';
import { emitEvent } from '../../platform/outbox/emit-event.ts';

/** A bootstrap key can be enabled and disabled again, so each time has a key of its own. */
export async function tellApiKey(
  tx: Transaction,
  eventType: 'api_key.created' | 'api_key.disabled',
  { id, user_id, owner, prefix, role }: ApiKey,
  requestId?: string,
): Promise<void> {
  await emitEvent(tx, {
    eventType,
    aggregateType: 'api_key',
    aggregateId: id,
    payload: { api_key_id: id, user_id, owner, prefix, role },
    idempotencyKey: eventType === 'api_key.disabled' ? `api_key:${id}:${newId()}` : undefined,
    requestId,
  });
}
