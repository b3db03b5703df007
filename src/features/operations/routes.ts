import { z } from 'zod';
import * as contract from '../../contract/events.ts';
import { auditList, auditQuery } from '../../contract/operations.ts';
import { id } from '../../contract/wire.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { OutboxOperations } from './outbox.ts';
import type { Operations } from './service.ts';

const byId = z.object({ id });
const forAdmins = routeOptions({ access: 'admin', feature: 'audit', tags: ['Operations'] });
const forOperators = routeOptions({ access: 'operator', feature: 'outbox', tags: ['Outbox'] });

export function registerOperationsRoutes(
  server: HttpServer,
  { operations, outbox }: { operations: Operations; outbox: OutboxOperations },
): void {
  server.get(
    '/api/v1/audit',
    forAdmins({
      summary: 'List the audit log',
      description: 'Actions and refused actions of all people, newest first.',
      querystring: auditQuery,
      response: { 200: auditList },
    }),
    (request) => operations.audit(request.query),
  );

  server.get(
    '/api/v1/outbox/events',
    forOperators({
      summary: 'List outbox events',
      description: 'Newest first, with their delivery status. Only admins see payloads and error texts.',
      querystring: contract.outboxQuery,
      response: { 200: contract.outboxEventList },
    }),
    (request) => outbox.list(request.query, principalOf(request)),
  );

  server.get(
    '/api/v1/outbox/health',
    forOperators({
      summary: 'Get the health of the outbox',
      description: 'The number of pending, retrying and failed events, and how long the oldest has waited.',
      response: { 200: contract.outboxHealth },
    }),
    () => outbox.health(),
  );

  server.get(
    '/api/v1/outbox/events/:id',
    forOperators({
      errors: ['E_NOT_FOUND'],
      summary: 'Get an outbox event',
      description: 'Includes its delivery to each subscriber. Only admins see the payload and error texts.',
      params: byId,
      response: { 200: contract.outboxEventWithDeliveries },
    }),
    (request) => outbox.get(request.params.id, principalOf(request)),
  );

  server.post(
    '/api/v1/outbox/events/:id/retry',
    forOperators({
      errors: ['E_NOT_FOUND', 'E_INVALID_STATE'],
      summary: 'Retry a failed event',
      description: 'Sets the event to pending with its full number of attempts.',
      params: byId,
      response: { 200: contract.outboxEventWithDeliveries },
    }),
    (request) => outbox.retry(request.params.id, principalOf(request), actorOf(request)),
  );
}
