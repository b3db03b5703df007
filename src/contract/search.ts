import { z } from 'zod';
import { media, mediaKind } from './media.ts';
import { id, listQuery, text } from './wire.ts';

export const searchQuery = listQuery.extend({
  q: text(0, 500)
    .refine((given) => given !== '', 'must not be empty')
    .meta({
      description: 'Words, "a phrase", -excluded, one or another. The last word may be a prefix.',
    }),
  library_id: id.optional().describe('Searches this library only.'),
  kind: mediaKind.optional().describe('Finds media of this kind only.'),
});
export type SearchQuery = z.output<typeof searchQuery>;

export const snippetPart = z.object({ text: z.string(), is_match: z.boolean() });
export type SnippetPart = z.output<typeof snippetPart>;

export const searchHit = z.object({
  media,
  snippet: z
    .array(snippetPart)
    .describe('The text around the first match, or the beginning of the text when only the title matches.'),
  fragment_idx: z
    .number()
    .int()
    .nullable()
    .describe('The fragment of the snippet; null when only the title matches.'),
});
export type SearchHit = z.output<typeof searchHit>;
