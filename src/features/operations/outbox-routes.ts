import { z } from 'zod';
import * as contract from '../../contract/events.ts';
import { id } from '../../contract/wire.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import type { OutboxOperations } from './outbox.ts';

const byId = z.object({ id });
const tags = ['Outbox'];
const config = { access: 'operator', feature: 'outbox' } as const;

export function registerOutboxRoutes(server: HttpServer, outbox: OutboxOperations): void {
  server.get(
    '/api/v1/outbox/events',
    {
      config,
      schema: {
        tags,
        summary: 'List events, for operators',
        description: 'Newest first, with what became of each. Payloads and error texts are for admins.',
        querystring: contract.outboxQuery,
        response: { 200: contract.outboxEventList },
      },
    },
    (request) => outbox.list(request.query, principalOf(request)),
  );

  server.get(
    '/api/v1/outbox/health',
    {
      config,
      schema: {
        tags,
        summary: 'Backlog of events',
        description: 'How many wait, are tried again or have failed, and how long the oldest has waited.',
        response: { 200: contract.outboxHealth },
      },
    },
    () => outbox.health(),
  );

  server.get(
    '/api/v1/outbox/events/:id',
    {
      config: { ...config, errors: ['E_NOT_FOUND'] },
      schema: {
        tags,
        summary: 'Read an event, as an operator',
        description: 'With what each subscriber made of it. The payload and error texts are for admins.',
        params: byId,
        response: { 200: contract.outboxEventWithDeliveries },
      },
    },
    (request) => outbox.get(request.params.id, principalOf(request)),
  );

  server.post(
    '/api/v1/outbox/events/:id/retry',
    {
      config: { ...config, errors: ['E_NOT_FOUND', 'E_INVALID_STATE'] },
      schema: {
        tags,
        summary: 'Deliver a failed event again',
        description: 'It is pending again, with all its attempts before it.',
        params: byId,
        response: { 200: contract.outboxEventWithDeliveries },
      },
    },
    (request) => outbox.retry(request.params.id, principalOf(request), actorOf(request)),
  );
}
