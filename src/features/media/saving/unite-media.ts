import type { Transaction } from '../../../platform/database/database.ts';
import { replaceInTrash } from '../../libraries/closure/closure.ts';
import { replaceMedia } from '../../libraries/closure/forget-media.ts';
import { lockListings } from '../../libraries/closure/lock-contents.ts';
import { copyMine } from '../mine/mine-store.ts';
import { deleteReplaced } from '../trash/purge.ts';
import * as store from './store.ts';

/** Called for what later features keep with a media. */
export type OnReplace = (tx: Transaction, loserId: string, winnerId: string) => Promise<void>;

/**
 * Replaces one media by another in every library, and deletes it. Whoever had saved it has the winner from then on, under
 * the address that they typed. Does nothing when one of the two is gone.
 */
export async function replaceByKnown(
  tx: Transaction,
  loserId: string,
  winnerId: string,
  onReplace: OnReplace,
): Promise<void> {
  await lockListings(tx, [loserId, winnerId]);
  if (!(await store.lockForReplacing(tx, loserId, winnerId))) return;
  await onReplace(tx, loserId, winnerId);
  await replaceMedia(tx, loserId, winnerId);
  await store.copyReadingProgress(tx, loserId, winnerId);
  await copyMine(tx, loserId, winnerId);
  await replaceInTrash(tx, loserId, winnerId);
  await deleteReplaced(tx, loserId);
}

/**
 * Finds the media that already has an address, and locks it together with the one that was just found to have the same.
 * The one that will be deleted is locked first.
 */
export async function lockKnown(tx: Transaction, page: store.ExtractedPage) {
  const known = await store.findKnown(tx, page);
  if (!known) return undefined;
  await lockListings(tx, [page.id, known.id]);
  const [loserId, winnerId] = known.is_readable ? [page.id, known.id] : [known.id, page.id];
  await store.lockForUniting(tx, loserId, winnerId);
  return store.findKnown(tx, page);
}
