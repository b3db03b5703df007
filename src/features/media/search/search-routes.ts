import { z } from 'zod';
import { matchQuery, searchHit, searchQuery, textMatch } from '../../../contract/search.ts';
import { id, listOf } from '../../../contract/wire.ts';
import { principalOf } from '../../../http/authentication.ts';
import type { HttpServer } from '../../../http/http-server.ts';
import { routeOptions } from '../../../http/route-options.ts';
import type { Find } from './find.ts';
import type { Search } from './search.ts';

const forSearchers = routeOptions({ access: 'viewer', feature: 'search', tags: ['Search'] });

export function registerSearchRoutes(
  api: HttpServer,
  { search, find }: { search: Search; find: Find },
): void {
  api.get(
    '/search',
    forSearchers({
      errors: ['E_INVALID_QUERY'],
      operationId: 'searchMedia',
      summary: 'Search media',
      description:
        'Searches the title, author and text of everything that the caller can read; best match first. A query without ' +
        'words finds what its conditions are true of; newest first.',
      querystring: searchQuery,
      response: { 200: listOf(searchHit) },
    }),
    (request) => search.find(principalOf(request), request.query),
  );

  api.get(
    '/media/:id/matches',
    forSearchers({
      errors: ['E_MEDIA_NOT_FOUND', 'E_INVALID_QUERY', 'E_INVALID_STATE', 'E_TEXT_TOO_COSTLY'],
      operationId: 'findInMedia',
      summary: 'Find text in a media',
      description:
        'Returns where a phrase, or the words of a search, occur in its fragments, in reading order.',
      params: z.object({ id }),
      querystring: matchQuery,
      response: { 200: listOf(textMatch) },
    }),
    (request) => find.find(principalOf(request), request.params.id, request.query),
  );
}
