import { z } from 'zod';
import { describeIssue, MALFORMED_TEXT } from './issues.ts';

// Replaces zod's default messages, which are written for programmers.
z.config({ customError: describeIssue });

/** Outside this range, ISO 8601 has no four-digit year. */
const MIN_TIMESTAMP = new Date('0001-01-01T00:00:00.000Z');
const MAX_TIMESTAMP = new Date('9999-12-31T23:59:59.999Z');

/** A point in time: ISO 8601 in UTC on the wire, a Date in code. */
export const timestamp = z.codec(
  z.iso.datetime({ offset: true }),
  z.date().min(MIN_TIMESTAMP).max(MAX_TIMESTAMP),
  {
    decode: (text) => new Date(text),
    encode: (date) => date.toISOString(),
  },
);

/** The path that every route of the API begins with. */
export const API = '/api/v1';

/** The id of anything. Code compares ids as text, so they are all in lower case, as PostgreSQL writes them. */
export const id = z.uuid().toLowerCase();

/** Lone surrogates cannot be encoded as UTF-8, and PostgreSQL cannot store NUL. */
const WELL_FORMED = /^[^\0\p{Surrogate}]*$/u;

/** Whether a text satisfies the rule for all text in requests: valid Unicode, no NUL. */
export function isWellFormedText(text: string): boolean {
  return WELL_FORMED.test(text);
}

/** Well-formed text; leading and trailing white space is removed. */
export function text(minLength: number, maxLength: number) {
  return z.string().regex(WELL_FORMED, MALFORMED_TEXT).trim().min(minLength).max(maxLength);
}

/** The most characters of a search query. */
export const MAX_QUERY = 1000;

/** A query in the search language. Space at its beginning stays, so that the position of a mistake is right. */
export const searchText = z
  .string()
  .regex(WELL_FORMED, MALFORMED_TEXT)
  .max(MAX_QUERY)
  .refine((given) => given.trim() !== '', 'must not be empty')
  .describe(
    'Words, "phrases" and conditions such as `tag:`, `is:unread` or `added:>2026-01`, with `-`, `or` and parentheses. The ' +
      'last word may be a prefix. A mistake is `E_INVALID_QUERY` with its position.',
  )
  .meta({ examples: ['tides tag:oceans -is:finished'] });

export const cursor = z
  .string()
  .max(2000)
  .describe('`next_cursor` of the previous page. Omit it to start from the beginning.');

/** The query parameters of every list. */
export const listQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('Items per page, at most.'),
  cursor: cursor.optional(),
});

export type ListQuery = z.infer<typeof listQuery>;

export const page = z.object({
  next_cursor: z.string().nullable().describe('Continues the list; null on the last page.'),
  has_more: z.boolean(),
});
export type Page = z.infer<typeof page>;

/** The body of an answer with one object. */
export function answer<Data extends z.ZodType>(data: Data) {
  return z.object({ data });
}

/** The body of an answer with one page of a list. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), page });
}
