import { z } from 'zod';
import { media, mediaKind } from './media.ts';
import { id, listQuery, MAX_QUERY, searchText, text } from './wire.ts';

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
