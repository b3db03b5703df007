import { z } from 'zod';
import * as contract from '../../../../contract/search.ts';
import { answer, id, listOf } from '../../../../contract/wire.ts';
import { data, sendCreated } from '../../../../http/answers.ts';
import { actorOf, principalOf } from '../../../../http/authentication.ts';
import { versioned } from '../../../../http/conditional.ts';
import type { HttpServer } from '../../../../http/http-server.ts';
import { readAgain } from '../../../../http/repeats.ts';
import { routeOptions } from '../../../../http/route-options.ts';
import { type SavedSearches, searchVersion } from './saved-searches.ts';

const byId = z.object({ id });
const forSearchers = routeOptions({ access: 'viewer', feature: 'search', tags: ['Search'] });

export function registerSavedSearchRoutes(api: HttpServer, savedSearches: SavedSearches): void {
  api.get(
    '/saved-searches',
    forSearchers({
      operationId: 'listSavedSearches',
      summary: 'List your saved searches',
      description: 'Oldest first. With `counts=true`, each has the number of media that match now.',
      querystring: contract.savedSearchesQuery,
      response: { 200: listOf(contract.savedSearch) },
    }),
    (request) => savedSearches.list(principalOf(request), request.query),
  );

  api.post(
    '/saved-searches',
    forSearchers({
      errors: ['E_INVALID_QUERY', 'E_INVALID_STATE', 'E_NOT_FOUND'],
      repeat: readAgain(({ made, principal }) => data(savedSearches.get(principal, String(made.id)))),
      operationId: 'createSavedSearch',
      summary: 'Save a search',
      description: 'Saves a query under a name, for the caller alone. A query with a mistake is refused.',
      body: contract.createSavedSearch,
      response: { 201: answer(contract.savedSearch) },
    }),
    async (request, reply) => {
      const created = await savedSearches.create(principalOf(request), request.body, actorOf(request));
      return sendCreated(reply, `/saved-searches/${created.id}`, created);
    },
  );

  api.get(
    '/saved-searches/:id',
    forSearchers({
      errors: ['E_NOT_FOUND'],
      operationId: 'getSavedSearch',
      summary: 'Get a saved search',
      description: "One of the caller's own searches, with the number of media that match now.",
      params: byId,
      response: { 200: answer(contract.savedSearch) },
    }),
    (request, reply) =>
      versioned(reply, savedSearches.get(principalOf(request), request.params.id), searchVersion),
  );

  api.patch(
    '/saved-searches/:id',
    forSearchers({
      errors: ['E_NOT_FOUND', 'E_INVALID_QUERY', 'E_PRECONDITION_FAILED'],
      requestHeaders: ['If-Match'],
      operationId: 'editSavedSearch',
      summary: 'Edit a saved search',
      description: 'Changes its name or its query.',
      params: byId,
      body: contract.editSavedSearch,
      response: { 200: answer(contract.savedSearch) },
    }),
    (request, reply) => {
      const { id: searchId } = request.params;
      const edited = savedSearches.edit(principalOf(request), searchId, request.body, actorOf(request));
      return versioned(reply, edited, searchVersion);
    },
  );

  api.delete(
    '/saved-searches/:id',
    forSearchers({
      errors: ['E_NOT_FOUND'],
      goneCode: 'E_NOT_FOUND',
      operationId: 'deleteSavedSearch',
      summary: 'Delete a saved search',
      description: 'Deletes the search. The media that it finds stay.',
      params: byId,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await savedSearches.delete(principalOf(request), request.params.id);
      return reply.status(204).send(null);
    },
  );
}
