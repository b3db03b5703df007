import { z } from 'zod';
import { cursor, id, listOf, text, timestamp } from './wire.ts';

export const jobStatus = z.enum(['queued', 'running', 'retry_wait', 'succeeded', 'failed', 'cancelled']);
export type JobStatus = z.infer<typeof jobStatus>;

export const executionMode = z.enum(['async', 'sync', 'shadow']);

const json = z.record(z.string(), z.unknown());

export const jobAttempt = z.object({
  attempt_number: z.number().int(),
  status: z.enum(['running', 'succeeded', 'failed', 'interrupted']),
  error_text: z.string().nullable(),
  error_code: z.string().nullable(),
  worker: z.string().nullable(),
  runtime_ms: z.number().int().nullable(),
  due_at: timestamp
    .nullable()
    .describe('The earliest time at which it could have started; null when unknown.'),
  started_at: timestamp,
  finished_at: timestamp.nullable(),
});
export type JobAttempt = z.output<typeof jobAttempt>;

export const jobArtifact = z.object({
  artifact_type: z.string(),
  artifact_ref: z.string().nullable(),
  artifact_payload: json,
  created_at: timestamp,
});
export type JobArtifact = z.output<typeof jobArtifact>;

/** A job as lists show it. */
export const jobSummary = z.object({
  job_id: id,
  job_type: z.string(),
  status: jobStatus,
  queue: z.string(),
  priority: z.number().int(),
  execution_mode: executionMode,
  attempt_count: z.number().int(),
  max_attempts: z.number().int(),
  error_text: z.string().nullable(),
  error_code: z.string().nullable(),
  created_by: z.string().nullable().describe('The username at the time of creation.'),
  created_by_user_id: id.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type JobSummary = z.output<typeof jobSummary>;

export const job = jobSummary.extend({
  payload: json,
  result: json,
  progress: json.nullable(),
  source_url: z
    .string()
    .nullable()
    .describe('The address that the job fetches. Null when there is none, and for operators.'),
  idempotency_key: z.string().nullable(),
  request_id: z.string().nullable(),
  next_run_at: timestamp,
  lease_owner: z.string().nullable(),
  lease_expires_at: timestamp.nullable(),
  attempts: z.array(jobAttempt),
  artifacts: z.array(jobArtifact),
});
export type Job = z.output<typeof job>;

/** The fields for repeated requests while a job runs, without payload and result, which may be megabytes. */
export const jobProgress = job.pick({
  job_id: true,
  job_type: true,
  status: true,
  progress: true,
  error_text: true,
  error_code: true,
  created_by: true,
  created_by_user_id: true,
});
export type JobProgress = z.output<typeof jobProgress>;

export const jobList = listOf(jobSummary).extend({
  jobs: z.array(jobSummary).describe('The same as `data`.'),
});

const jobFilter = {
  status: jobStatus.optional().describe('Only jobs with this status.'),
  job_type: text(1, 64).optional().describe('Only jobs of this type.'),
  queue: text(1, 64).optional().describe('Only jobs of this queue.'),
  created_by: text(1, 128).optional().describe('Only jobs of this username.'),
  created_after: timestamp.optional().describe('Only jobs created after this time.'),
  created_before: timestamp.optional().describe('Only jobs created before this time.'),
  error: text(1, 200)
    .optional()
    .describe(
      "A part of the last error's text, ignoring case. Callers below admin find only their own jobs.",
    ),
  error_code: text(1, 64).optional().describe('Only jobs whose last error has this code.'),
  failure_id: z
    .guid()
    .optional()
    .describe('A group of `GET /api/v1/jobs/failures`. Callers below admin find only their own jobs.'),
};

export const jobQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(100).describe('Jobs per page, at most.'),
  cursor: cursor.optional(),
  ...jobFilter,
});

