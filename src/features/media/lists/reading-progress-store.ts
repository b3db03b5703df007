import type { ReadingProgress, UpdateReading } from '../../../contract/reading.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import { canReadMedia, type Viewer } from '../../libraries/access/can-read-media.ts';

/**
 * Writes reading progress; undefined when the viewer may not read the media. Without a position, the old one is deleted
 * together with the progress it belonged to.
 */
export async function writeReadingProgress(
  sql: Queryable,
  viewer: Viewer,
  mediaId: string,
  { progress, position, finished }: UpdateReading,
): Promise<ReadingProgress | undefined> {
  const [reading] = await sql<ReadingProgress[]>`
    insert into media_readings as reading (user_id, media_id, progress, position, finished_at, updated_at)
    select
      ${viewer.user_id}, media.id, ${progress}::float8,
      ${position === undefined ? null : JSON.stringify(position)}::jsonb,
      case when ${finished ?? false}::boolean then clock_timestamp() end, clock_timestamp()
    from media
    where media.id = ${mediaId} and ${canReadMedia(sql, viewer, sql`media.id`)}
    on conflict (user_id, media_id) do update
    set progress = excluded.progress,
        position = excluded.position,
        finished_at = case
          when ${finished ?? null}::boolean is null then reading.finished_at
          when ${finished ?? null}::boolean then coalesce(reading.finished_at, excluded.finished_at)
        end,
        updated_at = clock_timestamp()
    returning progress, position, finished_at, updated_at`;
  return reading;
}

/** Deletes reading progress; false when the viewer may not read the media. */
export async function deleteReadingProgress(sql: Queryable, viewer: Viewer, mediaId: string) {
  const [row] = await sql<[{ is_readable: boolean }]>`
    with readable as (
      select media.id
      from media
      where media.id = ${mediaId} and ${canReadMedia(sql, viewer, sql`media.id`)}
    ),
    forgotten as (
      delete from media_readings
      where user_id = ${viewer.user_id} and media_id in (select id from readable)
    )
    select exists (select from readable) as is_readable`;
  return row.is_readable;
}
