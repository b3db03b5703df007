import { z } from 'zod';
import { jobSubmission } from '../../contract/job-payloads.ts';
import * as contract from '../../contract/jobs.ts';
import { integrityFinding, integrityQuery } from '../../contract/operations.ts';
import { answer, id, listOf } from '../../contract/wire.ts';
import { data, list } from '../../http/answers.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import { readAgain, repeatStored } from '../../http/repeats.ts';
import { routeOptions } from '../../http/route-options.ts';
import type { IntegrityFindings } from './integrity-audit.ts';
import type { Jobs } from './jobs.ts';

const byId = z.object({ job_id: id });
const forSubmitters = routeOptions({ access: 'operator', feature: 'jobs.submit', tags: ['Jobs'] });
const forViewers = routeOptions({ access: 'viewer', feature: 'jobs', tags: ['Jobs'] });
const forOperators = routeOptions({ access: 'operator', feature: 'jobs.operate', tags: ['Jobs'] });

/** Enough for ten thousand links of maximum length. Only operators can send a body to this route. */
const MAX_SUBMISSION_BYTES = 24 * 1024 * 1024;

export function registerJobRoutes(
  api: HttpServer,
  { jobs, integrityFindings }: { jobs: Jobs; integrityFindings: IntegrityFindings },
): void {
  api.post(
    '/jobs/submit',
    {
      bodyLimit: MAX_SUBMISSION_BYTES,
      ...forSubmitters({
        errors: [
          'E_ASYNC_DISABLED',
          'E_SHADOW_DISABLED',
          'E_MODE_FORBIDDEN',
          'E_MEDIA_NOT_FOUND',
          'E_INVALID_STATE',
          'E_IDEMPOTENCY_CONFLICT',
        ],
        repeat: readAgain(({ made, principal }) => jobs.getSubmitted(String(made.job_id), principal)),
        operationId: 'submitJob',
        summary: 'Submit a job',
        description:
          'Queues the job. With execution_mode `sync`, runs it immediately in one attempt and returns its final state. ' +
          'With `shadow`, queues it together with a second run under another profile, so that both can be compared. ' +
          'If you used the idempotency key before, returns the existing job.',
        describedBody: jobSubmission,
        body: contract.submitJob,
        response: { 200: contract.submittedJob },
      }),
    },
    (request) => jobs.submit(request.body, principalOf(request), actorOf(request)),
  );

  api.get(
    '/jobs',
    forViewers({
      operationId: 'listJobs',
      summary: 'List jobs',
      description: 'Newest first. Callers below operator see only the public job types.',
      querystring: contract.jobQuery,
      response: { 200: contract.jobList },
    }),
    (request) => jobs.list(request.query, principalOf(request)),
  );

  api.get(
    '/jobs/stats',
    forOperators({
      operationId: 'getJobStats',
      summary: 'Queue statistics',
      description:
        'The number of waiting and running jobs of each queue, and how long the oldest has been due.',
      response: { 200: listOf(contract.queueStats) },
    }),
    () => list(jobs.stats()),
  );

  api.get(
    '/jobs/failures',
    forOperators({
      operationId: 'listJobFailures',
      summary: 'List failures by cause',
      description:
        'Jobs whose last attempt failed in the last `minutes`, grouped by type and error code, and for ' +
        'admins also by error text. To list the jobs of a group, filter jobs by type and `failure_id` or error code.',
      querystring: contract.failureQuery,
      response: { 200: contract.jobFailureList },
    }),
    (request) => jobs.failures(request.query, principalOf(request)),
  );

  api.get(
    '/jobs/throughput',
    forOperators({
      operationId: 'getThroughput',
      summary: 'Throughput and latency',
      description: 'Figures of the attempts that ended in the last `minutes`, for each queue.',
      querystring: contract.throughputQuery,
      response: { 200: answer(contract.throughput) },
    }),
    (request) => data(jobs.throughput(request.query)),
  );

  api.post(
    '/jobs/cancel',
    forOperators({
      repeat: repeatStored(),
      operationId: 'cancelJobs',
      summary: 'Cancel many jobs',
      description:
        'Cancels the jobs with the given ids, or all unfinished jobs that match the filter: up to 10,000 per ' +
        'request, newest first. Continue with `next_cursor`.',
      body: contract.jobSelection,
      response: { 200: answer(contract.jobsChanged) },
    }),
    (request) => data(jobs.changeMany('cancel', request.body, principalOf(request), actorOf(request))),
  );

  api.post(
    '/jobs/requeue',
    forOperators({
      repeat: repeatStored(),
      operationId: 'requeueJobs',
      summary: 'Requeue many jobs',
      description:
        'Requeues the jobs with the given ids, or all failed jobs that match the filter (cancelled jobs, if the ' +
        'filter has that status): up to 10,000 per request, newest first. Continue with `next_cursor`.',
      body: contract.jobSelection,
      response: { 200: answer(contract.jobsChanged) },
    }),
    (request) => data(jobs.changeMany('requeue', request.body, principalOf(request), actorOf(request))),
  );

  api.get(
    '/jobs/:job_id/progress',
    forViewers({
      errors: ['E_NOT_FOUND'],
      operationId: 'getJobProgress',
      summary: 'Get the progress of a job',
      description: 'A small response without payload, result and artifacts, for repeated requests.',
      params: byId,
      response: { 200: answer(contract.jobProgress) },
    }),
    (request) => data(jobs.progress(request.params.job_id, principalOf(request))),
  );

  api.get(
    '/jobs/:job_id',
    forViewers({
      errors: ['E_NOT_FOUND'],
      operationId: 'getJob',
      summary: 'Get a job',
      description:
        'Includes its attempts. Only its creator and admins see payload, result, progress, error texts and artifacts; only ' +
        'its creator sees what an import says about its links.',
      params: byId,
      response: { 200: contract.job },
    }),
    (request) => jobs.get(request.params.job_id, principalOf(request)),
  );

  api.get(
    '/jobs/:job_id/findings',
    forOperators({
      errors: ['E_NOT_FOUND'],
      operationId: 'listIntegrityFindings',
      summary: 'List the findings of an integrity audit',
      description:
        'All findings, sorted by kind. Only the person who started the audit and admins can see them. The result of ' +
        'the job contains the first findings of each kind.',
      params: byId,
      querystring: integrityQuery,
      response: { 200: listOf(integrityFinding) },
    }),
    (request) => integrityFindings.list(request.params.job_id, request.query, principalOf(request)),
  );

  api.post(
    '/jobs/:job_id/cancel',
    forOperators({
      errors: ['E_NOT_FOUND'],
      repeat: readAgain<{ job_id: string }>(({ params, principal }) => jobs.get(params.job_id, principal)),
      operationId: 'cancelJob',
      summary: 'Cancel a job',
      description: 'A running job is asked to stop. A finished job does not change.',
      params: byId,
      response: { 200: contract.job },
    }),
    (request) => jobs.cancel(request.params.job_id, principalOf(request), actorOf(request)),
  );

  api.post(
    '/jobs/:job_id/requeue',
    forOperators({
      errors: ['E_NOT_FOUND', 'E_INVALID_STATE'],
      repeat: readAgain<{ job_id: string }>(({ params, principal }) => jobs.get(params.job_id, principal)),
      operationId: 'requeueJob',
      summary: 'Requeue a job',
      description: 'Requeues a failed or cancelled job with its full number of attempts.',
      params: byId,
      response: { 200: contract.job },
    }),
    (request) => jobs.requeue(request.params.job_id, principalOf(request), actorOf(request)),
  );

  api.get(
    '/workers',
    forOperators({
      operationId: 'listWorkers',
      summary: 'List workers',
      description: 'Workers with a current heartbeat.',
      response: { 200: listOf(contract.worker) },
    }),
    () => list(jobs.workers()),
  );
}
