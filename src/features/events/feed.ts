import type { z } from 'zod';
import type { CloudEvent, feedQuery } from '../../contract/events.ts';
import type { Principal } from '../../contract/identity.ts';
import { invalidField } from '../../contract/invalid-request.ts';
import type { Database } from '../../platform/database/database.ts';
import { cloudEventOf, type EventContent } from '../../platform/outbox/cloud-event.ts';
import { BEGINNING, type Position, readPosition, writePosition } from '../../platform/outbox/position.ts';
import type { SearchedEvents } from './searched-events.ts';
import * as store from './store.ts';
import { eventViewerOf } from './visibility.ts';

export type Events = ReturnType<typeof createFeed>;

/** The feed: all events that the caller may see, page by page, each event once. */
export function createFeed({ sql, searched }: { sql: Database; searched: SearchedEvents }) {
  return {
    async read(principal: Principal, query: z.output<typeof feedQuery>) {
      const cursor = query.cursor ?? query.after;
      const field = query.cursor === undefined ? 'after' : 'cursor';
      const after = cursor === undefined ? BEGINNING : await knownPosition(sql, { cursor, field });
      const { types, limit, saved_search_id } = query;
      if (saved_search_id !== undefined) await searched.require(principal, saved_search_id);
      const page = await store.readFeed(sql, eventViewerOf(principal), { after, types, limit: limit + 1 });
      const events = page.events.slice(0, limit);
      const isCut = page.events.length > limit;
      const reached = (isCut ? events.at(-1) : page.scanned_to) ?? after;
      const shown =
        saved_search_id === undefined ? events : await searched.filter(principal, saved_search_id, events);
      return {
        data: shown.map((event) => ({ ...shownEvent(event), cursor: writePosition(event) })),
        page: {
          next_cursor: reached === BEGINNING ? null : writePosition(reached),
          has_more: isCut || page.scanned_count === store.SCANNED_AT_ONCE,
        },
      };
    },
  };
}

/** A cursor, and the name under which the caller sent it. */
export interface GivenCursor {
  cursor: string;
  field: string;
}

/** Refuses a cursor that this database has not reached: it comes from another one, and would hide events of this one. */
export async function knownPosition(sql: Database, { cursor, field }: GivenCursor): Promise<Position> {
  const position = readPosition(cursor, field);
  if (await store.hasBegun(sql, position)) return position;
  throw invalidField(field, 'is ahead of this database, which may have been restored. Start without it');
}

/** An event as the feed and the stream show it: without `user_ids`, which only says who else may see it. */
export function shownEvent(event: EventContent): CloudEvent {
  const { user_ids: _, ...payload } = event.payload;
  return cloudEventOf({ ...event, payload });
}
