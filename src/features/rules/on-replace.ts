import type { Transaction } from '../../platform/database/database.ts';
import { moveNotifications } from './notification-store.ts';
import { copyItems } from './run-store.ts';

/**
 * Called by media when one replaces another. The other one gets the changes that runs made, so what runs recorded goes with
 * them, and undoing finds it there.
 */
export async function moveRuleHistory(tx: Transaction, fromId: string, toId: string): Promise<void> {
  await copyItems(tx, fromId, toId);
  await moveNotifications(tx, fromId, toId);
}
