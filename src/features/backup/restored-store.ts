import type { Transaction } from '../../platform/database/database.ts';

/** Lets the leases of workers expire, which ended with the old installation. The first worker takes their work back. */
export async function expireLeases(tx: Transaction): Promise<void> {
  await tx`update workers set lease_expires_at = least(lease_expires_at, now() - interval '1 second')`;
}

/** Ends all sessions and sign-in links: some of them may have been ended after the backup. */
export async function endSessions(tx: Transaction): Promise<void> {
  await tx`delete from sessions`;
  await tx`delete from sign_in_links`;
}

/**
 * Puts events before all events to come. The feed orders events by the number of their transaction, and a new server
 * counts from the beginning: events with higher numbers would stay hidden until it reaches them.
 */
export async function renumberEvents(tx: Transaction): Promise<void> {
  await tx`
    update outbox_event
    set transaction_id = '1'
    where exists (select from outbox_event where transaction_id >= pg_current_xact_id())`;
}

export async function disableWebhooks(tx: Transaction, reason: string): Promise<number> {
  const { count } = await tx`
    update webhooks
    set disabled_at = now(), disabled_reason = ${reason}, updated_at = now()
    where disabled_at is null`;
  return count;
}
