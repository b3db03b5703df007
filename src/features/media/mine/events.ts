import type { Actor } from '../../../platform/audit/audit.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import { emitMediaEvents } from '../events.ts';

type Requested = Pick<Actor, 'requestId'>;

/** Emits an event that tells one person of a change to their own tags, title or note. It has nothing of the text. */
export function emitOwn(
  tx: Transaction,
  { user_id }: Viewer,
  mediaIds: string[],
  { eventType, actor }: { eventType: 'media.tagged' | 'media.titled' | 'media.noted'; actor: Requested },
) {
  const payloads = mediaIds.map((media_id) => ({ media_id, user_id, is_private: true }));
  return emitMediaEvents(tx, eventType, payloads, actor.requestId);
}

export function emitFavourited(
  tx: Transaction,
  { user_id }: Viewer,
  mediaIds: string[],
  { is, actor }: { is: boolean; actor: Requested },
) {
  const payloads = mediaIds.map((media_id) => ({ media_id, user_id, is_favourite: is, is_private: true }));
  return emitMediaEvents(tx, 'media.favourited', payloads, actor.requestId);
}

export function emitArchived(
  tx: Transaction,
  { user_id }: Viewer,
  mediaIds: string[],
  { is, actor }: { is: boolean; actor: Requested },
) {
  const payloads = mediaIds.map((media_id) => ({ media_id, user_id, is_archived: is, is_private: true }));
  return emitMediaEvents(tx, 'media.archived', payloads, actor.requestId);
}
