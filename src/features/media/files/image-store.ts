import type { Queryable, Transaction } from '../../../platform/database/database.ts';
import { canReadMedia, type Viewer } from '../../libraries/access/can-read-media.ts';

interface StoredImage {
  url_sha256: string;
  content_sha256: string;
  content_type: string;
  size: number;
}

/** A document that shows an image, and who is charged for it. */
export interface Showing {
  id: string;
  charged_user_id: string;
}

/** Returns a document with the address of its cover and the HTML of its fragments. */
export async function findWithImages(sql: Queryable, mediaId: string) {
  const [media] = await sql<(Showing & { cover: string | null; html: string[] })[]>`
    select
      media.id, media.charged_user_id, media.cover,
      array(
        select html_sanitized from media_fragments where media_fragments.media_id = media.id order by idx
      ) as html
    from media
    where media.id = ${mediaId}`;
  return media;
}

export async function findImage(sql: Queryable, key: string) {
  const [image] = await sql<Pick<StoredImage, 'content_sha256' | 'content_type'>[]>`
    select content_sha256, content_type from images where url_sha256 = ${key}`;
  return image;
}

/**
 * Finds the oldest document with an image that the viewer can read, and who is charged for it. Nobody can fill the storage
 * of people whose documents they cannot read.
 */
export async function findShowing(sql: Queryable, viewer: Viewer, key: string) {
  const [media] = await sql<Showing[]>`
    select media.id, media.charged_user_id
    from media_images
    join media on media.id = media_images.media_id
    where media_images.url_sha256 = ${key} and ${canReadMedia(sql, viewer, sql`media.id`)}
    order by media.id
    limit 1`;
  return media;
}

/** Inserts an image. False when it already exists. */
export async function insertImage(tx: Transaction, image: StoredImage): Promise<boolean> {
  const inserted = await tx`
    insert into images (url_sha256, content_sha256, content_type, size)
    values (${image.url_sha256}, ${image.content_sha256}, ${image.content_type}, ${image.size})
    on conflict do nothing`;
  return inserted.count === 1;
}

/** Deletes images after `after` that no document shows any more. Returns how many, and the key to continue from. */
export async function evictImages(sql: Queryable, after: string, batch: number) {
  const [result] = await sql<[{ evicted: number; last: string | null }]>`
    with batch as materialized (
      select url_sha256 from images where url_sha256 > ${after} order by url_sha256 limit ${batch}
    ),
    evicted as (
      delete from images
      using batch
      where images.url_sha256 = batch.url_sha256
        and not exists (select from media_images where media_images.url_sha256 = batch.url_sha256)
      returning 1
    )
    select (select count(*) from evicted) as evicted, (select max(url_sha256) from batch) as last`;
  return result;
}

/** Records the images that a document shows. */
export async function writeImageKeys(tx: Transaction, mediaId: string, keys: string[]): Promise<void> {
  await tx`
    insert into media_images (media_id, url_sha256)
    select ${mediaId}, key from unnest(${keys}::text[]) as given (key)
    on conflict do nothing`;
}
