import { z } from 'zod';
import { media } from './media.ts';

export const relatedQuery = z.object({ limit: z.coerce.number().int().min(1).max(100).default(20) });

/** A related document, and why it is related. */
export const relatedMedia = z.object({
  media,
  /** Comparable only with the other scores of the same response. */
  score: z.number(),
  /** Whether the document links to this one, and the other way round. */
  links_to: z.boolean(),
  linked_from: z.boolean(),
  shared_entity_count: z.number().int(),
  /** The most significant ones, with the number of mentions in the document and in this one. */
  shared_entities: z.array(
    z.object({
      kind: z.enum(['name', 'hashtag', 'email']),
      name: z.string(),
      mentions: z.number().int(),
      mentions_there: z.number().int(),
    }),
  ),
});
export type RelatedMedia = z.output<typeof relatedMedia>;
export const relatedList = z.object({ data: z.array(relatedMedia) });
