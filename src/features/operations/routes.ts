import { z } from 'zod';
import * as contract from '../../contract/events.ts';
import { auditEntry, auditQuery } from '../../contract/operations.ts';
import { answer, id, listOf } from '../../contract/wire.ts';
import { data } from '../../http/answers.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { readAgain } from '../../http/repeats.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { OutboxOperations } from './outbox.ts';
import type { Operations } from './service.ts';

const byId = z.object({ id });
const forAdmins = routeOptions({ access: 'admin', feature: 'audit', tags: ['Operations'] });
const forOperators = routeOptions({ access: 'operator', feature: 'outbox', tags: ['Outbox'] });

export function registerOperationsRoutes(
  api: HttpServer,
  { operations, outbox }: { operations: Operations; outbox: OutboxOperations },
): void {
  api.get(
    '/audit',
    forAdmins({
      operationId: 'listAuditLog',
      summary: 'List the audit log',
      description:
        'Actions and refused actions of all people, newest first, with the names of what they refer to.',
      querystring: auditQuery,
      response: { 200: listOf(auditEntry) },
    }),
    (request) => operations.audit(request.query, principalOf(request)),
  );

  api.get(
    '/outbox/events',
    forOperators({
      operationId: 'listOutboxEvents',
      summary: 'List outbox events',
      description: 'Newest first, with their delivery status. Only admins see payloads and error texts.',
      querystring: contract.outboxQuery,
      response: { 200: listOf(contract.outboxEvent) },
    }),
    (request) => outbox.list(request.query, principalOf(request)),
  );

  api.get(
    '/outbox/health',
    forOperators({
      operationId: 'getOutboxHealth',
      summary: 'Get the health of the outbox',
      description: 'The number of pending, retrying and failed events, and how long the oldest has waited.',
      response: { 200: answer(contract.outboxHealth) },
    }),
    () => data(outbox.health()),
  );

  api.get(
    '/outbox/events/:id',
    forOperators({
      errors: ['E_NOT_FOUND'],
      operationId: 'getOutboxEvent',
      summary: 'Get an outbox event',
      description: 'Includes its delivery to each subscriber. Only admins see the payload and error texts.',
      params: byId,
      response: { 200: answer(contract.outboxEventWithDeliveries) },
    }),
    (request) => data(outbox.get(request.params.id, principalOf(request))),
  );

  api.post(
    '/outbox/events/:id/retry',
    forOperators({
      errors: ['E_NOT_FOUND', 'E_INVALID_STATE'],
      repeat: readAgain(({ params, principal }) => data(outbox.get(params.id, principal))),
      operationId: 'retryOutboxEvent',
      summary: 'Retry a failed event',
      description: 'Sets the event to pending with its full number of attempts.',
      params: byId,
      response: { 200: answer(contract.outboxEventWithDeliveries) },
    }),
    (request) => data(outbox.retry(request.params.id, principalOf(request), actorOf(request))),
  );
}
