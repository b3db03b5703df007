import { NexusError } from '../contract/errors.ts';
import type { Page } from '../contract/wire.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The id after which a list continues. Cursors are opaque to callers, so that their content may change. */
export function readCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const id = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!UUID.test(id)) {
    throw new NexusError(
      'E_INVALID_REQUEST',
      'cursor is not one that Nexus gave out; leave it away to start anew.',
    );
  }
  return id;
}

/** Cuts rows that were fetched one beyond `limit` into a page that knows whether there is more. */
export function cutPage<Row extends { id: string }>(rows: Row[], limit: number): { rows: Row[]; page: Page } {
  const kept = rows.slice(0, limit);
  const last = kept.at(-1);
  const has_more = rows.length > limit;
  return {
    rows: kept,
    page: { has_more, next_cursor: has_more && last ? Buffer.from(last.id).toString('base64url') : null },
  };
}
