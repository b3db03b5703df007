import { z } from 'zod';
import * as contract from '../../contract/identity.ts';
import { id, listQuery } from '../../contract/wire.ts';
import type { RegisteredRoute } from '../../http/access.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import type { ApiKeys } from './api-keys.ts';
import { availableFeatures } from './features.ts';
import type { Users } from './users.ts';

export interface IdentityRoutes {
  users: Users;
  apiKeys: ApiKeys;
  registered: RegisteredRoute[];
}

const byId = z.object({ id });

export function registerIdentityRoutes(
  server: HttpServer,
  { users, apiKeys, registered }: IdentityRoutes,
): void {
  server.get(
    '/api/v1/auth/whoami',
    {
      config: { access: 'viewer' },
      schema: {
        tags: ['Identity'],
        summary: 'Who the key belongs to and what it allows',
        response: { 200: contract.principal },
      },
    },
    (request) => principalOf(request),
  );

  server.get(
    '/api/v1/features',
    {
      config: { access: 'viewer' },
      schema: {
        tags: ['Identity'],
        summary: 'What this role may use',
        response: { 200: contract.featureList },
      },
    },
    (request) => ({ features: availableFeatures(registered, principalOf(request)) }),
  );

  server.get(
    '/me',
    {
      config: { access: 'viewer' },
      schema: { tags: ['Identity'], summary: 'The signed-in person', response: { 200: contract.me } },
    },
    async (request) => ({ data: await users.get(principalOf(request).user_id) }),
  );

  server.get(
    '/api/v1/users',
    {
      config: { access: 'admin', feature: 'users' },
      schema: {
        tags: ['Users and keys'],
        summary: 'List users, newest first',
        querystring: listQuery,
        response: { 200: contract.userList },
      },
    },
    (request) => users.list(request.query),
  );

  server.post(
    '/api/v1/users',
    {
      config: { access: 'admin', feature: 'users' },
      schema: {
        tags: ['Users and keys'],
        summary: 'Create a user, together with their default library',
        body: contract.createUser,
        response: { 201: contract.user },
      },
    },
    async (request, reply) => reply.status(201).send(await users.create(request.body, actorOf(request))),
  );

  server.patch(
    '/api/v1/users/:id',
    {
      config: { access: 'admin', feature: 'users' },
      schema: {
        tags: ['Users and keys'],
        summary: 'Change a role or display name, disable or enable',
        params: byId,
        body: contract.updateUser,
        response: { 200: contract.user },
      },
    },
    (request) => users.update(request.params.id, request.body, actorOf(request)),
  );

  server.get(
    '/api/v1/api-keys',
    {
      config: { access: 'admin', feature: 'api_keys' },
      schema: {
        tags: ['Users and keys'],
        summary: 'List API keys, newest first; the keys themselves are not kept',
        querystring: contract.apiKeyListQuery,
        response: { 200: contract.apiKeyList },
      },
    },
    (request) => apiKeys.list(request.query),
  );

  server.post(
    '/api/v1/api-keys',
    {
      config: { access: 'admin', feature: 'api_keys' },
      schema: {
        tags: ['Users and keys'],
        summary: 'Create an API key for a user; this answer alone carries it',
        body: contract.createApiKey,
        response: { 201: contract.createdApiKey },
      },
    },
    async (request, reply) => {
      const { user_id, username, ...fields } = request.body;
      const user = user_id ? await users.get(user_id) : await users.getByName(username ?? '');
      return reply.status(201).send(await apiKeys.create(user, fields, actorOf(request)));
    },
  );

  server.post(
    '/api/v1/api-keys/:id/disable',
    {
      config: { access: 'admin', feature: 'api_keys' },
      schema: {
        tags: ['Users and keys'],
        summary: 'Disable an API key from the next request on',
        params: byId,
        response: { 200: contract.apiKey },
      },
    },
    (request) => apiKeys.disable(request.params.id, actorOf(request)),
  );
}
