import type { Database } from '../../src/platform/database/database.ts';

interface Owner {
  id: string;
  default_library_id: string;
}

/** Inserts articles without text into a person's library. */
export async function seedArticles(sql: Database, owner: Owner, count: number): Promise<void> {
  await sql`
    with made as (
      insert into media
        (id, kind, title, processing_status, processing_started_at, processing_completed_at, canonical_url, site,
         reading_minutes, description, created_by_user_id)
      select
        gen_random_uuid(), 'web_article', 'Article number ' || number, 'ready', now(), now(),
        'https://example.com/' || number, 'Site ' || number % 40, 1 + number % 30,
        'What article number ' || number || ' is about, in a sentence that is as long as they are.', ${owner.id}
      from generate_series(1, ${count}) as number
      returning id
    ), saved as (
      insert into default_library_intrinsics (default_library_id, media_id)
      select ${owner.default_library_id}, id from made
    )
    insert into library_media (library_id, media_id, is_derived)
    select ${owner.default_library_id}, id, true from made`;
}

/** Inserts a video with a transcript of three lines. */
export async function seedVideo(sql: Database, owner: Owner): Promise<string> {
  const [video] = await sql<[{ id: string }]>`
    with made as (
      insert into media
        (id, kind, title, processing_status, processing_started_at, processing_completed_at, provider, provider_id,
         canonical_url, external_playback_url, created_by_user_id)
      values
        (gen_random_uuid(), 'video', 'A talk about tides', 'ready', now(), now(), 'youtube', 'abcdefghijk',
         'https://www.youtube.com/watch?v=abcdefghijk', 'https://www.youtube.com/watch?v=abcdefghijk', ${owner.id})
      returning id
    ), spoken as (
      insert into media_fragments (id, media_id, idx, html_sanitized, canonical_text, t_start_ms, t_end_ms)
      select gen_random_uuid(), id, line, '<p>Line ' || line || '</p>', 'Line ' || line, line * 65000, (line + 1) * 65000
      from made, generate_series(0, 2) as line
    ), saved as (
      insert into default_library_intrinsics (default_library_id, media_id)
      select ${owner.default_library_id}, id from made
    ), listed as (
      insert into library_media (library_id, media_id, is_derived)
      select ${owner.default_library_id}, id, true from made
    )
    select id from made`;
  return video.id;
}

/** Inserts a failed podcast episode, for which there is no extractor. */
export async function seedFailedPodcast(sql: Database, owner: Owner): Promise<void> {
  await sql`
    with made as (
      insert into media
        (id, kind, title, processing_status, failure_stage, last_error_code, last_error_message, failed_at,
         created_by_user_id)
      values
        (gen_random_uuid(), 'podcast_episode', 'An episode', 'failed', 'extract', 'E_EXTRACTION_FAILED',
         'It could not be read.', now(), ${owner.id})
      returning id
    ), saved as (
      insert into default_library_intrinsics (default_library_id, media_id)
      select ${owner.default_library_id}, id from made
    )
    insert into library_media (library_id, media_id, is_derived)
    select ${owner.default_library_id}, id, true from made`;
}
