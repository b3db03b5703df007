import { z } from 'zod';
import { invalidField } from '../contract/invalid-request.ts';
import type { Page } from '../contract/wire.ts';

/** A text in a cursor. PostgreSQL has no NUL in text. */
export const cursorText = z.string().regex(/^[^\0]*$/);

interface PageOf<Row> {
  data: Row[];
  page: Page;
}

/** Returns the id after which a list continues. Cursors are opaque to callers, so that their format may change. */
export function readCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const parsed = z.uuid().safeParse(Buffer.from(cursor, 'base64url').toString('utf8'));
  return parsed.success ? parsed.data : refuseCursor();
}

/** Makes a page of rows that were read with `limit + 1`: the extra row tells whether there are more. */
export function cutPage<Row extends { id: string }>(rows: Row[], limit: number): PageOf<Row> {
  return cut(rows, limit, ({ id }) => id);
}

/**
 * Decodes the cursor of a list that is not sorted by id: the sort values of the last row. The schema takes only what
 * PostgreSQL can compare with the column, such as `z.int32()` for an integer and `cursorText` for a text.
 */
export function decodeCursor<T>(cursor: string | undefined, schema: z.ZodType<T>): T | null {
  if (cursor === undefined) return null;
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    return refuseCursor();
  }
}

/** Like `cutPage`, for rows that have a `cursor`. It is no field of theirs on the wire. */
export function cutByCursor<Row extends { cursor: unknown }>(
  rows: Row[],
  limit: number,
  cursorOf: (row: Row) => unknown = ({ cursor }) => cursor,
): PageOf<Omit<Row, 'cursor'>> {
  return cut(rows, limit, (row) => JSON.stringify(cursorOf(row)));
}

/** Says that the list continues after the row with this sort value. */
export function continueAfter(value: unknown): Page {
  return { has_more: true, next_cursor: encode(JSON.stringify(value)) };
}

export const LAST_PAGE: Page = { has_more: false, next_cursor: null };

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function cut<Row>(rows: Row[], limit: number, write: (row: Row) => string): PageOf<Row> {
  const kept = rows.slice(0, limit);
  const last = kept.at(-1);
  const has_more = rows.length > limit;
  const next_cursor = has_more && last ? encode(write(last)) : null;
  return { data: kept, page: { has_more, next_cursor } };
}

function refuseCursor(): never {
  throw invalidField('cursor', 'is not valid for this list. Omit it to start from the beginning');
}
