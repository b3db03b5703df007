import { z } from 'zod';
import { NexusError } from '../../contract/errors.ts';
import type {
  FragmentEntry,
  LaidOutFragment,
  Media,
  MediaAttempt,
  MediaFragment,
  MediaWithOutline,
} from '../../contract/media.ts';
import type { ReadingProgress, UpdateReading } from '../../contract/reading.ts';
import type { ListQuery } from '../../contract/wire.ts';
import { type Actor, recordAudit } from '../../platform/audit/audit.ts';
import { continueAfter, decodeCursor, LAST_PAGE } from '../../platform/cursor.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { versionOf } from '../../platform/version-tag.ts';
import { mediaNotFound, requireMembership, requireReadable } from '../libraries/access/access.ts';
import type { Viewer } from '../libraries/access/can-read-media.ts';
import { emitMediaEvents } from './events.ts';
import { deleteReadingProgress, writeReadingProgress } from './lists/reading-progress-store.ts';
import { tagMany } from './mine/mine.ts';
import type { Ingest } from './processing/ingest.ts';
import { retryMedia } from './processing/lifecycle.ts';
import { listAttempts } from './processing/media-jobs.ts';
import { saveLinks } from './saving/save-links.ts';
import { inferKind, parseMediaUrl, readLink } from './saving/url.ts';
import { rebuildTitleRow } from './search/title-row.ts';
import * as store from './store.ts';

export type MediaService = ReturnType<typeof createMedia>;

interface SaveRequest {
  url: string;
  /** Inferred from the URL unless it is given. */
  kind?: string | undefined;
  /** A library that lists it too. The viewer must be its admin or contributor. */
  library_id?: string | undefined;
  /** Added to the viewer's own tags of it. */
  tags?: string[] | undefined;
}

