import type { Feature, Platform } from '../feature.ts';
import type { MediaLists } from '../media/lists/list.ts';
import type { SavedSearches } from '../media/search/saved/saved-searches.ts';
import { createFeed } from './feed.ts';
import { registerEventRoutes } from './routes.ts';
import { createSearchedEvents } from './searched-events.ts';
import { createEventStreams } from './streams.ts';

interface EventsFeatureDependencies extends Pick<Platform, 'sql' | 'log' | 'listener'> {
  mediaLists: MediaLists;
  savedSearches: SavedSearches;
}

export function createEventsFeature(dependencies: EventsFeatureDependencies) {
  const { sql, log, listener, mediaLists, savedSearches } = dependencies;
  const searched = createSearchedEvents({ sql, mediaLists, savedSearches });
  const services = {
    events: createFeed({ sql, searched }),
    eventStreams: createEventStreams({ sql, log, listener, searched }),
  };
  return {
    name: 'events',
    services,
    routes: (api) => registerEventRoutes(api, services),
    metrics: [
      () => [
        {
          name: 'nexus_event_streams_open',
          help: 'Streams of events that this process serves.',
          value: services.eventStreams.count(),
          key: 'events.open_streams',
        },
      ],
    ],
    onDrain: services.eventStreams.close,
  } satisfies Feature;
}
