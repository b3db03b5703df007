import { Readable } from 'node:stream';
import { z } from 'zod';
import * as contract from '../../contract/events.ts';
import { principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { Events, GivenCursor } from './feed.ts';
import type { EventStreams } from './streams.ts';

const forViewers = routeOptions({ access: 'viewer', feature: 'events', tags: ['Events'] });

export function registerEventRoutes(
  api: HttpServer,
  { events, eventStreams }: { events: Events; eventStreams: EventStreams },
): void {
  api.get(
    '/events',
    forViewers({
      errors: ['E_NOT_FOUND'],
      operationId: 'listEvents',
      summary: 'List events',
      description:
        'Lists all events that the caller may see, oldest first, each event once. `next_cursor` is also there on the last ' +
        'page: continue with it later.',
      querystring: contract.feedQuery,
      response: { 200: contract.feed },
    }),
    (request) => events.read(principalOf(request), request.query),
  );

  api.get(
    '/events/stream',
    forViewers({
      errors: ['E_NOT_FOUND', 'E_TOO_MANY_STREAMS'],
      operationId: 'streamEvents',
      summary: 'Stream events',
      description:
        'Sends events as they happen, as messages without a name whose data are the event. With `Last-Event-ID` or `cursor`, ' +
        'it starts with the events since then. ' +
        'Whoever is removed from a library receives `library.member_removed` (or `library.deleted`) as the last event ' +
        'about it. A person has at most ten streams in a process; the next one ends the oldest.',
      requestHeaders: ['Last-Event-ID'],
      querystring: contract.streamQuery,
      response: { 200: z.string() },
      contentTypes: { 200: ['text/event-stream'] },
    }),
    async (request, reply) => {
      // `x-accel-buffering` asks proxies not to buffer events.
      reply
        .type('text/event-stream; charset=utf-8')
        .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
      if (request.method === 'HEAD') return reply.send(Readable.from([]) as never);
      const given = request.headers['last-event-id'];
      const { cursor, after, types, saved_search_id: searchId } = request.query;
      const from = firstGiven({ 'Last-Event-ID': given, cursor, after });
      return reply.send((await eventStreams.open(principalOf(request), { from, types, searchId })) as never);
    },
  );
}

function firstGiven(fields: Record<string, unknown>): GivenCursor | undefined {
  for (const [field, cursor] of Object.entries(fields))
    if (typeof cursor === 'string' && cursor !== '') return { field, cursor };
  return undefined;
}
