import { z } from 'zod';
import { NexusError } from '../contract/errors.ts';
import type { Page } from '../contract/wire.ts';

/** The id after which a list continues. Cursors are opaque to callers, so that their content may change. */
export function readCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const parsed = z.uuid().safeParse(Buffer.from(cursor, 'base64url').toString('utf8'));
  return parsed.success ? parsed.data : refuseCursor();
}

/** Cuts rows that were fetched one beyond `limit` into a page that knows whether there is more. */
export function cutPage<Row extends { id: string }>(rows: Row[], limit: number): { rows: Row[]; page: Page } {
  return cut(rows, limit, ({ id }) => id);
}

/** For lists that are not ordered by id alone: the values of the last row that the order is made of. */
export function readPosition<T>(cursor: string | undefined, position: z.ZodType<T>): T | null {
  if (cursor === undefined) return null;
  try {
    return position.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    return refuseCursor();
  }
}

/** As `cutPage`, for rows that carry their `position`, which stays inside. */
export function cutPositioned<Row extends { position: unknown }>(
  rows: Row[],
  limit: number,
): { rows: Omit<Row, 'position'>[]; page: Page } {
  const { rows: kept, page } = cut(rows, limit, ({ position }) => JSON.stringify(position));
  return { rows: kept.map(({ position: _, ...row }) => row), page };
}

function cut<Row>(rows: Row[], limit: number, write: (row: Row) => string): { rows: Row[]; page: Page } {
  const kept = rows.slice(0, limit);
  const last = kept.at(-1);
  const has_more = rows.length > limit;
  const next_cursor = has_more && last ? Buffer.from(write(last)).toString('base64url') : null;
  return { rows: kept, page: { has_more, next_cursor } };
}

function refuseCursor(): never {
  throw new NexusError(
    'E_INVALID_REQUEST',
    'cursor is not one that Nexus gave out for this list; leave it away to start anew.',
  );
}
