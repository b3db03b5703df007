import type { Database } from '../../platform/database/database.ts';
import type { EventContent } from '../../platform/outbox/cloud-event.ts';
import type { Viewer } from '../libraries/access/can-read-media.ts';
import type { MediaLists } from '../media/lists/list.ts';
import type { SavedSearches } from '../media/search/saved/saved-searches.ts';

interface SearchedEventsDependencies {
  sql: Database;
  mediaLists: Pick<MediaLists, 'matchingAmong'>;
  savedSearches: Pick<SavedSearches, 'queryOf'>;
}

export type SearchedEvents = ReturnType<typeof createSearchedEvents>;

/** Filters events by a saved search: those about a media that its owner may read and that matches its query now. */
export function createSearchedEvents({ sql, mediaLists, savedSearches }: SearchedEventsDependencies) {
  return {
    /** Throws when the viewer has no such saved search. */
    require: (viewer: Viewer, searchId: string) => savedSearches.queryOf(viewer, searchId),

    async filter<Event extends EventContent>(
      viewer: Viewer,
      searchId: string,
      events: Event[],
    ): Promise<Event[]> {
      const query = await savedSearches.queryOf(viewer, searchId);
      const mediaIds = new Set(events.flatMap((event) => mediaIdOf(event) ?? []));
      if (mediaIds.size === 0) return [];
      const matching = new Set(await mediaLists.matchingAmong(sql, viewer, { q: query }, [...mediaIds]));
      return events.filter((event) => matching.has(mediaIdOf(event) ?? ''));
    },
  };
}

function mediaIdOf({ payload: { media_id } }: EventContent): string | undefined {
  return typeof media_id === 'string' ? media_id : undefined;
}
