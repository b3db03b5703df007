import { z } from 'zod';
import * as contract from '../../contract/analysis.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { answer, id, listOf } from '../../contract/wire.ts';
import { data } from '../../http/answers.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { type Repeated, readAgain } from '../../http/repeats.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { Runs } from './runs.ts';

type AnalyzeRequest = z.output<typeof contract.analyze>;
const byId = z.object({ id });
const forOperators = routeOptions({ access: 'operator', feature: 'analysis.submit', tags: ['Analysis'] });
const forViewers = routeOptions({ access: 'viewer', feature: 'analysis', tags: ['Analysis'] });
const RUN_ERRORS: ErrorCode[] = [
  'E_NOT_FOUND',
  'E_MODE_FORBIDDEN',
  'E_GOVERNANCE_BLOCKED',
  'E_TEXT_TOO_COSTLY',
];

export function registerAnalysisRoutes(api: HttpServer, runs: Runs, profiles: contract.AnalysisProfiles) {
  api.post(
    '/analyze',
    forOperators({
      errors: [
        'E_ASYNC_DISABLED',
        'E_SHADOW_DISABLED',
        'E_MODE_FORBIDDEN',
        'E_GOVERNANCE_BLOCKED',
        'E_MEDIA_NOT_FOUND',
        'E_INVALID_STATE',
      ],
      repeat: readAgain(({ body, made, principal, actor }: Repeated<unknown, AnalyzeRequest>) =>
        data(runs.getSubmitted(String(made.job_id), body, { principal, actor })),
      ),
      operationId: 'analyzeMedia',
      summary: 'Analyse a document',
      description:
        'Runs immediately and returns the run; with execution_mode async or shadow it is enqueued. A failed run has its error.',
      body: contract.analyze,
      response: { 200: answer(contract.analyzeAnswer), 202: answer(contract.analyzeAnswer) },
    }),
    async (request, reply) => {
      const submitted = await runs.submit(request.body, principalOf(request), actorOf(request));
      return reply.status(request.body.execution_mode === 'sync' ? 200 : 202).send({ data: submitted });
    },
  );

  api.get(
    '/analysis/profiles',
    forViewers({
      operationId: 'listAnalysisProfiles',
      summary: 'List profiles',
      description: 'Lists the plugins of each profile, and whether they are configured.',
      response: { 200: answer(contract.analysisProfiles) },
    }),
    () => ({ data: profiles }),
  );

  api.get(
    '/analysis/runs',
    forViewers({
      errors: ['E_MEDIA_NOT_FOUND'],
      operationId: 'listAnalysisRuns',
      summary: 'List the runs of a document',
      description: 'Newest first, without their findings.',
      querystring: contract.analysisRunQuery,
      response: { 200: listOf(contract.analysisRunSummary) },
    }),
    (request) => runs.list(principalOf(request), request.query),
  );

  api.get(
    '/analysis/runs/:id',
    forViewers({
      errors: RUN_ERRORS,
      operationId: 'getAnalysisRun',
      summary: 'Get a run',
      description: 'Returns its layers with findings, confidence and provider.',
      params: byId,
      response: { 200: answer(contract.analysisRun) },
    }),
    (request) => data(runs.get(principalOf(request), request.params.id, actorOf(request))),
  );

  api.get(
    '/analysis/runs/:id/shadow',
    forViewers({
      errors: RUN_ERRORS,
      operationId: 'compareAnalysisWithShadow',
      summary: 'Compare a run with its shadow',
      description: 'Returns agreement, differences, confidence and runtime for each layer.',
      params: byId,
      response: { 200: answer(contract.shadowAnswer) },
    }),
    (request) => data(runs.shadow(principalOf(request), request.params.id, actorOf(request))),
  );
}
