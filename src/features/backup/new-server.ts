import type { Transaction } from '../../platform/database/database.ts';
import { expireLeases, renumberEvents } from './restored-store.ts';

/** Adapts data to a server that has not written them: workers of the old one are gone, and it counts transactions anew. */
export async function adaptToNewServer(tx: Transaction): Promise<void> {
  await expireLeases(tx);
  await renumberEvents(tx);
}
