import type { Queryable, Transaction } from '../../../platform/database/database.ts';
import type { Showing } from './image-store.ts';

/** A media, and where its thumbnail can be made from. */
export interface Covered extends Showing {
  kind: string;
  processing_status: string;
  cover: string | null;
  thumbnail: string | null;
  file_path: string | null;
  /** The file of the cover, if that is an asset. */
  asset: { path: string; content_type: string } | null;
}

export async function findCovered(sql: Queryable, mediaId: string) {
  const [media] = await sql<Covered[]>`
    select
      media.id, media.charged_user_id, media.kind, media.processing_status, media.cover, media.thumbnail, media.file_path,
      case
        when asset.path is not null then json_build_object('path', asset.path, 'content_type', asset.content_type)
      end as asset
    from media
    left join media_assets as asset on asset.media_id = media.id and asset.name = media.cover
    where media.id = ${mediaId}`;
  return media;
}

/** Whether the media still has the cover that a thumbnail was made from, and no thumbnail yet. Sets it then. */
export async function setThumbnail(
  tx: Transaction,
  { id, cover }: Pick<Covered, 'id' | 'cover'>,
  thumbnail: string,
): Promise<boolean> {
  const updated = await tx`
    update media
    set thumbnail = ${thumbnail}, updated_at = now()
    where id = ${id} and thumbnail is null and cover is not distinct from ${cover}`;
  return updated.count === 1;
}

export async function markAsked(tx: Transaction, mediaIds: string[]): Promise<void> {
  await tx`update media set thumbnail_asked_at = now() where id = any(${mediaIds}::uuid[])`;
}

/** Locks media for which no thumbnail was asked. Media in extraction are skipped: they ask for theirs when they are done. */
export async function lockUnasked(tx: Transaction, most: number): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select id
    from media
    where thumbnail_asked_at is null
      and (cover is not null or (kind = 'pdf' and file_path is not null))
      and processing_status not in ('pending', 'extracting')
    order by id desc
    limit ${most}
    for no key update skip locked`;
  return rows.map(({ id }) => id);
}
