import { z } from 'zod';
import { relatedMedia, relatedQuery } from '../../contract/graph.ts';
import { id, listOf } from '../../contract/wire.ts';
import { list } from '../../http/answers.ts';
import { principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { Graph } from './graph.ts';

const forViewers = routeOptions({ access: 'viewer', feature: 'media', tags: ['Media'] });

export function registerGraphRoutes(api: HttpServer, graph: Graph): void {
  api.get(
    '/media/:id/related',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
      operationId: 'listRelatedMedia',
      summary: 'List related documents',
      description:
        'Lists documents that mention the same entities or link to each other, best first, with the reasons.',
      params: z.object({ id }),
      querystring: relatedQuery,
      response: { 200: listOf(relatedMedia) },
    }),
    (request) => list(graph.related(principalOf(request), request.params.id, request.query.limit)),
  );
}
