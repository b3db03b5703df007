import { z } from 'zod';
import * as contract from '../../contract/governance.ts';
import { answer, id, listOf, listQuery } from '../../contract/wire.ts';
import { data, sendCreated } from '../../http/answers.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import { versioned } from '../../http/conditional.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { CARRY_OUT_AGAIN, readAgain } from '../../http/repeats.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { Governance } from './governance.ts';
import { type Policies, policyVersion } from './policies.ts';

const byId = z.object({ id });
const forOperators = routeOptions({ access: 'operator', feature: 'governance', tags: ['Governance'] });
const forAdmins = routeOptions({ access: 'admin', feature: 'governance.policies', tags: ['Governance'] });

export function registerGovernanceRoutes(
  api: HttpServer,
  { policies, governance }: { policies: Policies; governance: Governance },
) {
  api.post(
    '/governance/evaluate',
    forOperators({
      errors: ['E_MODE_FORBIDDEN', 'E_TEXT_TOO_COSTLY'],
      repeat: CARRY_OUT_AGAIN,
      operationId: 'evaluateText',
      summary: 'Evaluate a text',
      description: 'Applies the policies of a mode. Returns the decision and the text as it may be shown.',
      body: contract.evaluate,
      response: { 200: answer(contract.evaluation) },
    }),
    (request) => {
      const { text, mode } = request.body;
      return data(governance.evaluate(text, mode, principalOf(request), actorOf(request)));
    },
  );

  api.get(
    '/governance/policies',
    forAdmins({
      operationId: 'listPolicies',
      summary: 'List policies',
      description: 'Newest first.',
      querystring: listQuery,
      response: { 200: listOf(contract.policy) },
    }),
    (request) => policies.list(request.query),
  );

  api.post(
    '/governance/policies',
    forAdmins({
      errors: ['E_POLICY_NAME_TAKEN', 'E_NOT_FOUND'],
      repeat: readAgain(({ made }) => data(policies.get(String(made.id)))),
      operationId: 'createPolicy',
      summary: 'Create a policy',
      description: 'It applies to the next text.',
      body: contract.createPolicy,
      response: { 201: answer(contract.policy) },
    }),
    async (request, reply) => {
      const policy = await policies.create(request.body, actorOf(request));
      return sendCreated(reply, `/governance/policies/${policy.id}`, policy);
    },
  );

  api.get(
    '/governance/policies/:id',
    forAdmins({
      errors: ['E_NOT_FOUND'],
      operationId: 'getPolicy',
      summary: 'Get a policy',
      description: 'Returns its terms and patterns, and whether it is enabled.',
      params: byId,
      response: { 200: answer(contract.policy) },
    }),
    (request, reply) => versioned(reply, policies.get(request.params.id), policyVersion),
  );

  api.patch(
    '/governance/policies/:id',
    forAdmins({
      errors: ['E_NOT_FOUND', 'E_INVALID_STATE', 'E_POLICY_NAME_TAKEN', 'E_PRECONDITION_FAILED'],
      requestHeaders: ['If-Match'],
      operationId: 'updatePolicy',
      summary: 'Change a policy',
      description: 'Absent fields are not changed.',
      params: byId,
      body: contract.updatePolicy,
      response: { 200: answer(contract.policy) },
    }),
    (request, reply) =>
      versioned(reply, policies.update(request.params.id, request.body, actorOf(request)), policyVersion),
  );

  api.delete(
    '/governance/policies/:id',
    forAdmins({
      errors: ['E_NOT_FOUND', 'E_INVALID_STATE'],
      goneCode: 'E_NOT_FOUND',
      operationId: 'deletePolicy',
      summary: 'Delete a policy',
      description: 'Texts are shown without it from the next request on.',
      params: byId,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await policies.remove(request.params.id, actorOf(request));
      return reply.status(204).send(null);
    },
  );
}
