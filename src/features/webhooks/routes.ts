import { z } from 'zod';
import * as contract from '../../contract/webhooks.ts';
import { answer, id, listOf, listQuery } from '../../contract/wire.ts';
import { data, sendCreated } from '../../http/answers.ts';
import { actorOf } from '../../http/authentication.ts';
import { versioned } from '../../http/conditional.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { REPEAT_SECRET, readAgain } from '../../http/repeats.ts';
import { routeOptions } from '../../http/route-options.ts';
import { type Webhooks, webhookVersion } from './webhooks.ts';

const byId = z.object({ id });
const byDelivery = z.object({ id, delivery_id: id });
const forAdmins = routeOptions({ access: 'admin', feature: 'webhooks', tags: ['Webhooks'] });

export function registerWebhookRoutes(api: HttpServer, webhooks: Webhooks): void {
  api.post(
    '/webhooks',
    forAdmins({
      errors: ['E_SSRF_BLOCKED', 'E_INVALID_URL'],
      repeat: REPEAT_SECRET,
      operationId: 'createWebhook',
      summary: 'Create a webhook',
      description: 'An empty `event_types` means all. This answer alone carries the `secret`.',
      body: contract.createWebhook,
      response: { 201: answer(contract.createdWebhook) },
    }),
    async (request, reply) => {
      const webhook = await webhooks.create(request.body, actorOf(request));
      return sendCreated(reply, `/webhooks/${webhook.id}`, webhook);
    },
  );

  api.get(
    '/webhooks',
    forAdmins({
      operationId: 'listWebhooks',
      summary: 'List webhooks',
      description: 'Newest first.',
      querystring: listQuery,
      response: { 200: listOf(contract.webhook) },
    }),
    (request) => webhooks.list(request.query),
  );

  api.get(
    '/webhooks/:id',
    forAdmins({
      errors: ['E_NOT_FOUND'],
      operationId: 'getWebhook',
      summary: 'Read a webhook',
      description: 'Whether it is enabled, and since when it fails.',
      params: byId,
      response: { 200: answer(contract.webhook) },
    }),
    (request, reply) => versioned(reply, webhooks.get(request.params.id), webhookVersion),
  );

  api.patch(
    '/webhooks/:id',
    forAdmins({
      errors: ['E_NOT_FOUND', 'E_SSRF_BLOCKED', 'E_INVALID_URL', 'E_PRECONDITION_FAILED'],
      requestHeaders: ['If-Match'],
      operationId: 'updateWebhook',
      summary: 'Change a webhook',
      description: 'Changes URL, event types, and whether it is enabled. Absent fields are not changed.',
      params: byId,
      body: contract.updateWebhook,
      response: { 200: answer(contract.webhook) },
    }),
    (request, reply) =>
      versioned(reply, webhooks.update(request.params.id, request.body, actorOf(request)), webhookVersion),
  );

  api.delete(
    '/webhooks/:id',
    forAdmins({
      errors: ['E_NOT_FOUND'],
      goneCode: 'E_NOT_FOUND',
      operationId: 'deleteWebhook',
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

  api.post(
    '/webhooks/:id/rotate-secret',
    forAdmins({
      errors: ['E_NOT_FOUND'],
      repeat: REPEAT_SECRET,
      operationId: 'rotateWebhookSecret',
      summary: 'Rotate the secret of a webhook',
      description:
        'The old secret signs beside the new one for `overlap_hours` (24). This answer alone has it.',
      params: byId,
      body: contract.rotateSecret,
      response: { 200: answer(contract.rotatedSecret) },
    }),
    (request) =>
      data(webhooks.rotateSecret(request.params.id, request.body?.overlap_hours, actorOf(request))),
  );

  api.post(
    '/webhooks/:id/test',
    forAdmins({
      errors: ['E_NOT_FOUND', 'E_INVALID_STATE'],
      repeat: readAgain(({ params, made }) => data(webhooks.getDelivery(params.id, String(made.id)))),
      operationId: 'testWebhook',
      summary: 'Test a webhook',
      description: 'Sends a `webhook.test` event; its delivery shows what came of it.',
      params: byId,
      response: { 202: answer(contract.loggedDelivery) },
    }),
    async (request, reply) =>
      reply.status(202).send({ data: await webhooks.test(request.params.id, actorOf(request)) }),
  );

  api.get(
    '/webhooks/:id/deliveries',
    forAdmins({
      errors: ['E_NOT_FOUND'],
      operationId: 'listWebhookDeliveries',
      summary: 'List deliveries to a webhook',
      description: 'Newest first, with what was sent and what came back at each attempt.',
      params: byId,
      querystring: contract.deliveryQuery,
      response: { 200: listOf(contract.loggedDelivery) },
    }),
    (request) => webhooks.deliveries(request.params.id, request.query),
  );

  api.get(
    '/webhooks/:id/deliveries/:delivery_id',
    forAdmins({
      errors: ['E_NOT_FOUND'],
      operationId: 'getWebhookDelivery',
      summary: 'Read a delivery to a webhook',
      description: 'With what was sent and what came back at each attempt.',
      params: byDelivery,
      response: { 200: answer(contract.loggedDelivery) },
    }),
    (request) => data(webhooks.getDelivery(request.params.id, request.params.delivery_id)),
  );

  api.post(
    '/webhooks/:id/deliveries/:delivery_id/replay',
    forAdmins({
      errors: ['E_NOT_FOUND', 'E_INVALID_STATE'],
      repeat: readAgain<{ id: string; delivery_id: string }>(({ params }) =>
        data(webhooks.getDelivery(params.id, params.delivery_id)),
      ),
      operationId: 'replayWebhookDelivery',
      summary: 'Send a delivery again',
      description: 'The same body under the same `webhook-id`, with all its attempts before it.',
      params: byDelivery,
      response: { 202: answer(contract.loggedDelivery) },
    }),
    async (request, reply) => {
      const { id: webhookId, delivery_id } = request.params;
      return reply
        .status(202)
        .send({ data: await webhooks.replay(webhookId, delivery_id, actorOf(request)) });
    },
  );
}
