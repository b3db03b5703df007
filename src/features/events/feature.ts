import type { Feature, Platform } from '../feature.ts';
import { createFeed } from './feed.ts';
import { registerEventRoutes } from './routes.ts';
import { createEventStreams } from './streams.ts';

export function createEventsFeature({ sql, log, listener }: Pick<Platform, 'sql' | 'log' | 'listener'>) {
  const services = {
    events: createFeed({ sql }),
    eventStreams: createEventStreams({ sql, log, listener }),
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
