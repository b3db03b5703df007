import type { z } from 'zod';
import { type ErrorCode, NexusError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/identity.ts';
import { invalidField, invalidFields, invalidFieldsOf } from '../../contract/invalid-request.ts';
import type { Job, JobProgress, JobSelection, submitJob } from '../../contract/jobs.ts';
import { roleAllows } from '../../contract/roles.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import { cutPage, LAST_PAGE, readCursor } from '../../platform/cursor.ts';
import type { Database } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import type { JobType } from '../../platform/jobs/job-type.ts';
import type { JobQueue } from '../../platform/jobs/queue.ts';
import { type FailureFilter, groupFailures } from '../../platform/jobs/read/failure-store.ts';
import * as store from '../../platform/jobs/read/store.ts';
import { enqueue } from '../../platform/jobs/submit/enqueue.ts';
import type { Authentication } from '../identity/authentication.ts';
import { type Action, changeJobs } from './many-jobs.ts';
import { readThroughput } from './throughput.ts';

interface JobsDependencies extends Pick<Authentication, 'requireMode'> {
  sql: Database;
  queue: JobQueue;
  asyncJobsEnabled: boolean;
  shadowExecutionEnabled: boolean;
}

/** More groups of failures than this usually have one common cause. */
const MAX_FAILURE_GROUPS = 200;

export type Jobs = ReturnType<typeof createJobs>;

export function createJobs(dependencies: JobsDependencies) {
  const { sql, queue, asyncJobsEnabled, shadowExecutionEnabled, requireMode } = dependencies;

  /** Returns the types that callers may submit. The queue has them once all features are created. */
  function publicTypes(): JobType[] {
    return [...queue.types.values()].filter(({ submittedBy }) => submittedBy !== undefined);
  }

  function publicNames(): string[] {
    return publicTypes().map(({ type }) => type);
  }

  /** Callers below operator see only jobs of the public types. */
  function seesAllTypes({ role }: Principal): boolean {
    return roleAllows(role, 'operator');
  }

  function refuseShadow({ type, hasShadow }: JobType): void {
    const advice = 'Set execution_mode to async or sync.';
    if (!hasShadow) notAllowed('execution_mode', `shadow does not exist for the job type ${type}. ${advice}`);
    if (!shadowExecutionEnabled)
      refuse('E_SHADOW_DISABLED', `Shadow runs are disabled on this server. ${advice}`);
  }

  function requireVisible<J extends { job_type: string }>(
    job: J | undefined,
    jobId: string,
    principal: Principal,
  ): J {
    if (job && (seesAllTypes(principal) || publicNames().includes(job.job_type))) return job;
    return refuse('E_NOT_FOUND', `The job ${jobId} does not exist.`);
  }

  async function get(jobId: string, principal: Principal): Promise<Job> {
    const job = requireVisible(await store.findJob(sql, jobId), jobId, principal);
    if (!seesContent(principal, job)) return withoutContent(job);
    const payload = job.created_by_user_id === principal.user_id ? job.payload : withoutCreatorsFields(job);
    return { ...job, payload, source_url: await sourceUrlOf(job) };
  }

  function withoutCreatorsFields({ job_type, payload }: Pick<Job, 'job_type' | 'payload'>): Job['payload'] {
    const hidden = queue.types.get(job_type)?.creatorsFields ?? [];
    return Object.fromEntries(Object.entries(payload).filter(([name]) => !hidden.includes(name)));
  }

  async function sourceUrlOf({
    job_type,
    payload,
  }: Pick<Job, 'job_type' | 'payload'>): Promise<string | null> {
    const type = queue.types.get(job_type);
    const given = type?.payload.safeParse(payload);
    return (given?.success && (await type?.sourceUrl?.(given.data))) || null;
  }

  return {
    get,

    /** Returns a job that the caller has submitted, if they may still submit it. */
    async getSubmitted(jobId: string, principal: Principal): Promise<Job> {
      const { job_type, payload } = requireVisible(await store.findJob(sql, jobId), jobId, principal);
      const type = queue.types.get(job_type);
      const given = type?.payload.safeParse(payload);
      if (given?.success) await type?.authorise?.(given.data, principal);
      return get(jobId, principal);
    },

    async progress(jobId: string, principal: Principal): Promise<JobProgress> {
      const job = requireVisible(await store.findProgress(sql, jobId), jobId, principal);
      return seesContent(principal, job) ? job : { ...job, progress: null, error_text: null };
    },

    async submit(body: z.output<typeof submitJob>, principal: Principal, actor: Actor) {
      const type =
        publicTypes().find((candidate) => candidate.type === body.job_type) ??
        notAllowed('job_type', `must be one of ${publicNames().join(', ')}`);
      const isSync = body.execution_mode === 'sync';
      if (!isSync && !asyncJobsEnabled)
        refuse('E_ASYNC_DISABLED', 'Queued jobs are disabled on this server. Set execution_mode to sync.');
      if (isSync && body.run_at)
        notAllowed('run_at', 'cannot be combined with execution_mode sync, which runs immediately');
      if (body.execution_mode === 'shadow') refuseShadow(type);
      if (body.payload.mode === 'RAW') await requireMode(principal, 'RAW', actor);
      const payload = readPayload(type, body.payload);
      await type.authorise?.(payload, principal);
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
        ? await queue.runInline(job, actor)
        : await transaction(sql, (tx) => enqueue(tx, job), actor);
      return get(id, principal);
    },

    async list(
      query: store.JobFilter & { cursor?: string | undefined; limit: number },
      principal: Principal,
    ) {
      const types = seesAllTypes(principal) ? undefined : publicNames();
      const filter = { ...query, types, ...wordsOf(principal) };
      const rows = await store.listJobs(sql, filter, readCursor(query.cursor), query.limit + 1);
      const { data, page } = cutPage(rows, query.limit);
      const jobs = data.map((job) => (seesContent(principal, job) ? job : { ...job, error_text: null }));
      return { jobs, data: jobs, page };
    },

    async cancel(jobId: string, principal: Principal, actor: Actor): Promise<Job> {
      await queue.control.cancel(jobId, actor);
      return get(jobId, principal);
    },

    async requeue(jobId: string, principal: Principal, actor: Actor): Promise<Job> {
      await queue.control.requeue(jobId, actor);
      return get(jobId, principal);
    },

    changeMany(action: Action, selection: JobSelection, principal: Principal, actor: Actor) {
      const change = { action, selection, rights: wordsOf(principal), actor };
      return changeJobs({ sql, control: queue.control }, change);
    },

    /** Groups failures by error text for admins, and only by type and code for operators. */
    async failures(filter: FailureFilter, principal: Principal) {
      const since = new Date(Date.now() - filter.minutes * 60_000);
      const byWords = roleAllows(principal.role, 'admin');
      const data = await groupFailures(sql, { ...filter, byWords }, MAX_FAILURE_GROUPS);
      return { since, data, page: LAST_PAGE };
    },

    throughput: ({ minutes }: { minutes: number }) => readThroughput(sql, minutes),

    workers: () => store.listWorkers(sql),

    stats: () => store.countByQueue(sql),

    workerCount: () => store.countWorkers(sql),
  };
}

/**
 * Whether a caller may see the content of a job: payload, result, progress, error texts and artifacts. Its creator and
 * admins may; operators see its status, type, codes, counts and times.
 */
export function seesContent({ role, user_id }: Principal, job: { created_by_user_id: string | null }) {
  return roleAllows(role, 'admin') || job.created_by_user_id === user_id;
}

function readPayload(type: JobType, payload: unknown): unknown {
  const parsed = type.payload.safeParse(payload);
  if (parsed.success) return parsed.data;
  throw invalidFields(
    parsed.error.issues.flatMap((issue) => invalidFieldsOf({ ...issue, path: ['payload', ...issue.path] })),
  );
}

function notAllowed(field: string, message: string): never {
  throw invalidField(field, message, 'not_allowed');
}

function refuse(code: ErrorCode, message: string): never {
  throw new NexusError(code, message);
}

/** Restricts a search by error text to the caller's own jobs below admin: a search would reveal hidden texts. */
function wordsOf({ role, user_id }: Principal): Pick<store.JobFilter, 'wordsOf'> {
  return roleAllows(role, 'admin') ? {} : { wordsOf: user_id };
}

/** Removes the content of a job, and keeps its status, type, codes, counts and times. */
function withoutContent(job: Omit<Job, 'source_url'>): Job {
  return {
    ...job,
    source_url: null,
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
