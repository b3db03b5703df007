import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { Failure, NexusError } from '../../../contract/errors.ts';
import type { MediaKind, ProcessingStatus } from '../../../contract/media.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { newId } from '../../../platform/ids.ts';
import { isOwnTrouble } from '../../../platform/work/interruption.ts';
import type { Platform } from '../../feature.ts';
import { emitMediaEvents } from '../events.ts';
import type { Extractors } from '../extractors/extractors.ts';
import type { Thumbnails as ThumbnailFiles } from '../extractors/thumbnail.ts';
import { insertAssets } from '../store.ts';
import { thumbnailNames } from './asset-paths.ts';
import { deleteFiles } from './files.ts';
import { imageKey, isAddress, LARGEST_IMAGE } from './image.ts';
import { findImage } from './image-store.ts';
import type { Quota } from './quota.ts';
import { addStoredBytes } from './quota-store.ts';
import * as store from './thumbnail-store.ts';

const CONTENT_TYPE = 'image/webp';
const PDF = 'application/pdf';
const LARGEST_PDF = 100 * 1024 * 1024;

interface ThumbnailsDependencies extends Pick<Platform, 'sql' | 'storage'> {
  extractors: Pick<Extractors, 'thumbnails'>;
  quota: Pick<Quota, 'requireRoom'>;
}

export type MakeThumbnail = ReturnType<typeof createThumbnails>;
type ThumbnailOutcome = 'made' | 'known' | 'not needed' | 'no cover' | 'failed' | 'storage is full';

/**
 * Returns the function that makes the small images that lists show of a media: of its cover or, for a PDF without one, of
 * its first page. What cannot be made is left out, and lists show the cover itself.
 */
export function createThumbnails({ sql, storage, extractors, quota }: ThumbnailsDependencies) {
  return async function makeThumbnail(mediaId: string, signal: AbortSignal): Promise<ThumbnailOutcome> {
    const media = await store.findCovered(sql, mediaId);
    const source = media && (await sourceOf(media));
    if (!media || !source) return 'no cover';
    if (media.thumbnail !== null) return 'known';
    try {
      const bytes = await read(source);
      if (!bytes) return 'no cover';
      const made = await extractors.thumbnails({ bytes, content_type: source.content_type, signal });
      return made ? await keep(media, made) : 'not needed';
    } catch (error) {
      if (isOwnTrouble(error) || !(error instanceof Failure)) throw error;
      return 'failed';
    }
  };

  async function sourceOf({ cover, asset, kind, file_path }: store.Covered) {
    if (asset) return asset;
    if (cover === null)
      return kind === 'pdf' && file_path ? { path: file_path, content_type: PDF } : undefined;
    const image = isAddress(cover) && (await findImage(sql, imageKey(encodeURIComponent(cover))));
    return image ? { path: `images/${image.content_sha256}`, content_type: image.content_type } : undefined;
  }

  async function read({ path, content_type }: { path: string; content_type: string }) {
    const head = await storage.head(path);
    if (!head || head.size > (content_type === PDF ? LARGEST_PDF : LARGEST_IMAGE)) return undefined;
    const stored = await storage.get(path);
    return stored && buffer(stored.content);
  }

  /** Stores the files, then their rows. Files without rows are orphans, which are swept. */
  async function keep(media: store.Covered, { small, large }: ThumbnailFiles): Promise<ThumbnailOutcome> {
    const thumbnail = createHash('sha256').update(large).digest('hex').slice(0, 16);
    const folder = `media/${media.id}/${newId()}`;
    const names = thumbnailNames(thumbnail);
    const files = [
      { name: names.small, bytes: small, content_type: CONTENT_TYPE, path: `${folder}/${names.small}` },
      { name: names.large, bytes: large, content_type: CONTENT_TYPE, path: `${folder}/${names.large}` },
    ];
    for (const { path, bytes } of files) await storage.put(path, bytes, { contentType: CONTENT_TYPE });
    const outcome = await transaction(sql, async (tx): Promise<ThumbnailOutcome> => {
      if (!(await store.setThumbnail(tx, media, thumbnail))) return 'known';
      await insertAssets(tx, media.id, files);
      await addStoredBytes(tx, media.id, small.length + large.length);
      // A PDF gets its cover with this; other media had theirs before.
      if (media.cover === null) await emitMediaEvents(tx, 'media.status_changed', [changeOf(media)]);
      await quota.requireRoom(tx, media.charged_user_id, 0);
      return 'made';
    }).catch((error): ThumbnailOutcome => {
      if (!(error instanceof NexusError) || error.code !== 'E_QUOTA_EXCEEDED') throw error;
      return 'storage is full';
    });
    if (outcome !== 'made') await deleteFiles(storage, folder);
    return outcome;
  }
}

function changeOf({ id, kind, processing_status }: store.Covered) {
  return {
    media_id: id,
    kind: kind as MediaKind,
    processing_status: processing_status as ProcessingStatus,
  };
}
