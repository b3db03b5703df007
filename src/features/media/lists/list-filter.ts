import type { MediaQuery } from '../../../contract/media.ts';
import type { ReadingState } from '../../../contract/reading.ts';
import type { Queryable } from '../../../platform/database/database.ts';

export type MediaFilter = Pick<MediaQuery, 'kind' | 'status' | 'site' | 'reading'>;

export function asksOfMedia({ kind, status, site }: MediaFilter): boolean {
  return (kind ?? status ?? site) !== undefined;
}

/** The condition of a filter on `media`. */
export const matches = (sql: Queryable, { kind, status, site }: MediaFilter) => sql`
  true
  ${kind === undefined ? sql`` : sql`and media.kind = ${kind}`}
  ${status === undefined ? sql`` : sql`and media.processing_status = ${status}`}
  ${site === undefined ? sql`` : sql`and media.site = ${site}`}`;

const STATES = {
  unread: (sql: Queryable) => sql`reading.media_id is null`,
  reading: (sql: Queryable) => sql`reading.media_id is not null and reading.finished_at is null`,
  finished: (sql: Queryable) => sql`reading.finished_at is not null`,
} satisfies Record<ReadingState, (sql: Queryable) => unknown>;

/** The condition of a filter on `reading`, the viewer's reading progress. */
export const hasState = (sql: Queryable, state: ReadingState | undefined) =>
  state === undefined ? sql`true` : STATES[state](sql);
