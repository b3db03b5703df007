import { z } from 'zod';
import { media } from './media.ts';

export const relatedQuery = z.object({ limit: z.coerce.number().int().min(1).max(100).default(20) });

/** A related document, and the reasons. */
export const relatedMedia = z.object({
  media,
  /** Comparable within one answer only. */
  score: z.number(),
  /** Whether the document links to it, and whether it links to the document. */
  links_to: z.boolean(),
  linked_from: z.boolean(),
  shared_entity_count: z.number().int(),
  /** The most significant shared entities, with the number of mentions in both documents. */
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
