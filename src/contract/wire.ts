import { z } from 'zod';
import { describeIssue } from './issues.ts';

// Messages of zod itself are for programmers.
z.config({ customError: describeIssue });

/** Beyond them, ISO 8601 has no four-digit year. */
const FIRST_MOMENT = new Date('0001-01-01T00:00:00.000Z');
const LAST_MOMENT = new Date('9999-12-31T23:59:59.999Z');

/** A point in time: ISO 8601 in UTC on the wire, a Date in code. */
export const timestamp = z.codec(
  z.iso.datetime({ offset: true }),
  z.date().min(FIRST_MOMENT).max(LAST_MOMENT),
  {
    decode: (text) => new Date(text),
    encode: (date) => date.toISOString(),
  },
);

export const id = z.uuid();

/** Lone surrogates have no UTF-8, and PostgreSQL stores no NUL. */
const WELL_FORMED = /^[^\0\p{Surrogate}]*$/u;
export const MALFORMED_TEXT = 'must be well-formed Unicode without the NUL character';

/** The rule for all text on the wire. */
export function isWellFormedText(text: string): boolean {
  return WELL_FORMED.test(text);
}

/** Well-formed text without outer white space. */
export function text(shortest: number, longest: number) {
  return z.string().regex(WELL_FORMED, MALFORMED_TEXT).trim().min(shortest).max(longest);
}

/** Query parameters of every list. */
export const listQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(100),
  cursor: z.string().max(500).optional(),
});

export type ListQuery = z.infer<typeof listQuery>;

export const page = z.object({
  next_cursor: z.string().nullable(),
  has_more: z.boolean(),
});
export type Page = z.infer<typeof page>;
