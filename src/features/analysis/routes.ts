import { z } from 'zod';
import * as contract from '../../contract/analysis.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { id } from '../../contract/wire.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import type { Profiles } from './profiles.ts';
import type { Runs } from './runs.ts';
import type { SubmitAnalysis } from './submit-analysis.ts';

const byId = z.object({ id });
const tags = ['Analysis'];
const READING = { access: 'viewer', feature: 'analysis' } as const;
const RUN_ERRORS: ErrorCode[] = [
  'E_NOT_FOUND',
  'E_MODE_FORBIDDEN',
  'E_GOVERNANCE_BLOCKED',
  'E_TEXT_TOO_COSTLY',
];

export interface AnalysisRoutes {
  analyze: SubmitAnalysis;
  analysisProfiles: Profiles;
  analysisRuns: Runs;
}

export function registerAnalysisRoutes(
  server: HttpServer,
  { analyze, analysisProfiles, analysisRuns }: AnalysisRoutes,
): void {
  server.post(
    '/api/v1/analyze',
    {
      config: {
        access: 'operator',
        feature: 'analysis.submit',
        errors: [
          'E_ASYNC_DISABLED',
          'E_SHADOW_DISABLED',
          'E_MODE_FORBIDDEN',
          'E_GOVERNANCE_BLOCKED',
          'E_MEDIA_NOT_FOUND',
          'E_INVALID_STATE',
        ],
      },
      schema: {
        tags,
        summary: 'Analyse a document',
        description:
          'At once, and answers with the run; with execution_mode async or shadow it is queued. A run that failed says why.',
        body: contract.analyze,
        response: { 200: contract.analyzeAnswer },
      },
    },
    (request) => analyze(request.body, principalOf(request), actorOf(request)),
  );

  server.get(
    '/api/v1/analysis/profiles',
    {
      config: READING,
      schema: {
        tags,
        summary: 'List profiles',
        description: 'Who analyses in each, and whether they are set up.',
        response: { 200: contract.analysisProfiles },
      },
    },
    () => analysisProfiles(),
  );

  server.get(
    '/api/v1/analysis/runs',
    {
      config: { ...READING, errors: ['E_MEDIA_NOT_FOUND'] },
      schema: {
        tags,
        summary: 'List the runs of a document',
        description: 'Newest first, without what they found.',
        querystring: contract.analysisRunQuery,
        response: { 200: contract.analysisRunList },
      },
    },
    (request) => analysisRuns.list(principalOf(request), request.query),
  );

  server.get(
    '/api/v1/analysis/runs/:id',
    {
      config: { ...READING, errors: RUN_ERRORS },
      schema: {
        tags,
        summary: 'Read a run',
        description: 'Its layers, with what was found and where, how far to trust it, and who says so.',
        params: byId,
        response: { 200: contract.analysisRun },
      },
    },
    (request) => analysisRuns.get(principalOf(request), request.params.id, actorOf(request)),
  );

  server.get(
    '/api/v1/analysis/runs/:id/shadow',
    {
      config: { ...READING, errors: RUN_ERRORS },
      schema: {
        tags,
        summary: 'Compare a run with its shadow',
        description: 'Layer by layer: how far they agree, where they differ, their confidence and time.',
        params: byId,
        response: { 200: contract.shadowAnswer },
      },
    },
    (request) => analysisRuns.shadow(principalOf(request), request.params.id, actorOf(request)),
  );
}
