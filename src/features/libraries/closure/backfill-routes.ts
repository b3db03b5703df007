import * as contract from '../../../contract/libraries.ts';
import { answer, listOf } from '../../../contract/wire.ts';
import { data } from '../../../http/answers.ts';
import { actorOf, principalOf } from '../../../http/authentication.ts';
import type { HttpServer } from '../../../http/http-server.ts';
import { repeatStored } from '../../../http/repeats.ts';
import { routeOptions } from '../../../http/route-options.ts';
import type { Backfill } from './backfill.ts';

const requeue = 'From any state but running, back to pending with all attempts before it, and dispatched.';
const health = 'How many wait, for how long, and whether that is beyond the guardrails.';
const forInternal = routeOptions({ access: 'internal', tags: ['Backfills'] });
const forOperators = routeOptions({ access: 'operator', feature: 'backfills', tags: ['Backfills'] });

/** Programs inside the installation use /internal; operators and the console use /api/v1. */
export function registerBackfillRoutes(api: HttpServer, backfill: Backfill): void {
  api.post(
    '/internal/libraries/backfill-jobs/requeue',
    forInternal({
      errors: ['E_NOT_FOUND'],
      operationId: 'requeueBackfillInternally',
      summary: 'Requeue a backfill',
      description: requeue,
      body: contract.backfillKey,
      response: { 200: answer(contract.requeuedBackfillJob) },
    }),
    (request) => data(backfill.requeue(request.body, { name: 'internal', requestId: request.id })),
  );

  api.get(
    '/internal/libraries/backfill-jobs/health',
    forInternal({
      operationId: 'getBackfillHealthInternally',
      summary: 'Backlog of backfills',
      description: health,
      response: { 200: answer(contract.backfillHealth) },
    }),
    () => data(backfill.health()),
  );

  api.get(
    '/backfill-jobs',
    forOperators({
      operationId: 'listBackfills',
      summary: 'List backfills',
      description: 'Newest first. The name of a library is shown to its members and to admins.',
      querystring: contract.backfillJobQuery,
      response: { 200: listOf(contract.listedBackfillJob) },
    }),
    (request) => backfill.list(request.query, principalOf(request)),
  );

  api.get(
    '/backfill-jobs/health',
    forOperators({
      operationId: 'getBackfillHealth',
      summary: 'Backlog of backfills, for operators',
      description: health,
      response: { 200: answer(contract.backfillHealth) },
    }),
    () => data(backfill.health()),
  );

  api.post(
    '/backfill-jobs/requeue',
    forOperators({
      errors: ['E_NOT_FOUND'],
      repeat: repeatStored(),
      operationId: 'requeueBackfill',
      summary: 'Requeue a backfill, as an operator',
      description: requeue,
      body: contract.backfillKey,
      response: { 200: answer(contract.requeuedBackfillJob) },
    }),
    (request) => data(backfill.requeue(request.body, actorOf(request))),
  );
}
