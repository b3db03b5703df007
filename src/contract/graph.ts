import { z } from 'zod';
import { media } from './media.ts';
import { listQuery } from './wire.ts';

export const relatedQuery = listQuery.pick({ limit: true });

/** A related document, and why it is related. */
export const relatedMedia = z.object({
  media,
  score: z.number().describe('Comparable only with the other scores of the same response.'),
  links_to: z.boolean().describe('Whether the requested document links to this one.'),
  linked_from: z.boolean().describe('Whether this one links to the requested document.'),
  shared_entity_count: z.number().int(),
  shared_entities: z
    .array(
      z.object({
        kind: z.enum(['name', 'hashtag', 'email']),
        name: z.string(),
        mentions: z.number().int(),
        mentions_there: z.number().int(),
      }),
    )
    .describe('The most significant ones, with the number of mentions in the document and in this one.'),
});
export type RelatedMedia = z.output<typeof relatedMedia>;
