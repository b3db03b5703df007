import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Failure, NexusError } from '../../../contract/errors.ts';
import { id } from '../../../contract/wire.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { type Completion, defineJobType, type JobContext } from '../../../platform/jobs/job-type.ts';
import { createSlots } from '../../../platform/slots.ts';
import { isOwnTrouble } from '../../../platform/work/interruption.ts';
import { RetryLater } from '../../../platform/work/retry-policy.ts';
import type { Platform } from '../../feature.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import type { Extraction } from '../extractors/extraction.ts';
import { parseMediaUrl } from '../saving/url.ts';
import { imagePath } from './asset-paths.ts';
import { checkImage, imageKey, isAddress, LARGEST_IMAGE } from './image.ts';
import * as store from './image-store.ts';
import type { Quota } from './quota.ts';
import { addStoredBytes } from './quota-store.ts';
import type { MakeThumbnail } from './thumbnails.ts';

interface ImagesDependencies extends Pick<Platform, 'sql' | 'storage' | 'egress'> {
  quota: Pick<Quota, 'requireRoom'>;
  makeThumbnail: MakeThumbnail;
}

export type Images = ReturnType<typeof createImages>;

interface FetchedImage {
  contentType: string;
  bytes: Buffer;
}

/** Each fetch may keep an image of 10 MB in memory for as long as its site takes. */
const FETCHES = { total: 16, perPerson: 6, waitingPerPerson: 50, waitMs: 10_000 };
const FETCH_MS = 15_000;

const savePayload = z.strictObject({ media_id: id, only: z.literal('cover').optional() });
type SavePayload = z.output<typeof savePayload>;

/** The limits for the images of one document that are saved with it. Others are fetched when somebody reads it. */
const SAVED = { most: 100, bytes: 50 * 1024 * 1024, parallel: 2, totalMs: 120_000 };
const RETRY_SECONDS = 60;

/**
 * Keeps and serves the images of pages, so that they outlive their sites, and no browser sends requests to other sites.
 * Images that a document shows are fetched once and stored by content while there is room for them; others are passed on
 * and not stored.
 */
export function createImages({ sql, storage, egress, quota, makeThumbnail }: ImagesDependencies) {
  const slots = createSlots(FETCHES);

  async function fetchImage(url: string, signal?: AbortSignal): Promise<FetchedImage> {
    const { bytes } = await egress.fetchBytes(url, {
      headers: { accept: 'image/*' },
      limits: { bodyBytes: LARGEST_IMAGE, totalMs: FETCH_MS },
      ...(signal && { signal }),
    });
    return { contentType: checkImage(bytes), bytes };
  }

  async function fetchAndKeep(viewer: Viewer, key: string, url: string) {
    const image = await fetchImage(url);
    const media = await store.findShowing(sql, viewer, key);
    if (media) await keep(media, key, image);
    return { contentType: image.contentType, content: image.bytes };
  }

  /** Stores an image of a document, and charges it to whoever is charged for that. False without room for it. */
  async function keep(
    media: store.Showing,
    key: string,
    { contentType, bytes }: FetchedImage,
  ): Promise<boolean> {
    const content = createHash('sha256').update(bytes).digest('hex');
    const image = { url_sha256: key, content_sha256: content, content_type: contentType, size: bytes.length };
    // The file is stored before its row, so that a row never lacks its file. A file without a row is an orphan.
    await storage.put(`images/${content}`, bytes, { contentType });
    try {
      await transaction(sql, async (tx) => {
        if (!(await store.insertImage(tx, image))) return;
        await addStoredBytes(tx, media.id, bytes.length);
        await quota.requireRoom(tx, media.charged_user_id, 0);
      });
      return true;
    } catch (error) {
      if (!(error instanceof NexusError) || error.code !== 'E_QUOTA_EXCEEDED') throw error;
      return false;
    }
  }

  /**
   * Saves the images of a document: the cover first, of which the thumbnail is made, then in reading order. One that cannot
   * be had is left out.
   */
  async function saveImages({ media_id, only }: SavePayload, context: JobContext): Promise<Completion> {
    const media = await store.findWithImages(sql, media_id);
    if (!media) return { result: { outcome: 'missing' } };
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(SAVED.totalMs)]);
    const wanted = addressesOf(media).slice(0, SAVED.most);
    const covers = wanted.splice(0, isAddress(media.cover) ? 1 : 0);
    const result = { saved: 0, known: 0, failed: 0 };
    let bytes = 0;
    let trouble: Failure | undefined;
    let isFull = false;
    const save = async (addresses: Iterable<string>) => {
      for (const encoded of addresses) {
        if (isFull || bytes > SAVED.bytes || signal.aborted) return;
        const key = imageKey(encoded);
        try {
          if (await store.findImage(sql, key)) {
            result.known += 1;
            continue;
          }
          const image = await fetchImage(parseMediaUrl(decodeURIComponent(encoded)).href, signal);
          bytes += image.bytes.length;
          if (await keep(media, key, image)) result.saved += 1;
          else isFull = true;
        } catch (error) {
          if (isOwnTrouble(error)) throw error;
          result.failed += 1;
          if (error instanceof Failure && error.isTransient) trouble = error;
        }
      }
    };
    await save(covers);
    const thumbnail = await makeThumbnail(media_id, context.signal);
    const next = wanted.values();
    if (only !== 'cover') await Promise.all(Array.from({ length: SAVED.parallel }, () => save(next)));
    context.signal.throwIfAborted();
    if (trouble && !context.isLastAttempt)
      throw new RetryLater(RETRY_SECONDS, trouble.code, trouble.message, { cause: trouble });
    return { result: { outcome: isFull ? 'storage is full' : 'saved', ...result, thumbnail } };
  }

  return {
    /** The job that saves the images of a document, or only its cover, and makes its thumbnail. */
    saveType: defineJobType('save_images', {
      queue: 'ingest',
      payload: savePayload,
      handler: saveImages,
    }),

    async get(viewer: Viewer, address: string) {
      const url = parseMediaUrl(address).href;
      const key = imageKey(encodeURIComponent(address));
      const known = await store.findImage(sql, key);
      const stored = known && (await storage.get(`images/${known.content_sha256}`));
      if (stored) return { contentType: known.content_type, content: stored.content };
      try {
        return await slots.run(viewer.user_id, () => fetchAndKeep(viewer, key, url));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (error.code === 'E_SSRF_BLOCKED' || error.code === 'E_INVALID_URL') {
          throw new NexusError(error.code, error.message);
        }
        throw new NexusError('E_NOT_FOUND', `This image cannot be shown. ${error.message}`);
      }
    },
  };
}

const IMAGE = new RegExp(`${imagePath().replace('?', '\\?')}([^"&]+)`, 'g');

/** Returns the keys of all images of a document, including its cover. */
export function imageKeysOf({ fragments, metadata: { cover } }: Extraction): string[] {
  return addressesOf({ cover, html: fragments.map(({ html_sanitized }) => html_sanitized) }).map(imageKey);
}

/** Returns the addresses of all images of a document, encoded as in its HTML. The cover comes first. */
function addressesOf({ cover, html }: { cover: string | null; html: string[] }): string[] {
  const addresses = new Set(isAddress(cover) ? [encodeURIComponent(cover)] : []);
  for (const text of html) for (const [, address = ''] of text.matchAll(IMAGE)) addresses.add(address);
  return [...addresses];
}
