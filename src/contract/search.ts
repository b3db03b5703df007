import { z } from 'zod';
import { media, mediaKind } from './media.ts';
import { id, listQuery, MAX_QUERY, searchText, text, timestamp } from './wire.ts';

export const searchQuery = listQuery.extend({
  q: searchText,
  library_id: id.optional().describe('Searches this library only.'),
  kind: mediaKind.optional().describe('Finds media of this kind only.'),
});
export type SearchQuery = z.output<typeof searchQuery>;

export const snippetPart = z.object({ text: z.string(), is_match: z.boolean() });
export type SnippetPart = z.output<typeof snippetPart>;

export const passage = z.object({
  fragment_idx: z.number().int().describe('The fragment of the passage.'),
  fragment_title: z.string().nullable().describe('The title of the chapter.'),
  start: z
    .number()
    .int()
    .describe('Where its first match begins in `canonical_text`, in characters (Unicode code points).'),
  snippet: z.array(snippetPart).describe('The text of the passage, split at its matches.'),
});
export type Passage = z.output<typeof passage>;

export const searchHit = z.object({
  media,
  passages: z
    .array(passage)
    .describe(
      'Up to three passages, best first: chapters with the words in their title, then text with most of the words close ' +
        'together. The beginning of the text when only the title of the media matches.',
    ),
});
export type SearchHit = z.output<typeof searchHit>;

export const matchQuery = listQuery.extend({
  q: text(0, MAX_QUERY)
    .refine((given) => given !== '', 'must not be empty')
    .meta({ description: 'The text to find. Case and accents do not matter.' }),
  by: z
    .enum(['phrase', 'words'])
    .default('phrase')
    .describe('Finds the whole phrase, or each of the words that a search would mark.'),
  from: z.coerce
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .default(0)
    .describe('The index of the fragment to begin with.'),
});
export type MatchQuery = z.output<typeof matchQuery>;

export const textMatch = z.object({
  fragment_idx: z.number().int().describe('The fragment of the match.'),
  start: z.number().int().describe('Where it begins in `canonical_text`, in UTF-16 code units.'),
  end: z.number().int().describe('Where it ends, exclusive.'),
});
export type TextMatch = z.output<typeof textMatch>;

/** The most saved searches of a person. */
export const MOST_SAVED_SEARCHES = 200;
/** Matches of a saved search are counted up to this number. */
export const MOST_COUNTED = 1000;

const savedSearchName = text(1, 100)
  .refine((given) => !/\p{Cc}/u.test(given), 'must not contain control characters')
  .meta({ examples: ['Unread about tides'] });

export const savedSearch = z.object({
  id,
  name: z.string().meta({ examples: ['Unread about tides'] }),
  query: z.string().meta({ examples: ['tides tag:oceans -is:finished'] }),
  count: z
    .int()
    .nullable()
    .describe(
      `The media that match now, up to ${MOST_COUNTED}. Null in a list that was not asked for counts.`,
    )
    .meta({ examples: [12] }),
  is_more: z.boolean().describe('More media match than `count` says.'),
  created_at: timestamp,
  updated_at: timestamp,
});
export type SavedSearch = z.output<typeof savedSearch>;

export const savedSearchesQuery = listQuery.extend({
  counts: z
    .enum(['true', 'false'])
    .transform((given) => given === 'true')
    .optional()
    .describe('Whether to count the matches of each search.'),
});
export type SavedSearchesQuery = z.output<typeof savedSearchesQuery>;

export const createSavedSearch = z.strictObject({ name: savedSearchName, query: searchText });
export type CreateSavedSearch = z.output<typeof createSavedSearch>;

export const editSavedSearch = createSavedSearch.partial();
export type EditSavedSearch = z.output<typeof editSavedSearch>;
