import { type MediaChange, type MediaChanged, MOST_CHANGED } from '../../../contract/media.ts';
import type { ReadingProgress } from '../../../contract/reading.ts';
import { type Actor, recordAudit } from '../../../platform/audit/audit.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { requireMembership } from '../../libraries/access/access.ts';
import { listReadable, type Viewer } from '../../libraries/access/can-read-media.ts';
import type { ManyChanged } from '../../libraries/change-contents.ts';
import { holdMedia } from '../../libraries/closure/lock-contents.ts';
import type { LibraryMediaService } from '../../libraries/library-media.ts';
import type { LibraryTags } from '../../libraries/library-tags.ts';
import { archiveMany, favouriteMany, tagMany, untagMany } from '../mine/mine.ts';
import type { Ingest } from '../processing/ingest.ts';
import { listRetriable } from '../store.ts';
import type { Trash } from '../trash/trash.ts';
import type { MediaLists } from './list.ts';
import { finishMany, forgetMany, lockReadings, unfinishMany } from './reading-progress-store.ts';

interface BulkDependencies {
  sql: Database;
  mediaLists: Pick<MediaLists, 'matchingIds'>;
  libraryMedia: Pick<LibraryMediaService, 'addMany' | 'removeMany'>;
  libraryTags: Pick<LibraryTags, 'addMany' | 'removeMany'>;
  trash: Pick<Trash, 'restoreMany'>;
  ingest: Pick<Ingest, 'enqueueProcessing'>;
}

export type BulkMedia = ReturnType<typeof createBulkMedia>;

/** `before`: the viewer's progress in changed media that they had started. Other changes leave it as it is. */
type Changed = ManyChanged & { before?: (ReadingProgress & { media_id: string })[] };

const READING_CHANGES = { finish: finishMany, unfinish: unfinishMany, unread: forgetMany };

/** Changes many media with one request, each with the rights and events of the single change. */
export function createBulkMedia(dependencies: BulkDependencies) {
  const { sql, mediaLists, libraryMedia, libraryTags, trash, ingest } = dependencies;

  /** Runs `change` in one transaction, and counts the media that the viewer may not read. */
  function changeReadable(
    viewer: Viewer,
    mediaIds: string[],
    change: (tx: Transaction, readable: string[]) => Promise<string[]>,
    actor: Actor,
  ): Promise<Changed> {
    const checked = async (tx: Transaction) => {
      // Held, so that a merge copies what is changed here, or is seen.
      const readable = [...(await holdMedia(tx, await listReadable(tx, viewer, mediaIds)))];
      const before = await lockReadings(tx, viewer, readable);
      const changedIds = readable.length === 0 ? [] : await change(tx, readable);
      const unchanged = readable.length - changedIds.length;
      return { changedIds, before, unchanged, not_found: mediaIds.length - readable.length };
    };
    return transaction(sql, checked, actor);
  }

  async function retryAll(tx: Transaction, viewer: Viewer, mediaIds: string[], actor: Actor) {
    const failed = await listRetriable(tx, viewer, mediaIds);
    const options = { requestId: actor.requestId, createdBy: actor };
    const retried = await ingest.enqueueProcessing(tx, failed, options);
    const entries = retried.map((media_id) => ({ action: 'media.retried', actor, details: { media_id } }));
    await recordAudit(tx, ...entries);
    return retried;
  }

  function changeMany(
    viewer: Viewer,
    change: MediaChange,
    mediaIds: string[],
    actor: Actor,
  ): Promise<Changed> {
    const { action, library_id = viewer.default_library_id, tags: names = [] } = change;
    const changeOwn = (changeAll: (tx: Transaction, ids: string[]) => Promise<string[]>) =>
      changeReadable(viewer, mediaIds, changeAll, actor);
    switch (action) {
      case 'add':
        return libraryMedia.addMany(viewer, library_id, mediaIds, actor);
      case 'remove':
        return libraryMedia.removeMany(viewer, library_id, mediaIds, actor);
      case 'restore':
        return trash.restoreMany(viewer, mediaIds, actor);
      case 'retry':
        return changeOwn((tx, ids) => retryAll(tx, viewer, ids, actor));
      case 'tag':
        return changeOwn((tx, ids) => tagMany(tx, viewer, ids, { names, actor }));
      case 'untag':
        return changeOwn((tx, ids) => untagMany(tx, viewer, ids, { names, actor }));
      case 'library_tag':
        return libraryTags.addMany(viewer, { libraryId: library_id, mediaIds, names }, actor);
      case 'library_untag':
        return libraryTags.removeMany(viewer, { libraryId: library_id, mediaIds, names }, actor);
      case 'favourite':
      case 'unfavourite':
        return changeOwn((tx, ids) => favouriteMany(tx, viewer, ids, { is: action === 'favourite', actor }));
      case 'archive':
      case 'unarchive':
        return changeOwn((tx, ids) => archiveMany(tx, viewer, ids, { is: action === 'archive', actor }));
      default:
        return changeOwn((tx, ids) => READING_CHANGES[action](tx, viewer, ids));
    }
  }

  return {
    /** Throws when the viewer is not a member of the libraries that a change names. */
    async requireAccess(viewer: Viewer, { library_id, filter }: MediaChange): Promise<void> {
      for (const id of [library_id, filter?.library_id])
        if (id !== undefined) await requireMembership(sql, viewer.user_id, id);
    },

    /** Changes the named media, or the next of those that match a filter. */
    async change(viewer: Viewer, change: MediaChange, actor: Actor): Promise<MediaChanged> {
      const { media_ids, filter = {}, cursor } = change;
      if (media_ids)
        return {
          ...toAnswer(await changeMany(viewer, change, [...new Set(media_ids)], actor)),
          next_cursor: null,
        };
      if (filter.library_id) await requireMembership(sql, viewer.user_id, filter.library_id);
      const { ids, page } = await mediaLists.matchingIds(viewer, { ...filter, cursor, limit: MOST_CHANGED });
      return { ...toAnswer(await changeMany(viewer, change, ids, actor)), next_cursor: page.next_cursor };
    },
  };
}

function toAnswer({ changedIds, before = [], ...counts }: Changed): Omit<MediaChanged, 'next_cursor'> {
  const readings = new Map(before.map(({ media_id, ...reading }) => [media_id, reading]));
  const changed_media = changedIds.map((media_id) => ({ media_id, reading: readings.get(media_id) ?? null }));
  return { changed: changedIds.length, changed_media, ...counts };
}
