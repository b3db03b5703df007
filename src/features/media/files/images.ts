import { createHash } from 'node:crypto';
import { Failure, NexusError } from '../../../contract/errors.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { createSlots } from '../../../platform/slots.ts';
import type { Platform } from '../../feature.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import type { Extraction } from '../extractors/extraction.ts';
import { imagePath } from '../lists/media-row.ts';
import { parseMediaUrl } from '../saving/url.ts';
import { checkImage, LARGEST_IMAGE } from './image.ts';
import * as store from './image-store.ts';
import type { Quota } from './quota.ts';
import { addStoredBytes } from './quota-store.ts';

interface ImagesDependencies extends Pick<Platform, 'sql' | 'storage' | 'egress'> {
  quota: Pick<Quota, 'requireRoom'>;
}

export type Images = ReturnType<typeof createImages>;

/** Each fetch may keep an image of 10 MB in memory for as long as its site takes. */
const FETCHES = { total: 16, perPerson: 6, waitingPerPerson: 50, waitMs: 10_000 };
const FETCH_MS = 15_000;

/**
 * Serves the images of pages, so that no browser sends requests to other sites. Images that a document shows are
 * fetched once and stored by content while there is room for them; others are passed on and not stored.
 */
export function createImages({ sql, storage, egress, quota }: ImagesDependencies) {
  const slots = createSlots(FETCHES);

  async function fetchImage(viewer: Viewer, key: string, url: string) {
    const { bytes } = await egress.fetchBytes(url, {
      headers: { accept: 'image/*' },
      limits: { bodyBytes: LARGEST_IMAGE, totalMs: FETCH_MS },
    });
    const contentType = checkImage(bytes);
    await keep(viewer, key, contentType, bytes);
    return { contentType, content: bytes };
  }

  /** Stores an image of a document, and charges it to whoever is charged for that. Without room it is not stored. */
  async function keep(viewer: Viewer, key: string, contentType: string, bytes: Buffer): Promise<void> {
    const media = await store.findShowing(sql, viewer, key);
    if (!media) return;
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
    } catch (error) {
      if (!(error instanceof NexusError) || error.code !== 'E_QUOTA_EXCEEDED') throw error;
    }
  }

  return {
    async get(viewer: Viewer, address: string) {
      const url = parseMediaUrl(address).href;
      const key = imageKey(encodeURIComponent(address));
      const known = await store.findImage(sql, key);
      const stored = known && (await storage.get(`images/${known.content_sha256}`));
      if (stored) return { contentType: known.content_type, content: stored.content };
      try {
        return await slots.run(viewer.user_id, () => fetchImage(viewer, key, url));
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
  const keys = new Set(cover !== null && /^https?:/.test(cover) ? [imageKey(encodeURIComponent(cover))] : []);
  for (const { html_sanitized } of fragments) {
    for (const [, address = ''] of html_sanitized.matchAll(IMAGE)) keys.add(imageKey(address));
  }
  return [...keys];
}

/** Returns the key of an image: the hash of its address, encoded as in the HTML that shows it. */
function imageKey(encoded: string): string {
  return createHash('sha256').update(encoded).digest('hex');
}
