import { z } from 'zod';
import * as contract from '../../contract/webhooks.ts';
import { id, listQuery } from '../../contract/wire.ts';
import { actorOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { Webhooks } from './webhooks.ts';

const byId = z.object({ id });
const byDelivery = z.object({ id, delivery_id: id });
const forAdmins = routeOptions({ access: 'admin', feature: 'webhooks', tags: ['Webhooks'] });

export function registerWebhookRoutes(server: HttpServer, webhooks: Webhooks): void {
  server.post(
    '/api/v1/webhooks',
    forAdmins({
      errors: ['E_SSRF_BLOCKED', 'E_INVALID_URL'],
      summary: 'Create a webhook',
      description: 'An empty `event_types` means all. This answer alone carries the `secret`.',
      body: contract.createWebhook,
      response: { 201: contract.createdWebhook },
    }),
    async (request, reply) => reply.status(201).send(await webhooks.create(request.body, actorOf(request))),
  );

  server.get(
    '/api/v1/webhooks',
    forAdmins({
      summary: 'List webhooks',
      description: 'Newest first.',
      querystring: listQuery,
      response: { 200: contract.webhookList },
    }),
    (request) => webhooks.list(request.query),
  );

  server.get(
    '/api/v1/webhooks/:id',
    forAdmins({
      errors: ['E_NOT_FOUND'],
      summary: 'Read a webhook',
      description: 'Whether it is enabled, and since when it fails.',
      params: byId,
      response: { 200: contract.webhook },
    }),
    (request) => webhooks.get(request.params.id),
  );

  server.patch(
    '/api/v1/webhooks/:id',
    forAdmins({
      errors: ['E_NOT_FOUND', 'E_SSRF_BLOCKED', 'E_INVALID_URL'],
      summary: 'Change a webhook',
      description: 'URL, event types, enabled or not; what is left away stays.',
      params: byId,
      body: contract.updateWebhook,
      response: { 200: contract.webhook },
    }),
    (request) => webhooks.update(request.params.id, request.body, actorOf(request)),
  );

  server.delete(
    '/api/v1/webhooks/:id',
    forAdmins({
      errors: ['E_NOT_FOUND'],
      summary: 'Delete a webhook',
      description: 'With the log of its deliveries.',
      params: byId,
      response: { 204: z.null() },
    }),
    async (request, reply) => {
      await webhooks.delete(request.params.id, actorOf(request));
      return reply.status(204).send(null);
    },
  );

  server.post(
    '/api/v1/webhooks/:id/rotate-secret',
    forAdmins({
      errors: ['E_NOT_FOUND'],
      summary: 'Rotate the secret of a webhook',
      description:
        'The old secret signs beside the new one for `overlap_hours` (24). This answer alone has it.',
      params: byId,
      body: contract.rotateSecret,
      response: { 200: contract.rotatedSecret },
    }),
    (request) => webhooks.rotateSecret(request.params.id, request.body?.overlap_hours, actorOf(request)),
  );

  server.post(
    '/api/v1/webhooks/:id/test',
    forAdmins({
      errors: ['E_NOT_FOUND', 'E_INVALID_STATE'],
      summary: 'Test a webhook',
      description: 'Sends a `webhook.test` event; its delivery shows what came of it.',
      params: byId,
      response: { 202: contract.loggedDelivery },
    }),
    async (request, reply) =>
      reply.status(202).send(await webhooks.test(request.params.id, actorOf(request))),
  );

  server.get(
    '/api/v1/webhooks/:id/deliveries',
    forAdmins({
      errors: ['E_NOT_FOUND'],
      summary: 'List deliveries to a webhook',
      description: 'Newest first, with what was sent and what came back at each attempt.',
      params: byId,
      querystring: contract.deliveryQuery,
      response: { 200: contract.deliveryList },
    }),
    (request) => webhooks.deliveries(request.params.id, request.query),
  );

  server.get(
    '/api/v1/webhooks/:id/deliveries/:delivery_id',
    forAdmins({
      errors: ['E_NOT_FOUND'],
      summary: 'Read a delivery to a webhook',
      description: 'With what was sent and what came back at each attempt.',
      params: byDelivery,
      response: { 200: contract.loggedDelivery },
    }),
    (request) => webhooks.getDelivery(request.params.id, request.params.delivery_id),
  );

  server.post(
    '/api/v1/webhooks/:id/deliveries/:delivery_id/replay',
    forAdmins({
      errors: ['E_NOT_FOUND', 'E_INVALID_STATE'],
      summary: 'Send a delivery again',
      description: 'The same body under the same `webhook-id`, with all its attempts before it.',
      params: byDelivery,
      response: { 202: contract.loggedDelivery },
    }),
    async (request, reply) =>
      reply
        .status(202)
        .send(await webhooks.replay(request.params.id, request.params.delivery_id, actorOf(request))),
  );
}
