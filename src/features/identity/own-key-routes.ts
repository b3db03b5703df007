import { z } from 'zod';
import * as contract from '../../contract/identity.ts';
import { answer, id, listOf, listQuery } from '../../contract/wire.ts';
import { data, sendCreated } from '../../http/answers.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { REPEAT_SECRET, readAgain } from '../../http/repeats.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { ApiKeys } from './api-keys.ts';
import type { Users } from './users.ts';

const byId = z.object({ id });
const forMyself = routeOptions({ access: 'viewer', feature: 'my_api_keys', tags: ['Identity'] });

/** Keys that people make for themselves: for a browser extension, a phone or a script. */
export function registerOwnKeyRoutes(
  api: HttpServer,
  { users, apiKeys }: { users: Users; apiKeys: ApiKeys },
): void {
  api.get(
    '/me/api-keys',
    forMyself({
      operationId: 'listMyApiKeys',
      summary: 'List my API keys',
      description: 'Newest first, with their prefix. The keys themselves are not stored.',
      querystring: listQuery,
      response: { 200: listOf(contract.apiKey) },
    }),
    (request) => apiKeys.list({ ...request.query, user_id: principalOf(request).user_id }),
  );

  api.post(
    '/me/api-keys',
    forMyself({
      errors: ['E_FORBIDDEN'],
      repeat: REPEAT_SECRET,
      operationId: 'createMyApiKey',
      summary: 'Create an API key for myself',
      description:
        'Only this response contains the `key`. A key passes on no scope that it does not have. The new key has its rate limit, ' +
        'and ends no later.',
      body: contract.createMyApiKey,
      response: { 201: answer(contract.createdApiKey) },
    }),
    async (request, reply) => {
      const principal = principalOf(request);
      const user = await users.get(principal.user_id);
      const key = await apiKeys.createOwn(user, principal, request.body, actorOf(request));
      return sendCreated(reply, `/me/api-keys/${key.id}`, key);
    },
  );

  api.get(
    '/me/api-keys/:id',
    forMyself({
      errors: ['E_NOT_FOUND'],
      operationId: 'getMyApiKey',
      summary: 'Get one of my API keys',
      description: 'Returns its scopes, its last use and when it expires.',
      params: byId,
      response: { 200: answer(contract.apiKey) },
    }),
    (request) => data(apiKeys.get(request.params.id, principalOf(request).user_id)),
  );

  api.post(
    '/me/api-keys/:id/disable',
    forMyself({
      errors: ['E_NOT_FOUND'],
      repeat: readAgain(({ params, principal }) => data(apiKeys.get(params.id, principal.user_id))),
      operationId: 'disableMyApiKey',
      summary: 'Disable one of my API keys',
      description: 'Takes effect with the next request.',
      params: byId,
      response: { 200: answer(contract.apiKey) },
    }),
    async (request) => {
      const { id: keyId } = await apiKeys.get(request.params.id, principalOf(request).user_id);
      return data(apiKeys.disable(keyId, actorOf(request)));
    },
  );

  api.delete(
    '/me/api-keys/:id',
    forMyself({
      errors: ['E_NOT_FOUND'],
      goneCode: 'E_NOT_FOUND',
      operationId: 'deleteMyApiKey',
      summary: 'Delete one of my API keys',
      description: 'Takes effect with the next request, and ends the sessions that began with the key.',
      params: byId,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      const { id: keyId } = await apiKeys.get(request.params.id, principalOf(request).user_id);
      await apiKeys.delete(keyId, actorOf(request));
      return reply.status(204).send(null);
    },
  );
}
