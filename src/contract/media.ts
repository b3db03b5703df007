import { z } from 'zod';
import { libraryTags, mine, tagName, tagNames } from './mine.ts';
import { readingProgress, readingState } from './reading.ts';
import { cursor, id, listQuery, page, searchText, text, timestamp } from './wire.ts';

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

const elementId = z.string().describe('The id of an element in the HTML of the fragment.');

export const outlineItem = z.object({
  title: z.string(),
  fragment_idx: z
    .number()
    .int()
    .nullable()
    .describe('The fragment that the entry links to; null when it has no target.'),
  element: elementId.optional().describe('An element of it, if the entry does not link to its beginning.'),
  depth: z.number().int(),
});

const landmark = z.object({
  type: z
    .string()
    .describe('A term of EPUB 3, such as `cover`, `toc` or `bodymatter`.')
    .meta({ examples: ['bodymatter'] }),
  title: z.string().describe("The book's own name for it; may be empty."),
  fragment_idx: z.number().int(),
  element: elementId.optional(),
});

export const bookFacts = z.object({
  direction: z.enum(['ltr', 'rtl']).describe('The direction in which pages turn.'),
  landmarks: z.array(landmark).describe('Parts such as the cover and the start of the text.'),
});
export type BookFacts = z.output<typeof bookFacts>;

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
  requested_url: z
    .string()
    .nullable()
    .describe('The address as the viewer entered it; null when they did not save it by address.'),
  canonical_url: z.string().nullable(),
  provider: z.string().nullable(),
  provider_id: z.string().nullable(),
  external_playback_url: z.string().nullable(),
  author: z.string().nullable(),
  site: z.string().nullable(),
  language: z.string().nullable(),
  published: z.string().nullable().describe('ISO 8601, with the precision of the source.'),
  description: z.string().nullable(),
  word_count: z.number().int().nullable(),
  reading_minutes: z.number().int().nullable(),
  page_count: z.number().int().nullable(),
  is_link: z
    .boolean()
    .describe(
      'A page with hardly any text, such as an application. Its title and description are kept; the page itself is opened elsewhere.',
    ),
  cover_url: z.string().nullable().describe('A path on this server.'),
  thumbnail_urls: z
    .object({ small: z.string(), large: z.string() })
    .nullable()
    .describe(
      'Small files of the cover: paths on this server to WebP images of up to 160 and 640 pixels. Null while there are none: show the cover itself.',
    ),
  created_at: timestamp,
  updated_at: timestamp,
  added_at: timestamp.describe(
    'When the viewer saved it, or when it was added to a library of which they are a member now. In the list of a shared library: when it was added there.',
  ),
  reading: readingProgress
    .nullable()
    .describe("The viewer's progress; null when they have not started to read."),
  mine,
  capabilities,
  may_retry: z
    .boolean()
    .describe(
      'It failed and the viewer may retry it: they saved it, are an admin of a library that contains it, or added it to one as a contributor.',
    ),
  may_edit_title: z.boolean().describe('It is a file that the viewer uploaded, so they may edit its title.'),
});
export type Media = z.output<typeof media>;

export const mediaWithOutline = media.extend({
  outline: z.array(outlineItem),
  book: bookFacts.nullable().describe('How a book is read; null for other kinds.'),
});
export type MediaWithOutline = z.output<typeof mediaWithOutline>;

const mediaSort = z.enum(['added', 'title', 'published', 'length', 'read']);
export type MediaSort = z.output<typeof mediaSort>;
export type SortOrder = 'asc' | 'desc';

/** A boolean in a query. */
const flag = z.enum(['true', 'false']).transform((given) => given === 'true');

const mediaQueryFields = listQuery.extend({
  q: searchText.optional(),
  kind: mediaKind.optional().describe('Only media of this kind.'),
  status: processingStatus.optional().describe('Only media with this processing status.'),
  site: text(1, 500).optional().describe('Only media of this site.'),
  reading: readingState.optional().describe('Only media that the caller has read this far.'),
  library_id: id.optional().describe('Only media of this library.'),
  tag: tagName.optional().describe("Only media that have this tag of the caller's, or one below it."),
  library_tag: tagName
    .optional()
    .describe('Only media that have this tag of the library `library_id`, or one below it.'),
  favourite: flag.optional().describe("`true`: only the caller's favourites. `false`: only other media."),
  archived: flag.optional().describe('`true`: only media in the archive. `false`: only other media.'),
  sort: mediaSort
    .default('added')
    .describe(
      'The sort key. `read` lists only media that the caller has started, by the time at which they last read them.',
    ),
  order: z
    .enum(['asc', 'desc'])
    .optional()
    .describe('Default: `asc` for titles, `desc` for the other sorts.'),
});