export function createMedia({
  sql,
  ingest,
}: {
  sql: Database;
  ingest: Pick<Ingest, 'enqueueProcessing' | 'hasJob'>;
}) {
  async function requireMedia(viewer: Viewer, mediaId: string): Promise<MediaWithOutline> {
    return (await store.findMedia(sql.lookups, viewer, mediaId)) ?? mediaNotFound();
  }

  /** Lists the fragments of a media, in pages of bounded text. A media that is not extracted yet has none. */
  async function fragments(viewer: Viewer, mediaId: string, { cursor, limit }: ListQuery) {
    const after = decodeCursor(cursor, z.int32().min(0)) ?? -1;
    const rows = await store.listFragments(sql, viewer, mediaId, { after, limit });
    if (rows.length === 0) await requireReadable(sql, viewer, mediaId);
    const last = rows.at(-1);
    const page = last && !last.is_last ? continueAfter(last.idx) : LAST_PAGE;
    return { data: rows.map(({ is_last: _, ...fragment }) => fragment), page };
  }

  return {
    get: requireMedia,

    /** Throws when the viewer is not a member of the library that they name. */
    async requireLibrary({ user_id }: Viewer, libraryId: string | undefined): Promise<void> {
      if (libraryId !== undefined) await requireMembership(sql, user_id, libraryId);
    },

    /** Saves a link. The media, its libraries, their events and the job are one commit. */
    async save(viewer: Viewer, { url: text, kind, library_id, tags }: SaveRequest, actor: Actor) {
      if (kind !== undefined && kind !== 'web_article' && kind !== 'video') {
        throw new NexusError(
          'E_INVALID_KIND',
          'kind must be web_article or video. Upload PDFs and EPUBs instead.',
        );
      }
      const url = parseMediaUrl(text);
      const link = readLink(kind ?? inferKind(url), url);
      const options = { ingest, libraryId: library_id, createdBy: actor, requestId: actor.requestId };
      const [saved] = await transaction(
        sql,
        async (tx) => {
          const outcomes = [...(await saveLinks(tx, viewer, [link], options)).values()];
          const mediaIds = outcomes.map(({ media_id }) => media_id);
          if (tags) await tagMany(tx, viewer, mediaIds, { names: tags, actor });
          return outcomes;
        },
        actor,
      );
      if (!saved) throw new Error('saveLinks returned no outcome for the link it was given.');
      return saved;
    },

    fragments,

    async allFragments(viewer: Viewer, mediaId: string): Promise<MediaFragment[]> {
      const all: MediaFragment[] = [];
      for (let cursor: string | undefined; ; ) {
        const { data, page } = await fragments(viewer, mediaId, { cursor, limit: 200 });
        all.push(...data);
        if (page.next_cursor === null) return all;
        cursor = page.next_cursor;
      }
    },

    /** Names the state of a fragment that the viewer may read. */
    fragmentState: (viewer: Viewer, mediaId: string, idx: number): Promise<string | undefined> =>
      store.findFragmentState(sql.lookups, viewer, mediaId, idx),

    async fragment(
      viewer: Viewer,
      mediaId: string,
      idx: number,
    ): Promise<LaidOutFragment & { state: string }> {
      const fragment = await store.findFragment(sql.lookups, viewer, mediaId, idx);
      if (fragment) return fragment;
      await requireReadable(sql, viewer, mediaId);
      throw new NexusError('E_NOT_FOUND', `This media has no fragment ${idx}.`);
    },

    /** Lists all fragments without their text. */
    async fragmentIndex(viewer: Viewer, mediaId: string): Promise<FragmentEntry[]> {
      const entries = await store.listFragmentEntries(sql, viewer, mediaId);
      if (entries.length === 0) await requireReadable(sql, viewer, mediaId);
      return entries;
    },

    async attempts(viewer: Viewer, mediaId: string): Promise<MediaAttempt[]> {
      await requireMedia(viewer, mediaId);
      return listAttempts(sql, mediaId);
    },

    async retry(viewer: Viewer, mediaId: string, actor: Actor) {
      const retry = async (tx: Transaction) => {
        const source = (await store.findSource(tx, mediaId, viewer)) ?? mediaNotFound();
        if (!(await store.mayRetry(tx, viewer, mediaId))) {
          throw new NexusError(
            'E_FORBIDDEN',
            'Only people who saved this item or added it to a library, and admins of such a library, may retry it.',
          );
        }
        const media = { ...source, processing_status: await retryMedia(tx, mediaId) };
        const options = { requestId: actor.requestId, createdBy: actor };
        const enqueued = await ingest.enqueueProcessing(tx, [media], options);
        await recordAudit(tx, { action: 'media.retried', actor, details: { media_id: mediaId } });
        return { media_id: mediaId, enqueued: enqueued.length === 1 };
      };
      return transaction(sql, retry, actor);
    },

    /** Edits the title, for everybody who reads the media. Extraction does not overwrite it any more. */
    async editTitle(viewer: Viewer, mediaId: string, title: string, actor: Actor): Promise<MediaWithOutline> {
      await transaction(sql, async (tx) => {
        const media = (await store.lockTitle(tx, viewer, mediaId)) ?? mediaNotFound();
        if (!media.may_edit_title)
          throw new NexusError(
            'E_FORBIDDEN',
            'Only the title of a file can be edited, by the person who uploaded it.',
          );
        actor.requireVersion?.(mediaVersion(media));
        await store.writeTitle(tx, mediaId, title);
        const { kind, processing_status } = media;
        // Other media get their search rows later, with the title that they have then.
        if (processing_status === 'ready') await rebuildTitleRow(tx, mediaId);
        const changed = { media_id: mediaId, kind, processing_status };
        await emitMediaEvents(tx, 'media.status_changed', [changed], actor.requestId);
        await recordAudit(tx, { action: 'media.title_edited', actor, details: { media_id: mediaId } });
      });
      return requireMedia(viewer, mediaId);
    },

    /** Saves reading progress. When two devices write at once, the later one by the database's clock wins. */
    async updateReading(viewer: Viewer, mediaId: string, change: UpdateReading): Promise<ReadingProgress> {
      return (await writeReadingProgress(sql, viewer, mediaId, change)) ?? mediaNotFound();
    },

    async forgetReading(viewer: Viewer, mediaId: string): Promise<void> {
      if (!(await deleteReadingProgress(sql, viewer, mediaId))) mediaNotFound();
    },
  };
}

/** Names the state of a media that its saver changes. */
export function mediaVersion({ title }: Pick<Media, 'title'>): string {
  return versionOf(title);
}
