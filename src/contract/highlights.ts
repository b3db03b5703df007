import { z } from 'zod';
import { HIGHLIGHT_COLORS } from './highlight-selectors.ts';
import { person } from './identity.ts';
import { MAX_NOTE, MAX_QUOTE } from './limits.ts';
import { tagName } from './mine.ts';
import { id, listQuery, text, timestamp } from './wire.ts';

/** The characters before and after a passage that are kept with it, to find it again in a changed text. */
export const QUOTE_CONTEXT = 64;
const MAX_RECTS = 500;
const LARGEST_OFFSET = 2_147_483_647;

export const highlightColor = z.enum(HIGHLIGHT_COLORS);

const offset = z.int().min(0).max(LARGEST_OFFSET);
/** Quotes are compared with the text as it is, so white space at their ends counts. */
const quoted = (maxLength: number) => z.string().max(maxLength);

export const positionSelector = z.strictObject({
  type: z.literal('TextPositionSelector'),
  start: offset.describe("The first character in the fragment's canonical text, in UTF-16 code units."),
  end: offset.describe(
    'The offset after the last character. In a passage over several fragments, it counts across them, with one line break between two.',
  ),
});

export const quoteSelector = z.strictObject({
  type: z.literal('TextQuoteSelector'),
  exact: quoted(MAX_QUOTE).min(1),
  prefix: quoted(1000).default('').describe(`The ${QUOTE_CONTEXT} characters before the passage.`),
  suffix: quoted(1000).default('').describe(`The ${QUOTE_CONTEXT} characters after the passage.`),
});

const EXAMPLE_SELECTORS = [
  { type: 'TextPositionSelector', start: 18, end: 29 },
  {
    type: 'TextQuoteSelector',
    exact: 'twice a day',
    prefix: 'The tide comes in ',
    suffix: ', and the moon is the reason.',
  },
];

const selector = z.discriminatedUnion('type', [positionSelector, quoteSelector]);

export const highlightTarget = z.strictObject({
  fragment_idx: z
    .int()
    .min(0)
    .max(LARGEST_OFFSET)
    .describe('The index of the fragment in which the passage begins.'),
  selector: z
    .array(selector)
    .min(1)
    .max(2)
    .refine(
      (given) => new Set(given.map(({ type }) => type)).size === given.length,
      'must have each type of selector at most once',
    )
    .describe(
      'W3C Web Annotation selectors. One is enough. When the text at the position is not the quote, the quote decides.',
    ),
});
export type HighlightTarget = z.output<typeof highlightTarget>;

const coordinate = z.number().min(-100_000).max(100_000);
export const pdfArea = z.strictObject({
  page: z.int().min(1).max(LARGEST_OFFSET).describe('The number of the page, from 1.'),
  rects: z
    .array(z.array(coordinate).length(4))
    .max(MAX_RECTS)
    .describe('The rectangles of the passage on the page, each as left, bottom, right and top in PDF points.')
    .meta({ examples: [[[72, 640, 310, 654]]] }),
});
export type PdfArea = z.output<typeof pdfArea>;

const note = text(0, MAX_NOTE).describe('Markdown. An empty note is no note.');

export const visibility = z
  .union([
    z.literal('private'),
    z.strictObject({
      library_ids: z
        .array(id)
        .min(1)
        .max(100)
        .describe('Libraries that contain the media and of which the caller is a member.'),
    }),
  ])
  .describe('Who sees the highlight besides its author: nobody, or the current members of these libraries.');
export type Visibility = z.output<typeof visibility>;

export const createHighlight = z
  .strictObject({
    target: highlightTarget,
    pdf: pdfArea.optional(),
    color: highlightColor.default('yellow'),
    note: note.optional(),
    visibility: visibility.default('private'),
  })
  .meta({
    examples: [
      {
        target: {
          fragment_idx: 0,
          selector: [
            { type: 'TextQuoteSelector', exact: 'a passage', prefix: 'This is ', suffix: ' of it.' },
          ],
        },
        color: 'yellow',
        note: 'Worth remembering.',
      },
    ],
  });
export type CreateHighlight = z.output<typeof createHighlight>;

export const editHighlight = z
  .strictObject({
    target: highlightTarget.optional(),
    pdf: pdfArea.nullable().optional(),
    color: highlightColor.optional(),
    note: note.nullable().optional(),
    visibility: visibility.optional(),
  })
  .meta({ examples: [{ color: 'green' }] });
export type EditHighlight = z.output<typeof editHighlight>;

export const highlight = z.object({
  id,
  media_id: id,
  media_title: z.string().nullable().describe('Null when the caller may no longer read the media.'),
  fragment_id: id.nullable().describe('Null while the passage is not found in the text.'),
  target: z.object({
    fragment_idx: z.int().describe('Where the passage is or, if it is not placed, where it was last.'),
    selector: z
      .array(selector)
      .length(2)
      .describe('The position and the quote.')
      .meta({ examples: [EXAMPLE_SELECTORS] }),
  }),
  pdf: pdfArea.nullable(),
  color: highlightColor,
  note: z.string().nullable(),
  is_placed: z
    .boolean()
    .describe('Whether the passage is in the text. It may be lost when the text is extracted anew.'),
  created_by: person,
  is_mine: z.boolean(),
  visibility: visibility.describe(
    'Other people than the author see only libraries that they are members of.',
  ),
  reply_count: z.int(),
  is_unread: z.boolean().describe('It, or a reply to it, is by somebody else and new to the caller.'),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Highlight = z.output<typeof highlight>;

export const mediaHighlightsQuery = listQuery.extend({
  fragment_idx: z.coerce
    .number()
    .int()
    .min(0)
    .max(LARGEST_OFFSET)
    .optional()
    .describe('Only highlights that begin in this fragment.'),
});

export const highlightsQuery = listQuery.extend({
  media_id: id.optional().describe('Only highlights of this media.'),
  library_id: id.optional().describe('Only highlights that are shared with this library.'),
  color: highlightColor.optional().describe('Only highlights of this colour.'),
  tag: tagName
    .optional()
    .describe("Only highlights of media that have this tag of the caller's, or one below it."),
  by: z
    .enum(['me', 'others'])
    .optional()
    .describe("Only the caller's own highlights, or only those of others."),
  has: z.enum(['note', 'replies']).optional().describe('Only highlights with a note, or with replies.'),
  is: z
    .enum(['unread', 'unplaced'])
    .optional()
    .describe('Only what is new to the caller, or only passages that are not found in the text.'),
  q: text(1, 1000)
    .optional()
    .describe('Only highlights that contain these words, in the passage or the note.'),
});
export type HighlightsQuery = z.output<typeof highlightsQuery>;

export const audienceQuery = z.object({
  library_ids: z
    .string()
    .max(4000)
    .transform((ids) => ids.split(','))
    .pipe(z.array(id).min(1).max(100))
    .optional()
    .describe(
      'Libraries to share with, separated by commas. Without it: those that the highlight is shared with now.',
    ),
});

export const audience = z.object({
  people: z.array(person.extend({ library_ids: z.array(id) })).describe('At most 200, by name.'),
  total: z.int(),
});
export type Audience = z.output<typeof audience>;

export const writeReply = z.strictObject({ body: text(1, 10_000).describe('Markdown.') });

export const reply = z.object({
  id,
  highlight_id: id,
  body: z.string(),
  created_by: person,
  is_mine: z.boolean(),
  mentions: z.array(person).describe('The people who are mentioned and see the reply.'),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Reply = z.output<typeof reply>;
