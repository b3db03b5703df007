import { z } from 'zod';
import { modeParameter } from './roles.ts';
import { id, listQuery, text, timestamp } from './wire.ts';

/** The maximum length of a branch's text, in code points. */
export const MAX_BRANCH_TEXT_LENGTH = 10_000_000;

const position = z.number().int().min(0);
const offset = position.max(MAX_BRANCH_TEXT_LENGTH);
const length = offset.min(1);
/** Text to insert. White space is kept. */
const insertedText = z
  .string()
  .min(1)
  .max(MAX_BRANCH_TEXT_LENGTH)
  .regex(/^[^\0]*$/, 'must not contain the NUL character')
  .refine((value) => !/\p{Surrogate}/u.test(value), 'must not contain lone surrogates');

/** One change to a text. Offsets and lengths count Unicode code points. */
export const edit = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('insert'), at: offset, text: insertedText }),
  z.strictObject({ kind: z.literal('delete'), at: offset, length }),
  z.strictObject({ kind: z.literal('replace'), at: offset, length, text: insertedText }),
  z.strictObject({
    kind: z.literal('normalize'),
    form: z.enum(['NFC', 'NFD', 'NFKC', 'NFKD']).default('NFC'),
  }),
]);
export type Edit = z.output<typeof edit>;

export const branch = z.object({
  id,
  media_id: id,
  name: z.string(),
  parent_branch_id: id.nullable(),
  parent_position: position.nullable(),
  event_count: z.number().int(),
  text_hash: z.string().describe('SHA-256 of the UTF-8 text after the last event.'),
  text_length: z.number().int().describe('The length in code points.'),
  created_by: z.string(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Branch = z.output<typeof branch>;

export const forkBranch = z
  .strictObject({
    media_id: id.optional(),
    branch_id: id.optional(),
    position: position.optional().describe('The event of the branch to fork after; default: the last one.'),
    name: text(1, 200).default('branch'),
  })
  .refine(
    (body) => (body.media_id === undefined) !== (body.branch_id === undefined),
    'must have either media_id or branch_id',
  )
  .refine(
    (body) => body.position === undefined || body.branch_id !== undefined,
    'must not have position without branch_id',
  );

export const branchQuery = listQuery.extend({ media_id: id.describe('The document.') });

export const branchEvent = z.object({
  position: z.number().int(),
  kind: z.enum(['insert', 'delete', 'replace', 'normalize']),
  at: z.number().int().nullable(),
  length: z.number().int().nullable(),
  text: z.string().nullable(),
  form: z.string().nullable(),
  text_hash: z.string(),
  text_length: z.number().int(),
  created_by: z
    .string()
    .nullable()
    .describe('Null for somebody with whom the caller shares no library that holds the document.'),
  created_at: timestamp,
});
export type BranchEvent = z.output<typeof branchEvent>;

export const branchEventQuery = listQuery.extend({ mode: modeParameter });

export const appendEvents = z.strictObject({
  after: position.describe(
    'The position of the last event that the caller knows. If there is a newer one, nothing is appended.',
  ),
  events: z.array(edit).min(1).max(100),
});

export const branchTextQuery = z.object({
  position: z.coerce.number().int().min(0).optional().describe('The event; default: the last one.'),
  mode: modeParameter,
});
export const branchText = z.object({
  branch_id: id,
  position: z.number().int(),
  text: z.string(),
  text_hash: z.string().describe('Hash of the stored text, also when a policy redacted `text`.'),
  text_length: z.number().int(),
});

export const compareQuery = z.object({
  from: z.coerce.number().int().min(0).default(0).describe('The event on the left side.'),
  to: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe('The event on the right side; default: the last one.'),
  with_branch_id: id.optional().describe('The branch that `to` refers to; default: the same branch.'),
  mode: modeParameter,
});

const point = z.object({ branch_id: id, position: z.number().int(), text_hash: z.string() });

export const comparison = z.object({
  from: point,
  to: point,
  is_equal: z.boolean(),
  lines_removed: z.number().int(),
  lines_added: z.number().int(),
  changes: z.array(
    z.object({
      from_line: z
        .number()
        .int()
        .describe('The first changed line (counted from 1) and the number of changed lines, on each side.'),
      from_count: z.number().int(),
      to_line: z.number().int(),
      to_count: z.number().int(),
      parts: z
        .array(z.object({ kind: z.enum(['same', 'removed', 'added']), text: z.string() }))
        .describe(
          'A word diff of these lines. `same` and `removed` parts make up the old text, `same` and `added` the new.',
        ),
    }),
  ),
  unified: z.string().describe('The comparison as a unified diff.'),
});
export type Comparison = z.output<typeof comparison>;
