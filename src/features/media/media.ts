import { NexusError } from '../../contract/errors.ts';
import type { MediaAttempt, MediaFragment, MediaKind, MediaWithOutline } from '../../contract/media.ts';
import { type Actor, recordAudit } from '../../platform/audit/audit.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { mayRead, type Viewer } from '../libraries/access/can-read-media.ts';
import type { LibraryMediaService } from '../libraries/library-media.ts';
import { listAttempts } from './processing/attempts.ts';
import type { Ingest } from './processing/ingest.ts';
import { type RetriedStatus, retryMedia } from './processing/lifecycle.ts';
import { type SavedLink, saveLinks } from './saving/save-links.ts';
import { identify, inferKind, LONGEST_URL, parseMediaUrl, type UrlIdentity } from './saving/url.ts';
import * as store from './store.ts';

export interface MediaDependencies {
  sql: Database;
  ingest: Pick<Ingest, 'maybeEnqueueExtraction' | 'enqueueExtractions' | 'enqueueEmbedding'>;
  libraryMedia: Pick<LibraryMediaService, 'addAll' | 'remove'>;
}

export type MediaService = ReturnType<typeof createMedia>;

export function createMedia({ sql, ingest, libraryMedia }: MediaDependencies) {
  /** Saving, listing and enqueueing are one commit: whoever got an answer finds the media, and its work is queued. */
  async function save(
    viewer: Viewer,
    kind: 'web_article' | 'video',
    url: URL,
    actor: Actor,
  ): Promise<SavedLink> {
    const link = newUrlMedia(viewer, kind, url);
    const options = { createdBy: actor, requestId: actor.requestId };
    const [saved] = await transaction(sql, async (tx) => {
      return (await saveLinks(tx, viewer, [link], { ingest, libraryMedia }, options)).values();
    });
    if (!saved) throw new Error('Saving one link answers with one.');
    return saved;
  }

  async function enqueue(
    tx: Transaction,
    kind: MediaKind,
    mediaId: string,
    from: RetriedStatus,
    actor: Actor,
  ): Promise<boolean> {
    const options = { requestId: actor.requestId, createdBy: actor };
    if (from === 'pending') return ingest.maybeEnqueueExtraction(tx, kind, mediaId, options);
    await ingest.enqueueEmbedding(tx, mediaId, options);
    return true;
  }

  async function requireMedia(viewer: Viewer, mediaId: string): Promise<MediaWithOutline> {
    return (await store.findMedia(sql, viewer, mediaId)) ?? mediaNotFound();
  }

  return {
    get: requireMedia,

    saveUrl(viewer: Viewer, { kind, url }: { kind: string; url: string }, actor: Actor): Promise<SavedLink> {
      if (kind !== 'web_article' && kind !== 'video') {
        throw new NexusError(
          'E_INVALID_KIND',
          'kind takes web_article or video; PDFs and EPUBs are uploaded.',
        );
      }
      return save(viewer, kind, parseMediaUrl(url), actor);
    },

    saveFromUrl(viewer: Viewer, text: string, actor: Actor): Promise<SavedLink> {
      const url = parseMediaUrl(text);
      return save(viewer, inferKind(url), url, actor);
    },

    async fragments(viewer: Viewer, mediaId: string): Promise<MediaFragment[]> {
      await requireMedia(viewer, mediaId);
      return store.listFragments(sql, mediaId);
    },

    async attempts(viewer: Viewer, mediaId: string): Promise<MediaAttempt[]> {
      await requireMedia(viewer, mediaId);
      return listAttempts(sql, mediaId);
    },

    async retry(viewer: Viewer, mediaId: string, actor: Actor) {
      return transaction(sql, async (tx) => {
        const source = (await mayRead(tx, viewer, mediaId)) && (await store.findSource(tx, mediaId));
        if (!source) mediaNotFound();
        if (!(await store.mayRetry(tx, viewer, mediaId))) {
          throw new NexusError(
            'E_FORBIDDEN',
            'Only somebody who saved it, or an admin of a library that holds it, may retry it.',
          );
        }
        const from = await retryMedia(tx, mediaId);
        const enqueued = await enqueue(tx, source.kind, mediaId, from, actor);
        await recordAudit(tx, { action: 'media.retried', actor, details: { media_id: mediaId } });
        return { media_id: mediaId, enqueued };
      });
    },
  };
}

/** What a link is saved as. Throws `E_INVALID_URL` for what Nexus does not save. */
export function newUrlMedia(
  { user_id: created_by_user_id }: Viewer,
  kind: 'web_article' | 'video',
  url: URL,
): store.NewUrlMedia {
  const identity = identify(kind, url);
  if (identity.canonical_url.length > LONGEST_URL) {
    throw new NexusError('E_INVALID_URL', `Written out, the URL has more than ${LONGEST_URL} characters.`);
  }
  return { ...identity, kind, title: titleFrom(identity), requested_url: url.href, created_by_user_id };
}

/** The title until the page gives one: where it is, as everybody who saves it may see it. */
function titleFrom({ canonical_url, provider_id }: UrlIdentity): string {
  const { host, pathname } = new URL(canonical_url);
  if (provider_id !== null) return `youtube.com/watch?v=${provider_id}`;
  return `${host}${pathname === '/' ? '' : pathname}`.slice(0, 1000);
}

export function mediaNotFound(): never {
  throw new NexusError('E_MEDIA_NOT_FOUND', 'There is no such media here, or you may not read it.');
}
