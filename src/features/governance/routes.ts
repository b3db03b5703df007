import { z } from 'zod';
import * as contract from '../../contract/governance.ts';
import { id } from '../../contract/wire.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { Governance } from './governance.ts';
import type { Policies } from './policies.ts';

const byId = z.object({ id });
const forOperators = routeOptions({ access: 'operator', feature: 'governance', tags: ['Governance'] });
const forAdmins = routeOptions({ access: 'admin', feature: 'governance.policies', tags: ['Governance'] });

export function registerGovernanceRoutes(
  server: HttpServer,
  { policies, governance }: { policies: Policies; governance: Governance },
) {
  server.post(
    '/api/v1/governance/evaluate',
    forOperators({
      errors: ['E_MODE_FORBIDDEN', 'E_TEXT_TOO_COSTLY'],
      summary: 'Evaluate a text',
      description: 'Applies the policies of a mode. Returns the decision and the text as it may be shown.',
      body: contract.evaluate,
      response: { 200: contract.evaluation },
    }),
    (request) =>
      governance.evaluate(request.body.text, request.body.mode, principalOf(request), actorOf(request)),
  );

  server.get(
    '/api/v1/governance/policies',
    forAdmins({
      summary: 'List policies',
      description: 'Newest first.',
      querystring: contract.policyQuery,
      response: { 200: contract.policyList },
    }),
    (request) => policies.list(request.query),
  );

  server.post(
    '/api/v1/governance/policies',
    forAdmins({
      errors: ['E_POLICY_NAME_TAKEN'],
      summary: 'Create a policy',
      description: 'It applies to the next text.',
      body: contract.createPolicy,
      response: { 201: contract.policy },
    }),
    async (request, reply) => reply.status(201).send(await policies.create(request.body, actorOf(request))),
  );

  server.patch(
    '/api/v1/governance/policies/:id',
    forAdmins({
      errors: ['E_NOT_FOUND', 'E_INVALID_STATE', 'E_POLICY_NAME_TAKEN'],
      summary: 'Change a policy',
      description: 'Absent fields are not changed.',
      params: byId,
      body: contract.updatePolicy,
      response: { 200: contract.policy },
    }),
    (request) => policies.update(request.params.id, request.body, actorOf(request)),
  );

  server.delete(
    '/api/v1/governance/policies/:id',
    forAdmins({
      errors: ['E_NOT_FOUND', 'E_INVALID_STATE'],
      summary: 'Delete a policy',
      params: byId,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await policies.remove(request.params.id, actorOf(request));
      return reply.status(204).send(null);
    },
  );
}
