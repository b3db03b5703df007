import { z } from 'zod';
import { media, mediaKind } from './media.ts';
import { id, page, text } from './wire.ts';

export const searchQuery = z.object({
  q: text(0, 500)
    .refine((given) => given !== '', 'takes what to look for')
    .meta({
      description: 'Words, "phrases", -excluded words, and "or". The last word may be incomplete.',
    }),
  library_id: id.optional(),
  kind: mediaKind.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.string().max(500).optional(),
});
export type SearchQuery = z.output<typeof searchQuery>;

export const snippetPart = z.object({ text: z.string(), is_match: z.boolean() });
export type SnippetPart = z.output<typeof snippetPart>;

export const searchHit = z.object({
  media,
  /** The text around the first match, or the beginning of the text when only the title matches. */
  snippet: z.array(snippetPart),
  /** The fragment that the snippet is from; null when only the title matches. */
  fragment_idx: z.number().int().nullable(),
});
export type SearchHit = z.output<typeof searchHit>;

export const searchAnswer = z.object({ data: z.array(searchHit), page });
