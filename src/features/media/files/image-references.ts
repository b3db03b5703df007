import { createHash } from 'node:crypto';
import type { Transaction } from '../../../platform/database/database.ts';
import type { Extraction } from '../extractors/extraction.ts';
import { imagePath } from '../lists/media-row.ts';

const IMAGE = new RegExp(`${imagePath().replace('?', '\\?')}([^"&]+)`, 'g');

/** The key of an image: the hash of its address, encoded as in the HTML that shows it. */
export function imageKey(url: string): string {
  return keyOfEncoded(encodeURIComponent(url));
}

function keyOfEncoded(address: string): string {
  return createHash('sha256').update(address).digest('hex');
}

/** Returns the keys of all images of a document, including its cover. */
export function imageKeysOf({ fragments, metadata: { cover } }: Extraction): string[] {
  const keys = new Set(cover !== null && /^https?:/.test(cover) ? [imageKey(cover)] : []);
  for (const { html_sanitized } of fragments) {
    for (const [, address = ''] of html_sanitized.matchAll(IMAGE)) keys.add(keyOfEncoded(address));
  }
  return [...keys];
}

export async function writeImageKeys(tx: Transaction, mediaId: string, keys: string[]): Promise<void> {
  await tx`
    insert into media_images (media_id, url_sha256)
    select ${mediaId}, key from unnest(${keys}::text[]) as given (key)
    on conflict do nothing`;
}
