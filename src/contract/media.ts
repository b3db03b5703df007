import { z } from 'zod';
import { readingProgress, readingState } from './reading.ts';
import { id, listQuery, page, text, timestamp } from './wire.ts';

export const MEDIA_KINDS = ['web_article', 'video', 'pdf', 'epub', 'podcast_episode'] as const;
export const mediaKind = z.enum(MEDIA_KINDS);
export type MediaKind = z.infer<typeof mediaKind>;

export const processingStatus = z.enum([
  'pending',
  'extracting',
  'ready_for_reading',
  'embedding',
  'ready',
  'failed',
]);
export type ProcessingStatus = z.infer<typeof processingStatus>;

export const failureStage = z.enum(['upload', 'extract', 'transcribe', 'embed', 'other']);
export type FailureStage = z.infer<typeof failureStage>;

export const capabilities = z.object({
  can_read: z.boolean(),
  can_highlight: z.boolean(),
  can_quote: z.boolean(),
  can_search: z.boolean(),
  can_play: z.boolean(),
  can_download_file: z.boolean(),
});
export type Capabilities = z.infer<typeof capabilities>;

export const outlineItem = z.object({
  title: z.string(),
  /** The fragment that the entry links to; null when it has no target. */
  fragment_idx: z.number().int().nullable(),
  depth: z.number().int(),
});

export const media = z.object({
  id,
  kind: mediaKind,
  title: z.string(),
  processing_status: processingStatus,
  failure_stage: failureStage.nullable(),
  last_error_code: z.string().nullable(),
  last_error_message: z.string().nullable(),
  processing_attempts: z.number().int(),
  processing_started_at: timestamp.nullable(),
  processing_completed_at: timestamp.nullable(),
  failed_at: timestamp.nullable(),
  /** The address as the viewer entered it; null when they did not save it by address. */
  requested_url: z.string().nullable(),
  canonical_url: z.string().nullable(),
  provider: z.string().nullable(),
  provider_id: z.string().nullable(),
  external_playback_url: z.string().nullable(),
  author: z.string().nullable(),
  site: z.string().nullable(),
  language: z.string().nullable(),
  /** ISO 8601, with the precision of the source. */
  published: z.string().nullable(),
  description: z.string().nullable(),
  word_count: z.number().int().nullable(),
  reading_minutes: z.number().int().nullable(),
  page_count: z.number().int().nullable(),
  /** A path on this server. */
  cover_url: z.string().nullable(),
  created_at: timestamp,
  updated_at: timestamp,
  /**
   * When the viewer saved it, or when it was added to a library of which they are a member now. In the list of a shared
   * library: when it was added there.
   */
  added_at: timestamp,
  /** The viewer's progress; null when they have not started to read. */
  reading: readingProgress.nullable(),
  capabilities,
  /** It failed and the viewer may retry it: they saved it, or are an admin of a library that contains it. */
  may_retry: z.boolean(),
});
export type Media = z.output<typeof media>;

export const mediaAnswer = z.object({ data: media.extend({ outline: z.array(outlineItem) }) });
export type MediaWithOutline = z.output<typeof mediaAnswer>['data'];

const mediaSort = z.enum(['added', 'title', 'published', 'length']);
export type MediaSort = z.output<typeof mediaSort>;
export type SortOrder = 'asc' | 'desc';

export const mediaQuery = listQuery.extend({
  kind: mediaKind.optional(),
  status: processingStatus.optional(),
  site: text(1, 500).optional(),
  reading: readingState.optional(),
  library_id: id.optional(),
  sort: mediaSort.default('added'),
  /** Default: `asc` for titles, `desc` for the other sorts. */
  order: z.enum(['asc', 'desc']).optional(),
  // The cursor contains a title, so it is longer than others.
  cursor: z.string().max(2000).optional(),
});
export type MediaQuery = z.output<typeof mediaQuery>;

export const mediaList = z.object({
  data: z.array(media),
  page: page.extend({ total: z.number().int() }),
});
export type MediaList = z.output<typeof mediaList>;

export const sitesQuery = z.object({ library_id: id.optional() });
export const siteList = z.object({ data: z.array(z.object({ site: z.string(), count: z.number().int() })) });
export type SiteList = z.output<typeof siteList>;

export const fragment = z.object({
  id,
  idx: z.number().int(),
  title: z.string().nullable(),
  html_sanitized: z.string(),
  canonical_text: z.string(),
  t_start_ms: z.number().int().nullable(),
  t_end_ms: z.number().int().nullable(),
});
export type MediaFragment = z.output<typeof fragment>;
export const fragmentList = z.object({ data: z.array(fragment) });

export const mediaAttempt = z.object({
  attempt_number: z.number().int(),
  step: z.enum(['extract', 'index']),
  status: z.enum(['running', 'succeeded', 'failed', 'interrupted']),
  /** A sentence for readers that describes what happened. */
  summary: z.string(),
  error_code: z.string().nullable(),
  started_at: timestamp,
  finished_at: timestamp.nullable(),
});
export type MediaAttempt = z.output<typeof mediaAttempt>;
export const mediaAttemptList = z.object({ data: z.array(mediaAttempt) });

const url = text(1, 10_000);
/** A library that lists the media too, besides the caller's default library. The caller must be its admin. */
const library_id = id.optional();
export const saveUrl = z.strictObject({ kind: text(1, 64), url, library_id });
export const saveFromUrl = z.strictObject({ url, library_id });
export const savedMedia = z.object({
  data: z.object({ media_id: id, created: z.boolean(), enqueued: z.boolean() }),
});
export const retriedMedia = z.object({ data: z.object({ media_id: id, enqueued: z.boolean() }) });

export const beginUpload = z.strictObject({
  kind: text(1, 64),
  filename: text(1, 500),
  content_type: text(1, 200),
  size_bytes: z.number().int().min(1),
});
export const begunUpload = z.object({
  data: z.object({
    media_id: id,
    storage_path: z.string(),
    upload_url: z.string(),
    upload_headers: z.record(z.string(), z.string()),
    expires_at: timestamp,
  }),
});
export const ingestUpload = z.strictObject({ library_id }).nullish();
export const ingestedUpload = z.object({
  data: z.object({ media_id: id, duplicate: z.boolean(), enqueued: z.boolean() }),
});
