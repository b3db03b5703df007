import type { EventPayload } from '../../contract/events.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { emitEvent } from '../../platform/outbox/emit-event.ts';

/** Emits that a run, or its undoing, is over. Only its person gets the event. */
export async function emitRunEnded(
  tx: Transaction,
  run: Omit<EventPayload<'rule.run_ended'>, 'is_private'>,
): Promise<void> {
  await emitEvent(tx, {
    eventType: 'rule.run_ended',
    aggregateType: 'rule_run',
    aggregateId: run.run_id,
    payload: { ...run, is_private: true },
  });
}
