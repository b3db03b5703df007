import { z } from 'zod';

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

/** Text that PostgreSQL can store: anything but NUL. Outer white space is cut away. */
export function text(shortest: number, longest: number) {
  return z
    .string()
    .regex(/^[^\0]*$/, 'must not hold the NUL character')
    .trim()
    .min(shortest)
    .max(longest);
}

/** Query parameters of every list. */
export const listQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(100),
  cursor: z.string().max(500).optional(),
});

export const page = z.object({
  next_cursor: z.string().nullable(),
  has_more: z.boolean(),
});
export type Page = z.infer<typeof page>;