/** Tags of a library are asked for together with the library. */
const namesLibraryOfTag = (given: { library_id?: string | undefined; library_tag?: string | undefined }) =>
  given.library_tag === undefined || given.library_id !== undefined;
const LIBRARY_OF_TAG = { path: ['library_tag'], message: 'needs library_id' };

export const mediaQuery = mediaQueryFields.refine(namesLibraryOfTag, LIBRARY_OF_TAG);
export type MediaQuery = z.output<typeof mediaQuery>;

export const listedMedia = media.extend({
  added_by_user_id: id
    .nullable()
    .optional()
    .describe('Who added it, in the list of a shared library; null when that is not known.'),
  library_tags: libraryTags.optional(),
});
export type ListedMedia = z.output<typeof listedMedia>;

export const mediaList = z.object({
  data: z.array(listedMedia),
  page: page.extend({
    total: z.int().optional().describe('Counts all pages. Left out when `q` makes counting too expensive.'),
  }),
});
export type MediaList = z.output<typeof mediaList>;

export const sitesQuery = z.object({ library_id: id.optional().describe('Only sites of this library.') });
export const site = z.object({ site: z.string(), count: z.number().int() });
export type Site = z.output<typeof site>;

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

export const fragmentLayout = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('vertical'),
    writing_mode: z.enum(['vertical-rl', 'vertical-lr']).describe('The value of the CSS property.'),
  }),
  z.object({
    type: z.literal('page'),
    width: z.number().nullable().describe('In CSS pixels; null for a page of one image, which has its size.'),
    height: z.number().nullable(),
    styles: z.string().describe('A style sheet for the classes in the HTML, made of allowed properties.'),
  }),
]);
export type FragmentLayout = z.output<typeof fragmentLayout>;

/** A fragment with its layout, which lists leave out: the styles of a page can be longer than its text. */
export const laidOutFragment = fragment.extend({
  layout: fragmentLayout
    .nullable()
    .describe('A page of a fixed-layout book, or vertical text; null for horizontal text that flows.'),
});
export type LaidOutFragment = z.output<typeof laidOutFragment>;

export const printedPage = z.object({
  label: z
    .string()
    .describe('The page number in the printed edition.')
    .meta({ examples: ['12'] }),
  element: elementId.optional(),
});
export type PrintedPage = z.output<typeof printedPage>;

/** An entry of the index of fragments, without its text. */
export const fragmentEntry = fragment.omit({ html_sanitized: true, canonical_text: true }).extend({
  length: z.number().int().describe('The length of `canonical_text` in UTF-16 units.'),
  offset: z.number().int().describe('The length of all fragments before it.'),
  printed_pages: z
    .array(printedPage)
    .nullable()
    .describe('The pages of the printed edition that begin in it; null when there are none.'),
});
export type FragmentEntry = z.output<typeof fragmentEntry>;

export const mediaAttempt = z.object({
  attempt_number: z.number().int(),
  step: z.enum(['extract', 'index']),
  status: z.enum(['running', 'succeeded', 'failed', 'interrupted']),
  summary: z.string().describe('A sentence for readers that describes what happened.'),
  error_code: z.string().nullable(),
  started_at: timestamp,
  finished_at: timestamp.nullable(),
});
export type MediaAttempt = z.output<typeof mediaAttempt>;

export const editMedia = z.strictObject({
  title: text(1, 500).refine((given) => !/\p{Cc}/u.test(given), 'must not contain control characters'),
});

/** The most media that one request changes. */
export const MOST_CHANGED = 200;
const mediaFilter = mediaQueryFields.pick({
  q: true,
  kind: true,
  status: true,
  site: true,
  reading: true,
  library_id: true,
  tag: true,
  library_tag: true,
});
/** In a body, a boolean is one. */
const markedFilter = { favourite: z.boolean().optional(), archived: z.boolean().optional() };
/** The actions of a bulk change that need `library_id`, and those that need `tags`. */
const LIBRARY_ACTIONS = ['add', 'library_tag', 'library_untag'];
const TAG_ACTIONS = ['tag', 'untag', 'library_tag', 'library_untag'];

