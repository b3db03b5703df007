import type { ReadingProgress, UpdateReading } from '../../../contract/reading.ts';
import type { Queryable, Transaction } from '../../../platform/database/database.ts';
import { canReadMedia, type Viewer } from '../../libraries/access/can-read-media.ts';

/**
 * Writes reading progress; undefined when the viewer may not read the media. Without a position, the old one is deleted
 * together with the progress it belonged to. The media is locked by the statement itself: a merge that waits for it copies
 * this progress, and one that comes first leaves nothing to write to.
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
    where media.id = ${mediaId} and ${canReadMedia(sql, viewer, mediaId)}
    for key share of media
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
      where media.id = ${mediaId} and ${canReadMedia(sql, viewer, mediaId)}
      for key share of media
    ),
    forgotten as (
      delete from media_readings
      where user_id = ${viewer.user_id} and media_id in (select id from readable)
    )
    select exists (select from readable) as is_readable`;
  return row.is_readable;
}

/** Locks and returns the viewer's progress in those of the media that they have started. */
export async function lockReadings(tx: Transaction, { user_id }: Viewer, mediaIds: string[]) {
  return tx<(ReadingProgress & { media_id: string })[]>`
    select media_id, progress, position, finished_at, updated_at
    from media_readings
    where user_id = ${user_id} and media_id = any(${mediaIds}::uuid[])
    order by media_id
    for update`;
}

/** Marks those of the media that the viewer may read and has not finished as finished. Returns their ids. */
export async function finishMany(sql: Queryable, viewer: Viewer, mediaIds: string[]): Promise<string[]> {
  const written = await sql<{ media_id: string }[]>`
    insert into media_readings as reading (user_id, media_id, progress, finished_at, updated_at)
    select ${viewer.user_id}, media.id, 1, clock_timestamp(), clock_timestamp()
    from media
    where media.id = any(${mediaIds}::uuid[]) and ${canReadMedia(sql, viewer, sql`media.id`)}
    order by media.id
    on conflict (user_id, media_id) do update
    set progress = 1, position = null, finished_at = excluded.finished_at, updated_at = clock_timestamp()
    where reading.finished_at is null
    returning reading.media_id`;
  return written.map(({ media_id }) => media_id);
}

/** The most progress of a media that is not finished. */
const UNFINISHED = 0.99;

/** Marks those of the media that the viewer may read and has finished as not finished. Returns their ids. */
export async function unfinishMany(sql: Queryable, viewer: Viewer, mediaIds: string[]): Promise<string[]> {
  const written = await sql<{ media_id: string }[]>`
    update media_readings as reading
    set progress = least(progress, ${UNFINISHED}::float8), finished_at = null, updated_at = clock_timestamp()
    where reading.user_id = ${viewer.user_id}
      and reading.media_id = any(${mediaIds}::uuid[])
      and reading.finished_at is not null
      and ${canReadMedia(sql, viewer, sql`reading.media_id`)}
    returning reading.media_id`;
  return written.map(({ media_id }) => media_id);
}

/** Deletes the reading progress of those of the media that the viewer may read and has started. Returns their ids. */
export async function forgetMany(sql: Queryable, viewer: Viewer, mediaIds: string[]): Promise<string[]> {
  const deleted = await sql<{ media_id: string }[]>`
    delete from media_readings as reading
    where reading.user_id = ${viewer.user_id}
      and reading.media_id = any(${mediaIds}::uuid[])
      and ${canReadMedia(sql, viewer, sql`reading.media_id`)}
    returning reading.media_id`;
  return deleted.map(({ media_id }) => media_id);
}
