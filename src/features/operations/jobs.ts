import { NexusError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/identity.ts';
import { quoted } from '../../contract/issues.ts';
import type { Job, JobProgress, ManyJobs } from '../../contract/jobs.ts';
import { type Mode, roleAllows } from '../../contract/roles.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import { cutPage, readCursor } from '../../platform/cursor.ts';
import type { Database } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import type { JobEngine } from '../../platform/jobs/engine.ts';
import type { JobType } from '../../platform/jobs/job-type.ts';
import { type FailureFilter, groupFailures } from '../../platform/jobs/read/failure-store.ts';
import * as store from '../../platform/jobs/read/store.ts';
import { seesContent } from './content.ts';
import { touchJobs } from './many-jobs.ts';
import { readThroughput } from './throughput.ts';

export interface JobsDependencies {
  sql: Database;
  engine: JobEngine;
  asyncJobsEnabled: boolean;
  shadowExecutionEnabled: boolean;
  requireMode(principal: Principal, mode: Mode, actor: Actor): Promise<void>;
  /** By job type: throws when this caller may not have this done. */
  // biome-ignore lint/suspicious/noExplicitAny: each takes the payload of its type
  authorise: Record<string, (payload: any, principal: Principal) => Promise<void>>;
}

export interface SubmitJob {
  job_type: string;
  payload: Record<string, unknown>;
  idempotency_key?: string | undefined;
  execution_mode: 'async' | 'sync' | 'shadow';
  max_attempts: number;
  priority?: number | undefined;
  run_at?: Date | undefined;
}

/** Who has more kinds of failure than this has one problem. */
const GROUPS_SHOWN = 200;

export type Jobs = ReturnType<typeof createJobs>;

export function createJobs(dependencies: JobsDependencies) {
  const { sql, engine, asyncJobsEnabled, shadowExecutionEnabled, requireMode, authorise } = dependencies;
  const publicTypes = [...engine.types.values()].filter((type) => type.submittedBy !== undefined);
  const publicNames = publicTypes.map(({ type }) => type);

  /** Callers below operator see jobs of the public types only. */
  function seesAllTypes({ role }: Principal): boolean {
    return roleAllows(role, 'operator');
  }

  function refuseShadow({ type, hasShadow }: JobType): void {
    if (!hasShadow) {
      throw new NexusError('E_INVALID_REQUEST', `execution_mode: ${type} has no shadow; take async or sync.`);
    }
    if (shadowExecutionEnabled) return;
    throw new NexusError(
      'E_SHADOW_DISABLED',
      'NEXUS_SHADOW_EXECUTION_ENABLED is false here. Take async or sync as the execution_mode.',
    );
  }

  function requireVisible<J extends { job_type: string }>(
    job: J | undefined,
    jobId: string,
    principal: Principal,
  ): J {
    if (job && (seesAllTypes(principal) || publicNames.includes(job.job_type))) return job;
    throw new NexusError('E_NOT_FOUND', `There is no job ${jobId}.`);
  }

  async function get(jobId: string, principal: Principal): Promise<Job> {
    const job = requireVisible(await store.findJob(sql, jobId), jobId, principal);
    return seesContent(principal, job) ? job : withoutContent(job);
  }

  return {
    get,

    async progress(jobId: string, principal: Principal): Promise<JobProgress> {
      const job = requireVisible(await store.findProgress(sql, jobId), jobId, principal);
      return seesContent(principal, job) ? job : { ...job, progress: null, error_text: null };
    },

    async submit(body: SubmitJob, principal: Principal, actor: Actor) {
      const type = publicTypes.find((candidate) => candidate.type === body.job_type);
      if (!type) {
        throw new NexusError('E_INVALID_REQUEST', `job_type takes one of ${publicNames.join(', ')}.`);
      }
      const isSync = body.execution_mode === 'sync';
      if (!isSync && !asyncJobsEnabled) {
        throw new NexusError(
          'E_ASYNC_DISABLED',
          'NEXUS_ASYNC_JOBS_ENABLED is false here: nothing can be queued. Submit with execution_mode sync.',
        );
      }
      if (isSync && body.run_at) {
        throw new NexusError(
          'E_INVALID_REQUEST',
          'run_at: a sync job runs now, and takes no time to run at.',
        );
      }
      if (body.execution_mode === 'shadow') refuseShadow(type);
      if (body.payload.mode === 'RAW') await requireMode(principal, 'RAW', actor);
      const payload = readPayload(type, body.payload);
      await authorise[type.type]?.(payload, principal);
      const job = {
        type,
        payload,
        executionMode: body.execution_mode,
        idempotencyKey: body.idempotency_key,
        maxAttempts: body.max_attempts,
        priority: body.priority,
        delaySeconds: body.run_at && Math.max(0, (body.run_at.getTime() - Date.now()) / 1000),
        createdBy: actor,
        requestId: actor.requestId,
      };
      const { id } = isSync
        ? await engine.runInline(job)
        : await transaction(sql, (tx) => engine.enqueue(tx, job));
      return get(id, principal);
    },

    async list(
      query: store.JobFilter & { cursor?: string | undefined; limit: number },
      principal: Principal,
    ) {
      const types = seesAllTypes(principal) ? undefined : publicNames;
      const filter = { ...query, types, ...wordsOf(principal) };
      const rows = await store.listJobs(sql, filter, readCursor(query.cursor), query.limit + 1);
      const { rows: jobs, page } = cutPage(rows, query.limit);
      return {
        jobs: jobs.map((job) => (seesContent(principal, job) ? job : { ...job, error_text: null })),
        page,
      };
    },

    async cancel(jobId: string, principal: Principal, actor: Actor): Promise<Job> {
      await engine.control.cancel(jobId, actor);
      return get(jobId, principal);
    },

    async requeue(jobId: string, principal: Principal, actor: Actor): Promise<Job> {
      await engine.control.requeue(jobId, actor);
      return get(jobId, principal);
    },

    cancelMany: (which: ManyJobs, principal: Principal, actor: Actor) =>
      touchJobs({ sql, control: engine.control }, 'cancel', which, wordsOf(principal), actor),

    requeueMany: (which: ManyJobs, principal: Principal, actor: Actor) =>
      touchJobs({ sql, control: engine.control }, 'requeue', which, wordsOf(principal), actor),

    /** Admins see failures grouped by their words; operators by type and code, without the words. */
    async failures(filter: FailureFilter, principal: Principal) {
      const since = new Date(Date.now() - filter.minutes * 60_000);
      const byWords = roleAllows(principal.role, 'admin');
      return { since, failures: await groupFailures(sql, { ...filter, byWords }, GROUPS_SHOWN) };
    },

    throughput: ({ minutes }: { minutes: number }) => readThroughput(sql, minutes),

    async workers() {
      return { workers: await store.listWorkers(sql) };
    },

    async stats() {
      return { queues: await store.countByQueue(sql) };
    },
  };
}

function readPayload(type: JobType, payload: unknown): unknown {
  const parsed = type.payload.safeParse(payload);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = quoted(['payload', ...(issue?.path ?? [])].join('.'));
  throw new NexusError('E_INVALID_REQUEST', `${field}: ${issue?.message ?? 'does not fit'}.`);
}

/** Callers below admin search the words of their own errors only: a filter by words would reveal hidden ones. */
function wordsOf({ role, user_id }: Principal): Pick<store.JobFilter, 'wordsOf'> {
  return roleAllows(role, 'admin') ? {} : { wordsOf: user_id };
}

/** A job without anything that its creator, or a document, says. States, types, codes, counts and times stay. */
function withoutContent(job: Job): Job {
  return {
    ...job,
    payload: {},
    result: {},
    progress: null,
    error_text: null,
    idempotency_key: null,
    request_id: null,
    artifacts: [],
    attempts: job.attempts.map((attempt) => ({ ...attempt, error_text: null })),
  };
}
