import { z } from 'zod';
import * as contract from '../../contract/jobs.ts';
import { integrityFindingList, integrityQuery } from '../../contract/operations.ts';
import { id } from '../../contract/wire.ts';
import { actorOf, principalOf } from '../../http/authentication.ts';
import type { HttpServer } from '../../http/http-server.ts';
import type { IntegrityFindings } from './integrity-audit.ts';
import type { Jobs } from './jobs.ts';

const byId = z.object({ job_id: id });
const tags = ['Jobs'];

/** Ten thousand links at their longest. Only operators get as far as sending a body. */
const LARGEST_SUBMISSION = 24 * 1024 * 1024;

export function registerJobRoutes(
  server: HttpServer,
  { jobs, integrityFindings }: { jobs: Jobs; integrityFindings: IntegrityFindings },
): void {
  server.post(
    '/api/v1/jobs/submit',
    {
      bodyLimit: LARGEST_SUBMISSION,
      config: {
        access: 'operator',
        feature: 'jobs.submit',
        errors: [
          'E_ASYNC_DISABLED',
          'E_SHADOW_DISABLED',
          'E_MODE_FORBIDDEN',
          'E_MEDIA_NOT_FOUND',
          'E_INVALID_STATE',
          'E_IDEMPOTENCY_CONFLICT',
        ],
      },
      schema: {
        tags,
        summary: 'Submit a job',
        description:
          'Queues it, or with execution_mode sync runs it at once, in one attempt, and answers with its final state. ' +
          'With shadow it is queued, and what it does is done a second time in another way, to be compared. ' +
          'Under an idempotency key that you used before, answers with the job that exists.',
        body: contract.submitJob,
        response: { 200: contract.submittedJob },
      },
    },
    (request) => jobs.submit(request.body, principalOf(request), actorOf(request)),
  );

  server.get(
    '/api/v1/jobs',
    {
      config: { access: 'viewer', feature: 'jobs' },
      schema: {
        tags,
        summary: 'List jobs',
        description: 'Newest first. Below operator, the public types.',
        querystring: contract.jobQuery,
        response: { 200: contract.jobList },
      },
    },
    (request) => jobs.list(request.query, principalOf(request)),
  );

  server.get(
    '/api/v1/jobs/stats',
    {
      config: { access: 'operator', feature: 'jobs.operate' },
      schema: {
        tags,
        summary: 'Queue statistics',
        description: 'What waits and runs in each queue, and how long the oldest has been due.',
        response: { 200: contract.jobStats },
      },
    },
    () => jobs.stats(),
  );

  server.get(
    '/api/v1/jobs/failures',
    {
      config: { access: 'operator', feature: 'jobs.operate' },
      schema: {
        tags,
        summary: 'Failures by what went wrong',
        description:
          'Jobs whose last attempt in the last `minutes` (1440) did not succeed, grouped by type and code, and for ' +
          'admins by words. A type with a `failure_id`, or with a code, as filters of the list, shows the jobs of a group.',
        querystring: contract.failureQuery,
        response: { 200: contract.jobFailures },
      },
    },
    (request) => jobs.failures(request.query, principalOf(request)),
  );

  server.get(
    '/api/v1/jobs/throughput',
    {
      config: { access: 'operator', feature: 'jobs.operate' },
      schema: {
        tags,
        summary: 'Throughput and latency',
        description: 'Of the attempts that ended in the last `minutes` (60), for each queue.',
        querystring: contract.throughputQuery,
        response: { 200: contract.throughput },
      },
    },
    (request) => jobs.throughput(request.query),
  );

  server.post(
    '/api/v1/jobs/cancel',
    {
      config: { access: 'operator', feature: 'jobs.operate' },
      schema: {
        tags,
        summary: 'Cancel many jobs',
        description:
          'Those with these ids, or those that match the filter and are not over: 10,000 at a time, from the newest ' +
          'on; `page` says where to go on.',
        body: contract.jobSelection,
        response: { 200: contract.bulkOutcome },
      },
    },
    (request) => jobs.cancelMany(request.body, principalOf(request), actorOf(request)),
  );

  server.post(
    '/api/v1/jobs/requeue',
    {
      config: { access: 'operator', feature: 'jobs.operate' },
      schema: {
        tags,
        summary: 'Queue many jobs again',
        description:
          'Those with these ids, or those that match the filter and have failed (or, when it says so, were ' +
          'cancelled): 10,000 at a time, from the newest on; `page` says where to go on.',
        body: contract.jobSelection,
        response: { 200: contract.bulkOutcome },
      },
    },
    (request) => jobs.requeueMany(request.body, principalOf(request), actorOf(request)),
  );

  server.get(
    '/api/v1/jobs/:job_id/progress',
    {
      config: { access: 'viewer', feature: 'jobs', errors: ['E_NOT_FOUND'] },
      schema: {
        tags,
        summary: 'How far a job is',
        description: 'Without payload, result and artifacts: small enough to be asked again and again.',
        params: byId,
        response: { 200: contract.jobProgress },
      },
    },
    (request) => jobs.progress(request.params.job_id, principalOf(request)),
  );

  server.get(
    '/api/v1/jobs/:job_id',
    {
      config: { access: 'viewer', feature: 'jobs', errors: ['E_NOT_FOUND'] },
      schema: {
        tags,
        summary: 'Read a job',
        description:
          'With its attempts. Payload, result, progress, error texts and artifacts are shown to its owner and admins.',
        params: byId,
        response: { 200: contract.job },
      },
    },
    (request) => jobs.get(request.params.job_id, principalOf(request)),
  );

  server.get(
    '/api/v1/jobs/:job_id/findings',
    {
      config: { access: 'operator', feature: 'jobs.operate', errors: ['E_NOT_FOUND'] },
      schema: {
        tags,
        summary: 'What an integrity audit found',
        description:
          'All of it, by kind, for whoever started the audit and for admins; the job’s result has the first of each.',
        params: byId,
        querystring: integrityQuery,
        response: { 200: integrityFindingList },
      },
    },
    (request) => integrityFindings.list(request.params.job_id, request.query, principalOf(request)),
  );

  server.post(
    '/api/v1/jobs/:job_id/cancel',
    {
      config: { access: 'operator', feature: 'jobs.operate', errors: ['E_NOT_FOUND'] },
      schema: {
        tags,
        summary: 'Cancel a job',
        description: 'A running one is told to stop; a finished one stays as it is.',
        params: byId,
        response: { 200: contract.job },
      },
    },
    (request) => jobs.cancel(request.params.job_id, principalOf(request), actorOf(request)),
  );

  server.post(
    '/api/v1/jobs/:job_id/requeue',
    {
      config: { access: 'operator', feature: 'jobs.operate', errors: ['E_NOT_FOUND', 'E_INVALID_STATE'] },
      schema: {
        tags,
        summary: 'Queue a job again',
        description: 'A failed or cancelled one, with all its attempts before it.',
        params: byId,
        response: { 200: contract.job },
      },
    },
    (request) => jobs.requeue(request.params.job_id, principalOf(request), actorOf(request)),
  );

  server.get(
    '/api/v1/workers',
    {
      config: { access: 'operator', feature: 'jobs.operate' },
      schema: {
        tags,
        summary: 'List workers',
        description: 'Those that are alive, by their heartbeat.',
        response: { 200: contract.workerList },
      },
    },
    () => jobs.workers(),
  );
}
