import { z } from 'zod';
import { id, page, text, timestamp } from './wire.ts';

export const JOB_STATUSES = ['queued', 'running', 'retry_wait', 'succeeded', 'failed', 'cancelled'] as const;
export const jobStatus = z.enum(JOB_STATUSES);
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

/** A job in a list. */
export const jobSummary = z.object({
  job_id: id,
  job_type: z.string(),
  status: jobStatus,
  queue: z.string(),
  priority: z.number().int(),
  execution_mode: executionMode,
  attempt_count: z.number().int(),
  max_attempts: z.number().int(),
  created_by: z.string().nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type JobSummary = z.output<typeof jobSummary>;

export const job = jobSummary.extend({
  payload: json,
  result: json,
  progress: json.nullable(),
  error_text: z.string().nullable(),
  error_code: z.string().nullable(),
  idempotency_key: z.string().nullable(),
  request_id: z.string().nullable(),
  next_run_at: timestamp,
  lease_owner: z.string().nullable(),
  lease_expires_at: timestamp.nullable(),
  attempts: z.array(jobAttempt),
  artifacts: z.array(jobArtifact),
});
export type Job = z.output<typeof job>;

export const jobList = z.object({ jobs: z.array(jobSummary), page });

export const jobQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  cursor: z.string().max(500).optional(),
  status: jobStatus.optional(),
  job_type: text(1, 64).optional(),
  queue: text(1, 64).optional(),
  created_by: text(1, 128).optional(),
  created_after: timestamp.optional(),
  created_before: timestamp.optional(),
});

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

export const workerList = z.object({ workers: z.array(worker) });

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

export const jobStats = z.object({ queues: z.array(queueStats) });
