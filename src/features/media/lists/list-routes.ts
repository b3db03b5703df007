import { z } from 'zod';
import { libraryMedia } from '../../../contract/libraries.ts';
import * as contract from '../../../contract/media.ts';
import { searchHit, searchQuery } from '../../../contract/search.ts';
import { id, listOf, listQuery } from '../../../contract/wire.ts';
import { list } from '../../../http/answers.ts';
import { principalOf } from '../../../http/authentication.ts';
import type { HttpServer } from '../../../http/http-server.ts';
import { routeOptions } from '../../../http/route-options.ts';
import type { Search } from '../search/search.ts';
import type { MediaLists } from './list.ts';

const forReaders = routeOptions({ access: 'viewer', feature: 'media', tags: ['Media'] });
const forMembers = routeOptions({ access: 'viewer', feature: 'libraries', tags: ['Libraries'] });
const forSearchers = routeOptions({ access: 'viewer', feature: 'search', tags: ['Search'] });

export function registerListRoutes(
  api: HttpServer,
  { mediaLists, search }: { mediaLists: MediaLists; search: Search },
): void {
  api.get(
    '/media',
    forReaders({
      operationId: 'listMedia',
      summary: 'List media',
      description:
        'Lists everything that the caller can read, or one of their libraries. Newest first by default; unknown values of the ' +
        'sort key come last. `total` counts all pages.',
      querystring: contract.mediaQuery,
      response: { 200: contract.mediaList },
    }),
    (request) => mediaLists.list(principalOf(request), request.query),
  );

  api.get(
    '/media/sites',
    forReaders({
      operationId: 'listSites',
      summary: 'List the sites of media',
      description: 'Lists sites with the number of their media, most frequent first, 200 at most.',
      querystring: contract.sitesQuery,
      response: { 200: listOf(contract.site) },
    }),
    (request) => list(mediaLists.sites(principalOf(request), request.query.library_id)),
  );

  api.get(
    '/libraries/:id/media',
    forMembers({
      errors: ['E_LIBRARY_NOT_FOUND'],
      operationId: 'listLibraryMedia',
      summary: 'List the media of a library',
      description: 'Newest first.',
      params: z.object({ id }),
      querystring: listQuery,
      response: { 200: listOf(libraryMedia) },
    }),
    (request) => mediaLists.ofLibrary(principalOf(request), request.params.id, request.query),
  );

  api.get(
    '/search',
    forSearchers({
      operationId: 'searchMedia',
      summary: 'Search media',
      description:
        'Searches the title, author and text of everything that the caller can read; best match first.',
      querystring: searchQuery,
      response: { 200: listOf(searchHit) },
    }),
    (request) => search.find(principalOf(request), request.query),
  );
}
