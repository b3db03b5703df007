import { z } from 'zod';

/** A point in time: ISO 8601 in UTC on the wire, a Date in code. */
export const timestamp = z.codec(z.iso.datetime({ offset: true }), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
});

export const id = z.uuid();

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

export const errorBody = z.object({
  error: z.object({ code: z.string(), message: z.string(), request_id: z.string() }),
});
