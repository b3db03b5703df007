import { NexusError } from '../../../contract/errors.ts';
import type { Queryable, Transaction } from '../../database/database.ts';
import type { Statement } from '../../database/statement.ts';
import { newId } from '../../ids.ts';
import { currentTraceparent } from '../../telemetry/tracing.ts';
import type { Creator, JobType } from '../job-type.ts';

/** The topic of work that may be there; the subjects are queues. */
export const JOBS_QUEUED = 'jobs';

export interface EnqueueOptions {
  /** Unique for its creator and the job type. */
  idempotencyKey?: string | undefined;
  maxAttempts?: number | undefined;
  /** 0 to 9; higher goes first. */
  priority?: number | undefined;
  delaySeconds?: number | undefined;
  executionMode?: 'async' | 'sync' | 'shadow' | undefined;
  createdBy?: Creator | undefined;
  requestId?: string | undefined;
}

export interface NewJob<Payload = unknown> extends EnqueueOptions {
  /** A new id by default. */
  id?: string | undefined;
  type: JobType<Payload>;
  payload: Payload;
}

export interface Enqueued {
  id: string;
  /** False when a job with this idempotency key existed already; `id` is that job's. */
  created: boolean;
}

/** Enqueues many jobs in one statement, like `enqueue`. Returns them in the given order. */
export async function enqueueMany(tx: Transaction, jobs: NewJob[]): Promise<Enqueued[]> {
  const drafts = jobs.map((job) => ({
    ...job,
    id: job.id ?? newId(),
    payload: job.type.payload.parse(job.payload),
  }));
  tx.notifyAfterCommit(
    JOBS_QUEUED,
    drafts.map(({ type }) => type.queue),
  );
  const insertion = insertJobs(tx, drafts);
  if (drafts.every(({ idempotencyKey }) => idempotencyKey === undefined)) {
    tx.send(insertion);
    return drafts.map(({ id }) => ({ id, created: true }));
  }
  const inserted = new Set((await insertion).map(({ job_id }) => job_id));
  const existing = await findExisting(
    tx,
    drafts.filter(({ id }) => !inserted.has(id)),
  );
  return drafts.map((draft) => {
    if (inserted.has(draft.id)) return { id: draft.id, created: true };
    const found = existing.get(draft.id);
    if (!found) throw new Error(`The job ${draft.type.type} was neither inserted nor found.`);
    if (!found.is_same) throw idempotencyConflict(draft);
    return { id: found.id, created: false };
  });
}

/**
 * Adds work to the transaction of its cause: either both are committed, or neither is. An idempotency key that its creator
 * used before, for another payload or execution mode, is refused with E_IDEMPOTENCY_CONFLICT.
 */
export async function enqueue<Payload>(tx: Transaction, job: NewJob<Payload>): Promise<Enqueued> {
  const [enqueued] = await enqueueMany(tx, [job as NewJob]);
  if (!enqueued) throw new Error('enqueueMany returned nothing for the job that it was given.');
  return enqueued;
}

interface Draft extends NewJob {
  id: string;
}

/** Inserts the jobs and returns their ids. Of several submitters with one idempotency key, one inserts. */
function insertJobs(tx: Transaction, drafts: Draft[]): Statement<{ job_id: string }[]> {
  const column = <T>(read: (draft: Draft) => T) => drafts.map(read);
  const traceparent = currentTraceparent();
  return tx<{ job_id: string }[]>`
    with drafts as (
      select *
      from unnest(
        ${column(({ id }) => id)}::uuid[],
        ${column(({ type }) => type.type)}::text[],
        ${column(({ type }) => type.queue)}::text[],
        ${column(({ priority }) => priority ?? 5)}::smallint[],
        ${column(({ payload }) => JSON.stringify(payload))}::jsonb[],
        ${column(({ executionMode }) => executionMode ?? 'async')}::text[],
        ${column(({ idempotencyKey }) => idempotencyKey ?? null)}::text[],
        ${column(({ maxAttempts }) => maxAttempts ?? 3)}::smallint[],
        ${column(({ createdBy }) => createdBy?.name ?? null)}::text[],
        ${column(({ createdBy }) => createdBy?.userId ?? null)}::uuid[],
        ${column(({ requestId }) => requestId ?? null)}::text[],
        ${column(({ delaySeconds }) => delaySeconds ?? 0)}::float8[]
      ) as draft (
        id, job_type, queue, priority, payload, execution_mode, idempotency_key, max_attempts, created_by,
        created_by_user_id, request_id, delay_seconds
      )
    ),
    inserted as (
      insert into jobs (
        id, job_type, queue, priority, payload, execution_mode, idempotency_key, max_attempts, created_by,
        created_by_user_id, request_id, traceparent
      )
      select
        id, job_type, queue, priority, payload, execution_mode, idempotency_key, max_attempts, created_by,
        created_by_user_id, request_id, ${traceparent}::text
      from drafts
      on conflict (created_by_user_id, job_type, idempotency_key) where idempotency_key is not null do nothing
      returning id
    )
    insert into job_queue (job_id, queue, priority, due_at)
    select drafts.id, drafts.queue, drafts.priority, now() + drafts.delay_seconds * interval '1 second'
    from drafts
    join inserted on inserted.id = drafts.id
    returning job_id`;
}

interface ExistingJob {
  draft_id: string;
  id: string;
  is_same: boolean;
}

/** Finds the jobs that exist under the drafts' idempotency keys, by the id of the draft. */
async function findExisting(sql: Queryable, drafts: Draft[]): Promise<Map<string, ExistingJob>> {
  if (drafts.length === 0) return new Map();
  const rows = await sql<ExistingJob[]>`
    select
      wanted.draft_id, jobs.id,
      jobs.payload = wanted.payload and jobs.execution_mode = wanted.execution_mode as is_same
    from unnest(
      ${drafts.map(({ id }) => id)}::uuid[],
      ${drafts.map(({ createdBy }) => createdBy?.userId ?? null)}::uuid[],
      ${drafts.map(({ type }) => type.type)}::text[],
      ${drafts.map(({ idempotencyKey }) => idempotencyKey ?? null)}::text[],
      ${drafts.map(({ payload }) => JSON.stringify(payload))}::jsonb[],
      ${drafts.map(({ executionMode }) => executionMode ?? 'async')}::text[]
    ) as wanted (draft_id, created_by_user_id, job_type, idempotency_key, payload, execution_mode)
    join jobs
      on jobs.created_by_user_id is not distinct from wanted.created_by_user_id
      and jobs.job_type = wanted.job_type
      and jobs.idempotency_key = wanted.idempotency_key`;
  return new Map(rows.map((row) => [row.draft_id, row]));
}

function idempotencyConflict({ type, idempotencyKey }: Draft): NexusError {
  return new NexusError(
    'E_IDEMPOTENCY_CONFLICT',
    `You used the idempotency key ${idempotencyKey} for another ${type.type} job. Use a new key.`,
  );
}
