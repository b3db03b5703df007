import { capabilitiesOf } from '../../contract/capabilities.ts';
import type { Media } from '../../contract/media.ts';
import type { Queryable } from '../../platform/database/database.ts';

/** A media as it is read from the database, whichever list it is in. */
export interface MediaRow extends Omit<Media, 'capabilities' | 'cover_url'> {
  file_path: string | null;
  has_text: boolean;
  cover: string | null;
}

export const mediaColumns = (sql: Queryable) => sql`
  media.id, media.kind, media.title, media.processing_status, media.failure_stage, media.last_error_code,
  media.last_error_message, media.processing_attempts, media.processing_started_at, media.processing_completed_at,
  media.failed_at, media.requested_url, media.canonical_url, media.provider, media.provider_id,
  media.external_playback_url, media.author, media.site, media.language, media.published, media.description,
  media.word_count, media.reading_minutes, media.page_count, media.created_at, media.updated_at,
  media.file_path, media.cover, media.plain_text is not null and media.plain_text <> '' as has_text`;

/** As everybody sees it: with what can be done with it, and without where its file lies. */
export function onTheWire<Row extends MediaRow>(
  given: Row,
): Omit<Row, 'file_path' | 'has_text' | 'cover'> & Pick<Media, 'cover_url' | 'capabilities'> {
  const { file_path, has_text, cover, ...row } = given;
  const facts = { ...given, has_file: file_path !== null };
  return { ...row, cover_url: coverUrl(given.id, cover), capabilities: capabilitiesOf(facts) };
}

/** Readers get foreign images from Nexus alone. */
function coverUrl(mediaId: string, cover: string | null): string | null {
  if (cover === null) return null;
  return /^https?:/.test(cover) ? imagePath(cover) : assetPath(mediaId) + cover;
}

export function imagePath(url = ''): string {
  return `/media/images?url=${encodeURIComponent(url)}`;
}

export function assetPath(mediaId: string): string {
  return `/media/${mediaId}/assets/`;
}
