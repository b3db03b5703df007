import { z } from 'zod';
import { libraryMedia, libraryMediaQuery } from '../../../contract/libraries.ts';
import * as contract from '../../../contract/media.ts';
import { answer, id, listOf } from '../../../contract/wire.ts';
import { data, list } from '../../../http/answers.ts';
import { actorOf, principalOf } from '../../../http/authentication.ts';
import type { HttpServer } from '../../../http/http-server.ts';
import { repeatStored } from '../../../http/repeats.ts';
import { routeOptions } from '../../../http/route-options.ts';
import type { BulkMedia } from './bulk.ts';
import type { MediaLists } from './list.ts';

const forReaders = routeOptions({ access: 'viewer', feature: 'media', tags: ['Media'] });
const forMembers = routeOptions({ access: 'viewer', feature: 'libraries', tags: ['Libraries'] });

export function registerListRoutes(
  api: HttpServer,
  { mediaLists, bulk }: { mediaLists: MediaLists; bulk: BulkMedia },
): void {
  api.get(
    '/media',
    forReaders({
      errors: ['E_INVALID_QUERY'],
      operationId: 'listMedia',
      summary: 'List media',
      description:
        'Lists everything that the caller can read, or one of their libraries. Newest first by default; unknown values of the ' +
        'sort key come last. `q` filters the list. `total` counts all pages.',
      querystring: contract.mediaQuery,
      response: { 200: contract.mediaList },
    }),
    (request) => mediaLists.list(principalOf(request), request.query),
  );

  api.post(
    '/media/bulk',
    forReaders({
      errors: ['E_FORBIDDEN', 'E_DEFAULT_LIBRARY_FORBIDDEN', 'E_INVALID_QUERY', 'E_LIBRARY_NOT_FOUND'],
      repeat: repeatStored<unknown, contract.MediaChange>(({ body, principal }) =>
        bulk.requireAccess(principal, body),
      ),
      operationId: 'changeManyMedia',
      summary: 'Change many media',
      description:
        'Changes the media with the given ids, or all that match the filter: up to 200 per request, in one transaction. ' +
        'Continue with `next_cursor`. Media that the caller may not read are counted as not found.',
      body: contract.mediaChange,
      response: { 200: answer(contract.mediaChanged) },
    }),
    (request) => data(bulk.change(principalOf(request), request.body, actorOf(request))),
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
      querystring: libraryMediaQuery,
      response: { 200: listOf(libraryMedia) },
    }),
    (request) => mediaLists.ofLibrary(principalOf(request), request.params.id, request.query),
  );
}
