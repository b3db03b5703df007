import { z } from 'zod';
import { media } from './media.ts';

export const relatedQuery = z.object({ limit: z.coerce.number().int().min(1).max(100).default(20) });

/** A neighbour of a document, and why. */
export const relatedMedia = z.object({
  media,
  /** Comparable within one answer, and with nothing else. */
  score: z.number(),
  /** The document links to it; it links to the document. */
  links_to: z.boolean(),
  linked_from: z.boolean(),
  shared_entity_count: z.number().int(),
  /** Those that tell most, with how often each is mentioned here and there. */
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
