import type { Actor } from '../../../platform/audit/audit.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import { emitMediaEvents } from '../events.ts';

/** Emits an event that tells one person of a change to their own tags, title or note. It has nothing of the text. */
export function emitOwn(
  tx: Transaction,
  eventType: 'media.tagged' | 'media.titled' | 'media.noted',
  { user_id }: Viewer,
  mediaIds: string[],
  { requestId }: Pick<Actor, 'requestId'>,
) {
  const payloads = mediaIds.map((media_id) => ({ media_id, user_id, is_private: true }));
  return emitMediaEvents(tx, eventType, payloads, requestId);
}

export function emitFavourited(
  tx: Transaction,
  { user_id }: Viewer,
  mediaIds: string[],
  is_favourite: boolean,
  { requestId }: Pick<Actor, 'requestId'>,
) {
  const payloads = mediaIds.map((media_id) => ({ media_id, user_id, is_favourite, is_private: true }));
  return emitMediaEvents(tx, 'media.favourited', payloads, requestId);
}

export function emitArchived(
  tx: Transaction,
  { user_id }: Viewer,
  mediaIds: string[],
  is_archived: boolean,
  { requestId }: Pick<Actor, 'requestId'>,
) {
  const payloads = mediaIds.map((media_id) => ({ media_id, user_id, is_archived, is_private: true }));
  return emitMediaEvents(tx, 'media.archived', payloads, requestId);
}
