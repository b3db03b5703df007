import type { EventType } from '../../src/contract/events.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { transaction } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/ids.ts';
import { emitEvent, type NewEvent } from '../../src/platform/outbox/emit-event.ts';

/** An event with an aggregate of its own, so that a test can recognise it. */
export function someEvent(overrides: Partial<NewEvent<'library.created'>> = {}): NewEvent<'library.created'> {
  const library_id = overrides.aggregateId ?? newId();
  return {
    eventType: 'library.created',
    aggregateType: 'library',
    aggregateId: library_id,
    payload: { library_id, name: 'Shared', owner_user_id: newId() },
    ...overrides,
  };
}

/** Emits in a transaction of its own. */
export function emit<Type extends EventType>(sql: Database, event: NewEvent<Type>) {
  return transaction(sql, (tx) => emitEvent(tx, event));
}

// biome-ignore lint/suspicious/noExplicitAny: tests look at columns of every kind
export async function readEvent(sql: Database, id: string): Promise<Record<string, any>> {
  const [event] = await sql`
    select *, extract(epoch from next_attempt_at - updated_at)::float8 as waits_seconds
    from outbox_event where id = ${id}`;
  if (!event) throw new Error(`There is no event ${id}.`);
  return event;
}