/** The jobs to act on: a list of ids, or all jobs that match a filter. */
export const jobSelection = z
  .strictObject({
    job_ids: z.array(id).min(1).max(1000).optional(),
    filter: z
      .strictObject(jobFilter)
      .refine((filter) => Object.keys(filter).length > 0, 'must have at least one condition')
      .optional(),
    cursor: cursor.optional(),
  })
  .refine(
    ({ job_ids, filter, cursor }) =>
      (job_ids === undefined) !== (filter === undefined) && (cursor === undefined || filter !== undefined),
    'must have either job_ids, or filter and optionally cursor',
  );
export type JobSelection = z.output<typeof jobSelection>;

export const jobsChanged = z.object({
  changed: z.int(),
  unchanged: z.int().describe('Jobs whose status did not allow the action.'),
  not_found: z.int(),
  next_cursor: z
    .string()
    .nullable()
    .describe('Continues with more jobs of the filter; null when all are done.'),
});
export type JobsChanged = z.output<typeof jobsChanged>;

const MINUTES_PER_WEEK = 10_080;

export const failureQuery = z.object({
  minutes: z.coerce
    .number()
    .int()
    .min(1)
    .max(MINUTES_PER_WEEK)
    .default(1440)
    .describe('How far back to look.'),
  job_type: text(1, 64).optional().describe('Only jobs of this type.'),
  queue: text(1, 64).optional().describe('Only jobs of this queue.'),
});

/** Jobs of one type that failed with one code and, for admins, with the same error text apart from ids and numbers. */
export const jobFailure = z.object({
  failure_id: z
    .guid()
    .nullable()
    .describe('Identifies the code and the text; jobs of several types may share it. Null for operators.'),
  job_type: z.string(),
  error_code: z.string().nullable(),
  error_text: z.string().nullable().describe('The error text of the latest failure. Null for operators.'),
  failed_count: z.int(),
  retrying_count: z.int().describe('Jobs that are being retried or wait for a retry.'),
  first_seen_at: timestamp,
  last_seen_at: timestamp,
  sample_job_ids: z.array(id),
});
export type JobFailure = z.output<typeof jobFailure>;

export const jobFailureList = listOf(jobFailure).extend({ since: timestamp });

export const throughputQuery = z.object({
  minutes: z.coerce.number().int().min(1).max(1440).default(60).describe('How far back to look.'),
});

/** Figures over finished attempts: their number, the failed ones, the wait for a worker, and the run time. */
const figures = {
  finished: z.int(),
  failed: z.int(),
  wait_p50_ms: z.int(),
  wait_p95_ms: z.int(),
  run_p50_ms: z.int(),
  run_p95_ms: z.int(),
};

export const throughputBucket = z.object({ at: timestamp, ...figures });
export type ThroughputBucket = z.output<typeof throughputBucket>;

export const queueThroughput = z.object({
  queue: z.string(),
  ...figures,
  buckets: z.array(throughputBucket),
});
export type QueueThroughput = z.output<typeof queueThroughput>;

/** The first and the last bucket are incomplete: `since` and `until` lie inside them. */
export const throughput = z.object({
  since: timestamp,
  until: timestamp,
  bucket_seconds: z.int(),
  queues: z.array(queueThroughput),
});
export type Throughput = z.output<typeof throughput>;

export const worker = z.object({
  id,
  name: z.string(),
  queues: z.array(z.string()),
  concurrency: z.number().int(),
  running_count: z.number().int(),
  started_at: timestamp,
  heartbeat_at: timestamp,
  lease_expires_at: timestamp,
});
export type Worker = z.output<typeof worker>;

export const submitJob = z.strictObject({
  job_type: text(1, 64),
  payload: json.default({}),
  execution_mode: executionMode.default('async'),
  idempotency_key: text(1, 128).optional(),
  max_attempts: z.number().int().min(1).max(10).default(3),
  priority: z.number().int().min(0).max(9).optional(),
  run_at: timestamp.optional(),
});

export const submittedJob = z.object({
  job_id: id,
  status: jobStatus,
  job_type: z.string(),
  execution_mode: executionMode,
});

export const queueStats = z.object({
  queue: z.string(),
  queued: z.number().int(),
  running: z.number().int(),
  retry_wait: z.number().int(),
  oldest_due_seconds: z.number(),
});
export type QueueStats = z.output<typeof queueStats>;
