import type { Database } from '../../platform/database/database.ts';
import type { Hints } from '../../platform/outbox/hints.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Feature } from '../feature.ts';
import { createFeed } from './feed.ts';
import { registerEventRoutes } from './routes.ts';
import { createEventStreams } from './streams.ts';

export interface EventsFeatureDependencies {
  sql: Database;
  log: Logger;
  hints: Hints;
}

export function createEventsFeature({ sql, log, hints }: EventsFeatureDependencies) {
  const services = {
    events: createFeed({ sql }),
    eventStreams: createEventStreams({ sql, log, hints }),
  };
  return {
    name: 'events',
    services,
    routes: (server) => registerEventRoutes(server, services),
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
