import type { Database, Transaction } from '../../platform/database/database.ts';
import { type Claimant, transaction } from '../../platform/database/transaction.ts';
import { mediaNotFound, requireReadable } from './access/access.ts';
import { listReadable, type Viewer } from './access/can-read-media.ts';
import { requireContributor } from './access/contributing.ts';
import { holdMedia, lockContents } from './closure/lock-contents.ts';
import { findLibrary } from './store.ts';

interface OneMedia {
  libraryId: string;
  mediaId: string;
  claimant?: Claimant;
}

/** Runs `change` when the viewer may change the library's contents and may read the media, which stays until the end. */
export function changeContents<T>(
  sql: Database,
  viewer: Viewer,
  { libraryId, mediaId, claimant }: OneMedia,
  change: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const checked = async (tx: Transaction) => {
    await lockContents(tx, [libraryId], [mediaId]);
    requireContributor(await findLibrary(tx, viewer.user_id, libraryId));
    await requireReadable(tx, viewer, mediaId);
    if (!(await holdMedia(tx, [mediaId])).has(mediaId)) mediaNotFound();
    return change(tx);
  };
  return transaction(sql, checked, claimant);
}

interface ManyMedia {
  libraryId: string;
  mediaIds: string[];
  claimant?: Claimant;
}

/** Which of the given media were changed, and how many were as they should be already, or are not there for the viewer. */
export interface ManyChanged {
  changedIds: string[];
  unchanged: number;
  not_found: number;
}

/**
 * Like `changeContents` for many media. Those that the viewer may not read are left out, and counted. `change` returns the ids
 * of those that it changed.
 */
export function changeManyContents(
  sql: Database,
  viewer: Viewer,
  { libraryId, mediaIds, claimant }: ManyMedia,
  change: (tx: Transaction, mediaIds: string[]) => Promise<string[]>,
): Promise<ManyChanged> {
  const checked = async (tx: Transaction) => {
    await lockContents(tx, [libraryId], mediaIds);
    requireContributor(await findLibrary(tx, viewer.user_id, libraryId));
    const held = [...(await holdMedia(tx, await listReadable(tx, viewer, mediaIds)))];
    const changedIds = held.length === 0 ? [] : await change(tx, held);
    const unchanged = held.length - changedIds.length;
    return { changedIds, unchanged, not_found: mediaIds.length - held.length };
  };
  return transaction(sql, checked, claimant);
}
