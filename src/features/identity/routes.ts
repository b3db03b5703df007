import { z } from 'zod';
import * as contract from '../../contract/identity.ts';
import { ROLES, type Role, roleAllows } from '../../contract/roles.ts';
import { answer, id, listOf, listQuery } from '../../contract/wire.ts';
import type { RegisteredRoute } from '../../http/access.ts';
import { data, list, sendCreated } from '../../http/answers.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import { versioned } from '../../http/conditional.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { REPEAT_SECRET, readAgain } from '../../http/repeats.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { ApiKeys } from './api-keys.ts';
import { type Users, userVersion } from './users.ts';

const forViewers = routeOptions({ access: 'viewer', tags: ['Identity'] });
const forUserAdmins = routeOptions({ access: 'admin', feature: 'users', tags: ['Users and keys'] });
const forKeyAdmins = routeOptions({ access: 'admin', feature: 'api_keys', tags: ['Users and keys'] });

const byId = z.object({ id });

export function registerIdentityRoutes(
  api: HttpServer,
  { users, apiKeys, registered }: { users: Users; apiKeys: ApiKeys; registered: RegisteredRoute[] },
) {
  api.get(
    '/auth/whoami',
    forViewers({
      operationId: 'whoami',
      summary: 'Get the caller',
      description: 'The owner, role and modes of the credentials.',
      response: { 200: contract.principal },
    }),
    (request) => principalOf(request),
  );

  api.get(
    '/features',
    forViewers({
      operationId: 'listFeatures',
      summary: 'List features',
      description:
        'The features of this server, with their minimum role and whether the caller may use them.',
      response: { 200: listOf(contract.feature) },
    }),
    (request) => list(availableFeatures(registered, principalOf(request))),
  );

  api.get(
    '/me',
    forViewers({
      operationId: 'getMe',
      summary: 'Get my user',
      description: 'The user who makes the request.',
      response: { 200: answer(contract.me) },
    }),
    (request, reply) => versioned(reply, users.get(principalOf(request).user_id), userVersion),
  );

  api.get(
    '/people',
    forViewers({
      operationId: 'findPeople',
      summary: 'Find people',
      description:
        'Up to eight people whose username or display name begins with the prefix, for invitations.',
      querystring: contract.peopleQuery,
      response: { 200: listOf(contract.person) },
    }),
    (request) => list(users.find(request.query.prefix)),
  );

  api.get(
    '/users',
    forUserAdmins({
      operationId: 'listUsers',
      summary: 'List users',
      description: 'Newest first.',
      querystring: listQuery,
      response: { 200: contract.userList },
    }),
    (request) => users.list(request.query),
  );

  api.post(
    '/users',
    forUserAdmins({
      errors: ['E_USERNAME_TAKEN', 'E_USERNAME_RESERVED'],
      repeat: readAgain(({ made }) => data(users.get(String(made.id)))),
      operationId: 'createUser',
      summary: 'Create a user',
      description: 'Creates the user and their default library.',
      body: contract.createUser,
      response: { 201: answer(contract.user) },
    }),
    async (request, reply) => {
      const user = await users.create(request.body, actorOf(request));
      return sendCreated(reply, `/users/${user.id}`, user);
    },
  );

  api.get(
    '/users/:id',
    forUserAdmins({
      errors: ['E_USER_NOT_FOUND'],
      operationId: 'getUser',
      summary: 'Get a user',
      description: 'Returns the role, whether the user is enabled, and the storage quota.',
      params: byId,
      response: { 200: answer(contract.user) },
    }),
    (request, reply) => versioned(reply, users.get(request.params.id), userVersion),
  );

  api.patch(
    '/users/:id',
    forUserAdmins({
      errors: ['E_USER_NOT_FOUND', 'E_LAST_ADMIN_FORBIDDEN', 'E_PRECONDITION_FAILED'],
      requestHeaders: ['If-Match'],
      operationId: 'updateUser',
      summary: 'Change a user',
      description:
        'Changes role, display name, storage quota and whether the user is enabled. Omitted fields do not change.',
      params: byId,
      body: contract.updateUser,
      response: { 200: answer(contract.user) },
    }),
    (request, reply) =>
      versioned(reply, users.update(request.params.id, request.body, actorOf(request)), userVersion),
  );

  api.get(
    '/api-keys',
    forKeyAdmins({
      operationId: 'listApiKeys',
      summary: 'List API keys',
      description: 'Newest first, with their prefix. The keys themselves are not stored.',
      querystring: contract.apiKeyListQuery,
      response: { 200: listOf(contract.apiKey) },
    }),
    (request) => apiKeys.list(request.query),
  );

  api.post(
    '/api-keys',
    forKeyAdmins({
      errors: ['E_USER_NOT_FOUND', 'E_KEY_ROLE_EXCEEDS_USER'],
      repeat: REPEAT_SECRET,
      operationId: 'createApiKey',
      summary: 'Create an API key',
      description: 'For the user with `user_id` or `username`. Only this response contains the `key`.',
      body: contract.createApiKey,
      response: { 201: answer(contract.createdApiKey) },
    }),
    async (request, reply) => {
      const { user_id, username, ...fields } = request.body;
      const user = user_id ? await users.get(user_id) : await users.getByName(username ?? '');
      const key = await apiKeys.create(user, fields, actorOf(request));
      return sendCreated(reply, `/api-keys/${key.id}`, key);
    },
  );

  api.get(
    '/api-keys/:id',
    forKeyAdmins({
      errors: ['E_NOT_FOUND'],
      operationId: 'getApiKey',
      summary: 'Get an API key',
      description: 'Returns its role, scopes and last use. The key itself is not stored.',
      params: byId,
      response: { 200: answer(contract.apiKey) },
    }),
    (request) => data(apiKeys.get(request.params.id)),
  );

  api.delete(
    '/api-keys/:id',
    forKeyAdmins({
      errors: ['E_NOT_FOUND'],
      goneCode: 'E_NOT_FOUND',
      operationId: 'deleteApiKey',
      summary: 'Delete an API key',
      description: 'Takes effect with the next request, and ends the sessions that began with the key.',
      params: byId,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await apiKeys.delete(request.params.id, actorOf(request));
      return reply.status(204).send(null);
    },
  );

  api.post(
    '/api-keys/:id/disable',
    forKeyAdmins({
      errors: ['E_NOT_FOUND'],
      repeat: readAgain(({ params }) => data(apiKeys.get(params.id))),
      operationId: 'disableApiKey',
      summary: 'Disable an API key',
      description: 'Takes effect with the next request.',
      params: byId,
      response: { 200: answer(contract.apiKey) },
    }),
    (request) => data(apiKeys.disable(request.params.id, actorOf(request))),
  );
}

/** Derives the features and their minimum roles from the registered routes, so they match what is enforced. */
function availableFeatures(routes: RegisteredRoute[], { role: own, allowed_modes }: contract.Principal) {
  const minimums = new Map<string, Role>();
  for (const { access, feature } of routes) {
    const minimum = ROLES.find((role) => role === access);
    if (!feature || !minimum) continue;
    const known = minimums.get(feature);
    // The minimum role of a feature is the lowest minimum role of its routes.
    if (!known || roleAllows(known, minimum)) minimums.set(feature, minimum);
  }
  const features = [...minimums].map(([feature, minimum_role]) => ({
    feature,
    minimum_role,
    is_enabled: roleAllows(own, minimum_role),
  }));
  const raw = {
    feature: 'raw_mode',
    minimum_role: 'researcher' as const,
    is_enabled: allowed_modes.includes('RAW'),
  };
  return [...features, raw].sort((a, b) => a.feature.localeCompare(b.feature));
}
