import { z } from 'zod';
import * as contract from '../../contract/events.ts';
import { principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { Events } from './feed.ts';
import type { EventStreams } from './streams.ts';

const forViewers = routeOptions({ access: 'viewer', feature: 'events', tags: ['Events'] });

export function registerEventRoutes(
  server: HttpServer,
  { events, eventStreams }: { events: Events; eventStreams: EventStreams },
): void {
  server.get(
    '/api/v1/events',
    forViewers({
      summary: 'Events',
      description:
        'All events that you may see, oldest first, each event once. Continue with `after` = `next_cursor`, also when ' +
        'there is nothing more yet.',
      querystring: contract.feedQuery,
      response: { 200: contract.feed },
    }),
    (request) => events.read(principalOf(request), request.query),
  );

  server.get(
    '/api/v1/events/stream',
    {
      exposeHeadRoute: false,
      config: {
        access: 'viewer',
        feature: 'events',
        errors: ['E_TOO_MANY_STREAMS'],
        produces: { 200: ['text/event-stream'] },
      },
      schema: {
        tags: ['Events'],
        summary: 'Event stream',
        description:
          'Server-sent events as they happen. With `Last-Event-ID` (or `after`), it starts with the events since then. ' +
          'Whoever is removed from a library receives `library.member_removed` (or `library.deleted`) as the last event ' +
          'about it. A person has at most ten streams in a process; the next one ends the oldest.',
        querystring: contract.streamQuery,
        response: { 200: z.string() },
      },
    },
    async (request, reply) => {
      const given = request.headers['last-event-id'];
      const cursor = (typeof given === 'string' && given) || request.query.after;
      const stream = await eventStreams.open(principalOf(request), cursor);
      return (
        reply
          .type('text/event-stream; charset=utf-8')
          // Asks proxies not to buffer events.
          .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
          .send(stream as never)
      );
    },
  );
}
