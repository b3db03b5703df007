import { z } from 'zod';
import { mode } from './roles.ts';
import { id, listQuery, page, text, timestamp } from './wire.ts';

/** The most events that one request may append. */
export const MOST_EVENTS_AT_ONCE = 100;
/** The most code points of a branch's text. */
export const LONGEST_BRANCH_TEXT = 10_000_000;

const NORMAL_FORMS = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const;

const position = z.number().int().min(0);
const offset = position.max(LONGEST_BRANCH_TEXT);
const length = offset.min(1);
/** Text that is stored unchanged, white space included. Unpaired surrogates are refused. */
const inserted = z
  .string()
  .min(1)
  .max(LONGEST_BRANCH_TEXT)
  .regex(/^[^\0]*$/, 'must not hold the NUL character')
  .refine((value) => !/\p{Surrogate}/u.test(value), 'must not hold halves of characters');

/** One change to a text. Offsets and lengths count Unicode code points. */
export const edit = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('insert'), at: offset, text: inserted }),
  z.strictObject({ kind: z.literal('delete'), at: offset, length }),
  z.strictObject({ kind: z.literal('replace'), at: offset, length, text: inserted }),
  z.strictObject({ kind: z.literal('normalize'), form: z.enum(NORMAL_FORMS).default('NFC') }),
]);
export type Edit = z.output<typeof edit>;

export const branch = z.object({
  branch_id: id,
  document_id: id,
  name: z.string(),
  parent_branch_id: id.nullable(),
  parent_position: position.nullable(),
  event_count: z.number().int(),
  /** SHA-256 of the text after the last event, in UTF-8. */
  text_hash: z.string(),
  /** The length in code points. */
  text_length: z.number().int(),
  created_by: z.string(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Branch = z.output<typeof branch>;

export const forkBranch = z
  .strictObject({
    document_id: id.optional(),
    branch_id: id.optional(),
    /** The event of the branch to start from; the last one by default. */
    position: position.optional(),
    name: text(1, 200).default('branch'),
  })
  .refine(
    (body) => (body.document_id === undefined) !== (body.branch_id === undefined),
    'takes document_id or branch_id',
  )
  .refine(
    (body) => body.position === undefined || body.branch_id !== undefined,
    'takes position together with branch_id only',
  );

export const branchQuery = listQuery.extend({ document_id: id });
export const branchList = z.object({ branches: z.array(branch), page });

export const branchEvent = z.object({
  position: z.number().int(),
  kind: z.enum(['insert', 'delete', 'replace', 'normalize']),
  at: z.number().int().nullable(),
  length: z.number().int().nullable(),
  text: z.string().nullable(),
  form: z.string().nullable(),
  text_hash: z.string(),
  text_length: z.number().int(),
  created_by: z.string(),
  created_at: timestamp,
});
export type BranchEvent = z.output<typeof branchEvent>;

const seenIn = { mode: mode.default('PUBLIC') };

export const branchEventQuery = listQuery.extend(seenIn);
export const branchEventList = z.object({ events: z.array(branchEvent), page });

export const appendEvents = z.strictObject({
  /** The last event that the caller knows. When there is a newer one, nothing is appended. */
  after: position,
  events: z.array(edit).min(1).max(MOST_EVENTS_AT_ONCE),
});

export const branchTextQuery = z.object({ position: z.coerce.number().int().min(0).optional(), ...seenIn });
export const branchText = z.object({
  branch_id: id,
  position: z.number().int(),
  text: z.string(),
  /** The hash of the stored text, even when a policy hides a part of it. */
  text_hash: z.string(),
  text_length: z.number().int(),
});

export const compareQuery = z.object({
  from: z.coerce.number().int().min(0).default(0),
  to: z.coerce.number().int().min(0).optional(),
  /** The branch of `to`; the same branch by default. */
  with_branch_id: id.optional(),
  ...seenIn,
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
      /** The first line on either side, from 1, and the number of lines. */
      from_line: z.number().int(),
      from_count: z.number().int(),
      to_line: z.number().int(),
      to_count: z.number().int(),
      /**
       * The changed lines word by word. Without the added parts they are the old lines, without the removed parts the
       * new ones.
       */
      parts: z.array(z.object({ kind: z.enum(['same', 'removed', 'added']), text: z.string() })),
    }),
  ),
  /** The comparison as a unified diff. */
  unified: z.string(),
});
export type Comparison = z.output<typeof comparison>;
