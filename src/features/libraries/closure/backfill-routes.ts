import * as contract from '../../../contract/libraries.ts';
import { actorOf, principalOf } from '../../../http/authentication.ts';
import type { HttpServer } from '../../../http/http-server.ts';
import { routeOptions } from '../../../http/route-options.ts';
import type { Backfill } from './backfill.ts';

const requeue = 'From any state but running, back to pending with all attempts before it, and dispatched.';
const health = 'How many wait, for how long, and whether that is beyond the guardrails.';
const forInternal = routeOptions({ access: 'internal', tags: ['Backfills'] });
const forOperators = routeOptions({ access: 'operator', feature: 'backfills', tags: ['Backfills'] });

/** Programs inside the installation use /internal; operators and the console use /api/v1. */
export function registerBackfillRoutes(server: HttpServer, backfill: Backfill): void {
  server.post(
    '/internal/libraries/backfill-jobs/requeue',
    forInternal({
      errors: ['E_NOT_FOUND'],
      summary: 'Requeue a backfill',
      description: requeue,
      body: contract.backfillKey,
      response: { 200: contract.requeuedBackfillJobAnswer },
    }),
    async (request) => ({
      data: await backfill.requeue(request.body, { name: 'internal', requestId: request.id }),
    }),
  );

  server.get(
    '/internal/libraries/backfill-jobs/health',
    forInternal({
      summary: 'Backlog of backfills',
      description: health,
      response: { 200: contract.backfillHealthAnswer },
    }),
    async () => ({ data: await backfill.health() }),
  );

  server.get(
    '/api/v1/backfill-jobs',
    forOperators({
      summary: 'List backfills',
      description: 'Newest first. The name of a library is shown to its members and to admins.',
      querystring: contract.backfillJobQuery,
      response: { 200: contract.backfillJobList },
    }),
    (request) => backfill.list(request.query, principalOf(request)),
  );

  server.get(
    '/api/v1/backfill-jobs/health',
    forOperators({
      summary: 'Backlog of backfills, for operators',
      description: health,
      response: { 200: contract.backfillHealth },
    }),
    () => backfill.health(),
  );

  server.post(
    '/api/v1/backfill-jobs/requeue',
    forOperators({
      errors: ['E_NOT_FOUND'],
      summary: 'Requeue a backfill, as an operator',
      description: requeue,
      body: contract.backfillKey,
      response: { 200: contract.requeuedBackfillJob },
    }),
    (request) => backfill.requeue(request.body, actorOf(request)),
  );
}
