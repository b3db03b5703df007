import { z } from 'zod';
import { relatedList, relatedQuery } from '../../contract/graph.ts';
import { id } from '../../contract/wire.ts';
import { principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { Graph } from './graph.ts';

const forViewers = routeOptions({ access: 'viewer', feature: 'media', tags: ['Media'] });

export function registerGraphRoutes(server: HttpServer, graph: Graph): void {
  server.get(
    '/media/:id/related',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
      summary: 'List related documents',
      description:
        'Lists documents that mention the same entities or link to each other, best first, with the reasons.',
      params: z.object({ id }),
      querystring: relatedQuery,
      response: { 200: relatedList },
    }),
    async (request) => ({
      data: await graph.related(principalOf(request), request.params.id, request.query.limit),
    }),
  );
}
