import { z } from 'zod';
import * as contract from '../../contract/rules.ts';
import { answer, id, listOf, listQuery } from '../../contract/wire.ts';
import { data } from '../../http/answers.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { readAgain } from '../../http/repeats.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { RuleRuns } from './runs.ts';

const byId = z.object({ id });
const forViewers = routeOptions({ access: 'viewer', feature: 'media', tags: ['Rules'] });

export function registerRunRoutes(api: HttpServer, runs: RuleRuns): void {
  api.post(
    '/rules/:id/run',
    forViewers({
      errors: ['E_NOT_FOUND', 'E_INVALID_STATE'],
      repeat: readAgain(({ made, principal }) => data(runs.get(principal, String(made.id)))),
      operationId: 'runRule',
      summary: 'Run a rule',
      description:
        'Queues a job that applies the rule, as it is now, to everything that matches. It may be disabled. A dry run lists ' +
        'what would change. A rule has one run at a time.',
      params: byId,
      body: contract.runRule,
      response: { 202: answer(contract.ruleRun) },
    }),
    async (request, reply) => {
      const { dry_run = false } = request.body;
      const run = await runs.start(principalOf(request), request.params.id, dry_run, actorOf(request));
      return reply.status(202).send({ data: run });
    },
  );

  api.get(
    '/rules/runs',
    forViewers({
      operationId: 'listRuleRuns',
      summary: 'List the runs of your rules',
      description: 'Newest first, also of rules that were deleted. Runs are kept for 90 days.',
      querystring: contract.ruleRunsQuery,
      response: { 200: listOf(contract.ruleRun) },
    }),
    (request) => runs.list(principalOf(request), request.query),
  );

  api.get(
    '/rules/runs/:id',
    forViewers({
      errors: ['E_NOT_FOUND'],
      operationId: 'getRuleRun',
      summary: 'Get a run of a rule',
      description: 'Its status and its counts. Runs are kept for 90 days.',
      params: byId,
      response: { 200: answer(contract.ruleRun) },
    }),
    (request) => data(runs.get(principalOf(request), request.params.id)),
  );

  api.get(
    '/rules/runs/:id/items',
    forViewers({
      errors: ['E_NOT_FOUND'],
      operationId: 'listRuleRunItems',
      summary: 'List what a run changed',
      description: 'One item for each media that matched and that the caller can read now.',
      params: byId,
      querystring: listQuery,
      response: { 200: listOf(contract.ruleRunItem) },
    }),
    (request) => runs.items(principalOf(request), request.params.id, request.query),
  );

  api.post(
    '/rules/runs/:id/cancel',
    forViewers({
      errors: ['E_NOT_FOUND'],
      repeat: readAgain(({ params, principal }) => data(runs.get(principal, params.id))),
      operationId: 'cancelRuleRun',
      summary: 'Cancel a run of a rule',
      description: 'What it changed stays, and can be undone. A run that is over does not change.',
      params: byId,
      response: { 200: answer(contract.ruleRun) },
    }),
    (request) => data(runs.cancel(principalOf(request), request.params.id, actorOf(request))),
  );

  api.post(
    '/rules/runs/:id/undo',
    forViewers({
      errors: ['E_NOT_FOUND', 'E_INVALID_STATE'],
      repeat: readAgain(({ params, principal }) => data(runs.get(principal, params.id))),
      operationId: 'undoRuleRun',
      summary: 'Undo a run of a rule',
      description:
        'Queues a job that takes back what the run changed and nobody has changed since. Undoing it again changes nothing.',
      params: byId,
      response: { 202: answer(contract.ruleRun) },
    }),
    async (request, reply) => {
      const run = await runs.undo(principalOf(request), request.params.id, actorOf(request));
      return reply.status(202).send({ data: run });
    },
  );
}
