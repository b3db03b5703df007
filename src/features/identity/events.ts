import type { ApiKey } from '../../contract/identity.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { emitEvent } from '../../platform/outbox/emit-event.ts';

export async function emitApiKeyEvent(
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
    requestId,
  });
}
