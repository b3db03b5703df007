import { z } from 'zod';
import * as contract from '../../contract/identity.ts';
import { ROLES, type Role, roleAllows } from '../../contract/roles.ts';
import { id, listQuery } from '../../contract/wire.ts';
import type { RegisteredRoute } from '../../http/access.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { ApiKeys } from './api-keys.ts';
import type { Users } from './users.ts';

const forViewers = routeOptions({ access: 'viewer', tags: ['Identity'] });
const forUserAdmins = routeOptions({ access: 'admin', feature: 'users', tags: ['Users and keys'] });
const forKeyAdmins = routeOptions({ access: 'admin', feature: 'api_keys', tags: ['Users and keys'] });

const byId = z.object({ id });

export function registerIdentityRoutes(
  server: HttpServer,
  { users, apiKeys, registered }: { users: Users; apiKeys: ApiKeys; registered: RegisteredRoute[] },
) {
  server.get(
    '/api/v1/auth/whoami',
    forViewers({
      summary: 'Get the caller',
      description: 'The owner, role and modes of the credentials.',
      response: { 200: contract.principal },
    }),
    (request) => principalOf(request),
  );

  server.get(
    '/api/v1/features',
    forViewers({
      summary: 'List features',
      description:
        'The features of this server, with their minimum role and whether the caller may use them.',
      response: { 200: contract.featureList },
    }),
    (request) => ({ features: availableFeatures(registered, principalOf(request)) }),
  );

  server.get(
    '/me',
    forViewers({
      summary: 'Get my user',
      description: 'The user who makes the request.',
      response: { 200: contract.me },
    }),
    async (request) => ({ data: await users.get(principalOf(request).user_id) }),
  );

  server.get(
    '/users',
    forViewers({
      summary: 'Find people',
      description:
        'Up to eight people whose username or display name begins with the prefix, for invitations.',
      querystring: contract.peopleQuery,
      response: { 200: contract.people },
    }),
    async (request) => ({ data: await users.find(request.query.prefix) }),
  );

  server.get(
    '/api/v1/users',
    forUserAdmins({
      summary: 'List users',
      description: 'Newest first.',
      querystring: listQuery,
      response: { 200: contract.userList },
    }),
    (request) => users.list(request.query),
  );

  server.post(
    '/api/v1/users',
    forUserAdmins({
      errors: ['E_USERNAME_TAKEN', 'E_USERNAME_RESERVED'],
      summary: 'Create a user',
      description: 'Creates the user and their default library.',
      body: contract.createUser,
      response: { 201: contract.user },
    }),
    async (request, reply) => reply.status(201).send(await users.create(request.body, actorOf(request))),
  );

  server.patch(
    '/api/v1/users/:id',
    forUserAdmins({
      errors: ['E_USER_NOT_FOUND', 'E_LAST_ADMIN_FORBIDDEN'],
      summary: 'Change a user',
      description: 'Changes role, display name, disabled and storage quota. Omitted fields do not change.',
      params: byId,
      body: contract.updateUser,
      response: { 200: contract.user },
    }),
    (request) => users.update(request.params.id, request.body, actorOf(request)),
  );

  server.get(
    '/api/v1/api-keys',
    forKeyAdmins({
      summary: 'List API keys',
      description: 'Newest first, with their prefix. The keys themselves are not stored.',
      querystring: contract.apiKeyListQuery,
      response: { 200: contract.apiKeyList },
    }),
    (request) => apiKeys.list(request.query),
  );

  server.post(
    '/api/v1/api-keys',
    forKeyAdmins({
      errors: ['E_USER_NOT_FOUND', 'E_KEY_ROLE_EXCEEDS_USER'],
      summary: 'Create an API key',
      description: 'For the user with `user_id` or `username`. Only this response contains the `key`.',
      body: contract.createApiKey,
      response: { 201: contract.createdApiKey },
    }),
    async (request, reply) => {
      const { user_id, username, ...fields } = request.body;
      const user = user_id ? await users.get(user_id) : await users.getByName(username ?? '');
      return reply.status(201).send(await apiKeys.create(user, fields, actorOf(request)));
    },
  );

  server.post(
    '/api/v1/api-keys/:id/disable',
    forKeyAdmins({
      errors: ['E_NOT_FOUND'],
      summary: 'Disable an API key',
      description: 'Takes effect with the next request.',
      params: byId,
      response: { 200: contract.apiKey },
    }),
    (request) => apiKeys.disable(request.params.id, actorOf(request)),
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
    enabled: roleAllows(own, minimum_role),
  }));
  const raw = {
    feature: 'raw_mode',
    minimum_role: 'researcher' as const,
    enabled: allowed_modes.includes('RAW'),
  };
  return [...features, raw].sort((a, b) => a.feature.localeCompare(b.feature));
}
