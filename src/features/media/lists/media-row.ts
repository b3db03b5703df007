import { capabilitiesOf } from '../../../contract/capabilities.ts';
import type { Media } from '../../../contract/media.ts';
import type { ReadingProgress } from '../../../contract/reading.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import { mayRetryMedia } from '../../libraries/access/contributing.ts';
import { assetPath, imagePath, thumbnailNames } from '../files/asset-paths.ts';
import { joinMine, type MineRow, mineColumns, toMine } from '../mine/mine-store.ts';

/** The fields of a media that are made from several columns. */
type Completed = 'capabilities' | 'cover_url' | 'thumbnail_urls' | 'reading' | 'mine';

/** A row of a media, as all lists read it. */
export interface MediaRow extends Omit<Media, Completed>, MineRow {
  has_file: boolean;
  has_text: boolean;
  cover: string | null;
  thumbnail: string | null;
  reading_progress: number | null;
  reading_position: ReadingProgress['position'];
  reading_finished_at: Date | null;
  reading_updated_at: Date | null;
}

/** The columns of a media. The statement also needs `joinOwn` and an `added_at`, such as `addedAt`. */
export const mediaColumns = (sql: Queryable, viewer: Viewer) => sql`
  media.id, media.kind, media.title, media.processing_status, media.failure_stage, media.last_error_code,
  media.last_error_message, media.processing_attempts, media.processing_started_at, media.processing_completed_at,
  media.failed_at, ${requestedUrl(sql, viewer)} as requested_url, media.canonical_url, media.provider, media.provider_id,
  media.external_playback_url, media.author, media.site, media.language, media.published, media.description,
  media.word_count, media.reading_minutes, media.page_count, media.is_link, media.created_at, media.updated_at,
  media.file_path is not null as has_file, media.cover, media.thumbnail, media.plain_text is not null and media.plain_text <> '' as has_text,
  reading.progress as reading_progress, reading.position as reading_position,
  reading.finished_at as reading_finished_at, reading.updated_at as reading_updated_at,
  media.processing_status = 'failed' and media.failure_stage <> 'upload' and ${mayRetryMedia(sql, viewer)} as may_retry,
  ${mayEditTitle(sql, viewer)} as may_edit_title, ${mineColumns(sql, viewer)}`;

/** A link is one media for all who saved it, and they learn nothing of each other. A file belongs to whoever uploaded it. */
export const mayEditTitle = (sql: Queryable, { user_id }: Viewer) => sql`(
  media.created_by_user_id = ${user_id} and media.canonical_url is null and media.provider_id is null
)`;

/** The address as the viewer typed it. It is shown to nobody else. */
const requestedUrl = (sql: Queryable, { default_library_id }: Viewer) => sql`(
  select saved.requested_url
  from default_library_intrinsics as saved
  where saved.default_library_id = ${default_library_id} and saved.media_id = media.id
)`;

/**
 * When a media came to the viewer: the date in their default library or, before that is filled, when it first came
 * through a library that they are a member of.
 */
export const addedAt = (sql: Queryable, { user_id, default_library_id }: Viewer) => sql`coalesce(
  (
    select own.created_at
    from library_media as own
    where own.library_id = ${default_library_id} and own.media_id = media.id
  ),
  (
    select min(greatest(listed.created_at, joined.created_at))
    from memberships as joined
    join library_media as listed on listed.library_id = joined.library_id and listed.media_id = media.id
    where joined.user_id = ${user_id} and joined.library_id <> ${default_library_id}
  )
)`;

/** Joins the viewer's reading progress, and what they keep for themselves, for each media of a statement. */
export const joinOwn = (sql: Queryable, viewer: Viewer) => sql`
  left join media_readings as reading on reading.user_id = ${viewer.user_id} and reading.media_id = media.id
  ${joinMine(sql, viewer)}`;

type Inside = Exclude<keyof MediaRow, keyof Media>;

/**
 * Completes a row to a media on the wire, in place: lists have thousands of them, and copying thirty fields of each takes
 * longer than reading them. The columns that are not on the wire stay; answers contain only the fields of their schema.
 */
export function toMedia<Row extends MediaRow>(row: Row): Omit<Row, Inside> & Pick<Media, Completed> {
  const { reading_progress: progress, reading_updated_at: updated_at } = row;
  const { reading_position: position, reading_finished_at: finished_at } = row;
  const thumbnail_urls = thumbnailUrls(row.id, row.thumbnail);
  return Object.assign(row, {
    // The first page of a PDF is its cover.
    cover_url: coverUrl(row.id, row.cover) ?? thumbnail_urls?.large ?? null,
    thumbnail_urls,
    reading:
      progress === null || updated_at === null ? null : { progress, position, finished_at, updated_at },
    capabilities: capabilitiesOf(row),
    mine: toMine(row),
  });
}

/** Images of other sites are served by Nexus. */
function coverUrl(mediaId: string, cover: string | null): string | null {
  if (cover === null) return null;
  return /^https?:/.test(cover) ? imagePath(cover) : assetPath(mediaId) + cover;
}

function thumbnailUrls(mediaId: string, thumbnail: string | null): Media['thumbnail_urls'] {
  if (thumbnail === null) return null;
  const { small, large } = thumbnailNames(thumbnail);
  return { small: assetPath(mediaId) + small, large: assetPath(mediaId) + large };
}