export const mediaChange = z
  .strictObject({
    action: z
      .enum([
        'finish',
        'unfinish',
        'unread',
        'add',
        'remove',
        'restore',
        'retry',
        'tag',
        'untag',
        'library_tag',
        'library_untag',
        'favourite',
        'unfavourite',
        'archive',
        'unarchive',
      ])
      .describe(
        '`finish`, `unfinish` and `unread` change reading progress. `add` adds to the library `library_id`. `remove` removes ' +
          "from that library or, without it, from the caller's default library. `restore` takes the given media back from " +
          "the caller's trash. `tag` and `untag` add and remove the caller's own `tags`, `library_tag` and `library_untag` those " +
          'that the library `library_id` gives its media.',
      ),
    media_ids: z.array(id).min(1).max(MOST_CHANGED).optional(),
    filter: z
      .strictObject({ ...mediaFilter.shape, ...markedFilter })
      .refine(namesLibraryOfTag, LIBRARY_OF_TAG)
      .optional()
      .describe('Everything that `GET /api/v1/media` lists with these parameters.'),
    library_id: id
      .optional()
      .describe('Required by `add`, `library_tag` and `library_untag`, optional for `remove`.'),
    tags: tagNames
      .min(1)
      .optional()
      .describe('Required by `tag`, `untag`, `library_tag` and `library_untag`.'),
    cursor: cursor.optional(),
  })
  .refine(
    ({ media_ids, filter, cursor: after }) =>
      (media_ids === undefined) !== (filter === undefined) && (after === undefined || filter !== undefined),
    'must have either media_ids, or filter and optionally cursor',
  )
  .refine(
    ({ action, media_ids }) => action !== 'restore' || media_ids !== undefined,
    'restore needs media_ids',
  )
  .refine(
    ({ action, library_id: target }) =>
      action === 'remove' || LIBRARY_ACTIONS.includes(action) === (target !== undefined),
    'must have library_id for add, library_tag and library_untag, and only for these and remove',
  )
  .refine(
    ({ action, tags }) => TAG_ACTIONS.includes(action) === (tags !== undefined),
    'must have tags for tag, untag, library_tag and library_untag, and only for these',
  )
  .meta({
    examples: [{ action: 'finish', media_ids: ['019eb2a4-5c1d-7e3f-8a90-1b2c3d4e5f60'] }],
  });
export type MediaChange = z.output<typeof mediaChange>;

export const mediaChanged = z.object({
  changed: z.int(),
  changed_media: z
    .array(z.object({ media_id: id, reading: readingProgress.nullable() }))
    .describe(
      "The changed media, with the caller's reading progress before the change, so that it can be undone.",
    ),
  unchanged: z
    .int()
    .describe(
      'Media that were in that state already, or that the caller may read but not retry or remove. For tags, also media that ' +
        'would have more than 100 of them; for library tags, also media that the library does not list.',
    ),
  not_found: z.int().describe('Media that do not exist, or that the caller may not read.'),
  next_cursor: z
    .string()
    .nullable()
    .describe('Continues with more media of the filter; null when all are done.'),
});
export type MediaChanged = z.output<typeof mediaChanged>;

const url = text(1, 10_000);
const library_id = id
  .optional()
  .describe(
    "A library that lists it in addition to the caller's default library. The caller must be its admin or contributor.",
  );
export const saveMedia = z.strictObject({
  url,
  kind: text(1, 64)
    .optional()
    .describe(
      '`web_article` or `video`. When it is left out, Nexus finds out; the link may then turn out to be a PDF.',
    ),
  library_id,
  tags: tagNames.optional().describe("Added to the caller's own tags of it."),
});
export const saveUrl = z.strictObject({ kind: text(1, 64), url, library_id });
export const saveFromUrl = z.strictObject({ url, library_id });
export const savedMedia = z.object({ media_id: id, created: z.boolean(), enqueued: z.boolean() });
export const retriedMedia = z.object({ media_id: id, enqueued: z.boolean() });

export const beginUpload = z.strictObject({
  kind: text(1, 64),
  filename: text(1, 500),
  content_type: text(1, 200),
  size_bytes: z.number().int().min(1),
});
export const begunUpload = z.object({
  media_id: id,
  storage_path: z.string(),
  upload_url: z
    .string()
    .describe('Where to PUT the file; a path on this server when `NEXUS_PUBLIC_URL` is not configured.'),
  upload_headers: z.record(z.string(), z.string()).describe('Send these with the file.'),
  expires_at: timestamp,
});
export const ingestUpload = z.strictObject({ library_id }).nullish();
export const ingestedUpload = z.object({
  media_id: id.describe('The existing media if the caller has uploaded the same file before.'),
  duplicate: z.boolean(),
  enqueued: z.boolean(),
});
