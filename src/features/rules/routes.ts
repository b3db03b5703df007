import { z } from 'zod';
import * as contract from '../../contract/rules.ts';
import { answer, id, listOf, listQuery } from '../../contract/wire.ts';
import { data, sendCreated } from '../../http/answers.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import { versioned } from '../../http/conditional.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { readAgain } from '../../http/repeats.ts';
import { routeOptions } from '../../http/route-options.ts';
import { type Rules, ruleVersion } from './rules.ts';

const byId = z.object({ id });
const forViewers = routeOptions({ access: 'viewer', feature: 'media', tags: ['Rules'] });

export function registerRuleRoutes(api: HttpServer, rules: Rules): void {
  api.get(
    '/rules',
    forViewers({
      operationId: 'listRules',
      summary: 'List your rules',
      description: 'Oldest first.',
      querystring: listQuery,
      response: { 200: listOf(contract.rule) },
    }),
    (request) => rules.list(principalOf(request), request.query),
  );

  api.post(
    '/rules',
    forViewers({
      errors: [
        'E_INVALID_QUERY',
        'E_INVALID_STATE',
        'E_LIBRARY_NOT_FOUND',
        'E_FORBIDDEN',
        'E_DEFAULT_LIBRARY_FORBIDDEN',
      ],
      repeat: readAgain(({ made, principal }) => data(rules.get(principal, String(made.id)))),
      operationId: 'createRule',
      summary: 'Create a rule',
      description:
        'The actions are applied once to everything that the caller saves from now on and that matches, as soon as it can be ' +
        'searched. A rule adds only to a library that the caller may add to.',
      body: contract.createRule,
      response: { 201: answer(contract.rule) },
    }),
    async (request, reply) => {
      const created = await rules.create(principalOf(request), request.body, actorOf(request));
      return sendCreated(reply, `/rules/${created.id}`, created);
    },
  );

  api.get(
    '/rules/:id',
    forViewers({
      errors: ['E_NOT_FOUND'],
      operationId: 'getRule',
      summary: 'Get a rule',
      description: "One of the caller's own rules.",
      params: byId,
      response: { 200: answer(contract.rule) },
    }),
    (request, reply) => versioned(reply, rules.get(principalOf(request), request.params.id), ruleVersion),
  );

  api.patch(
    '/rules/:id',
    forViewers({
      errors: [
        'E_NOT_FOUND',
        'E_INVALID_QUERY',
        'E_LIBRARY_NOT_FOUND',
        'E_FORBIDDEN',
        'E_DEFAULT_LIBRARY_FORBIDDEN',
        'E_PRECONDITION_FAILED',
      ],
      requestHeaders: ['If-Match'],
      operationId: 'editRule',
      summary: 'Edit a rule',
      description:
        'Changes the given fields. `actions` replaces all actions. What the rule has changed stays.',
      params: byId,
      body: contract.editRule,
      response: { 200: answer(contract.rule) },
    }),
    (request, reply) => {
      const edited = rules.edit(principalOf(request), request.params.id, request.body, actorOf(request));
      return versioned(reply, edited, ruleVersion);
    },
  );

  api.delete(
    '/rules/:id',
    forViewers({
      errors: ['E_NOT_FOUND'],
      goneCode: 'E_NOT_FOUND',
      operationId: 'deleteRule',
      summary: 'Delete a rule',
      description: 'Deletes the rule. What it has changed stays, and its runs can still be undone.',
      params: byId,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await rules.delete(principalOf(request), request.params.id);
      return reply.status(204).send(null);
    },
  );
}
