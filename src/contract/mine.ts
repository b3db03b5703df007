import { z } from 'zod';
import { MAX_NOTE, MAX_TAG, MAX_TITLE, MOST_TAGS_OF_MEDIA } from './limits.ts';
import { normalForm } from './normal-form.ts';
import { id, listQuery, text, timestamp } from './wire.ts';

/** The most tags that a person has. */
export const MOST_TAGS = 10_000;

/** The name of a tag. White space around its parts is removed; quotation marks and commas separate tags elsewhere. */
export const tagName = text(1, MAX_TAG)
  .refine(
    (name) => !/[\p{Cc}",]/u.test(name),
    'must not contain control characters, quotation marks or commas',
  )
  .transform((name) =>
    normalForm(
      name
        .split('/')
        .map((part) => part.trim())
        .join('/'),
    ),
  )
  // Some characters become two when they are normalised.
  .refine((name) => name.length <= MAX_TAG, `must have at most ${MAX_TAG} characters`)
  .refine(
    (name) => name.split('/').every((part) => part !== ''),
    'must not have an empty part before or after /',
  )
  .meta({ examples: ['oceans/tides'] });

const tagNames = z
  .array(tagName)
  .max(MOST_TAGS_OF_MEDIA)
  .describe('The names of tags; `/` nests them. Upper and lower case are the same tag.')
  .meta({ examples: [['oceans/tides', 'to discuss']] });

export { tagNames };

/** The tags that a shared library gives a media. */
export const libraryTags = z
  .array(z.string())
  .describe('The tags that the library gives it, by name. All members see them; a default library has none.')
  .meta({ examples: [['oceans/tides']] });

/** The private details of a media: each person has their own, and nobody else sees them. */
export const mine = z
  .object({
    tags: z
      .array(z.string())
      .describe('By name.')
      .meta({ examples: [['oceans/tides']] }),
    is_favourite: z.boolean(),
    is_archived: z.boolean().describe('The web app hides archived media in My library. Search finds them.'),
    title: z
      .string()
      .nullable()
      .describe("The person's own title for it; null when they use the common one."),
    note: z.string().nullable().describe('Markdown.'),
  })
  .describe('What the caller keeps for themselves about it. Nobody else sees it.');
export type Mine = z.output<typeof mine>;

export const editMine = z
  .strictObject({
    tags: tagNames.optional(),
    is_favourite: z.boolean().optional(),
    is_archived: z.boolean().optional(),
    title: text(0, MAX_TITLE)
      .refine((given) => !/\p{Cc}/u.test(given), 'must not contain control characters')
      .nullable()
      .optional()
      .describe('Null or empty: the common title.'),
    note: text(0, MAX_NOTE).nullable().optional().describe('Markdown. Null or empty: no note.'),
  })
  .meta({ examples: [{ tags: ['oceans/tides'], is_favourite: true }] });
export type EditMine = z.output<typeof editMine>;

export const tag = z.object({
  id,
  name: z.string(),
  media_count: z
    .int()
    .describe('The media that the caller can read and has given this tag, without those of tags below it.'),
  created_at: timestamp,
});
export type Tag = z.output<typeof tag>;

/** A level of the tree that the names of tags make. */
export const tagLevel = z.object({
  name: z.string().meta({ examples: ['oceans'] }),
  tag_id: id.nullable().describe('Null when only tags below it exist.'),
  media_count: z.int().describe('The media that the caller can read and has given this tag itself.'),
  nested_count: z
    .int()
    .describe('The media that the caller can read and has given this tag or one below it, each once.'),
});
export type TagLevel = z.output<typeof tagLevel>;

export const tagsQuery = listQuery.extend({
  prefix: text(1, 64).optional().describe('Only tags whose name, or the part after a `/`, begins like this.'),
});

export const renameTag = z.strictObject({ name: tagName });

export const tagReason = z.object({
  name: z.string().meta({ examples: ['oceans/tides'] }),
  added_by: z.enum(['person', 'import', 'rule']),
  rule: z
    .object({ id, name: z.string() })
    .nullable()
    .describe('The rule that added it; null when a person or an import did, or the rule was deleted.')
    .meta({ examples: [null] }),
  created_at: timestamp,
});
export type TagReason = z.output<typeof tagReason>;
