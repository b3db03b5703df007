import type { Transaction } from '../../../platform/database/database.ts';
import { forgetMedia } from '../../libraries/closure/forget-media.ts';
import { emitMediaEvents } from '../events.ts';
import * as store from './purge-store.ts';

/**
 * Deletes media that the caller has locked and that no library lists any more, and emits `media.deleted`. `userIds` are
 * people who receive the event, besides admins.
 */
export async function deleteMedia(tx: Transaction, mediaIds: string[], userIds?: string[]): Promise<void> {
  const deleted = await store.deleteMedia(tx, mediaIds);
  const payloads = deleted.map((media) => ({ ...media, ...(userIds && { user_ids: userIds }) }));
  await emitMediaEvents(tx, 'media.deleted', payloads);
}

/** Removes a media that another one replaces from every library, and deletes it. */
export async function deleteReplaced(tx: Transaction, mediaId: string): Promise<void> {
  await store.lockForPurge(tx, [mediaId]);
  await forgetMedia(tx, mediaId);
  await deleteMedia(tx, [mediaId]);
}
