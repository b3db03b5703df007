import type { Database } from '../database/database.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { LeasedJob } from './claim.ts';
import { completeInTransaction, findCheckpoint, writeCheckpoint, writeProgress } from './completion.ts';
import type { Creator } from './creator.ts';
import type { Endings } from './endings.ts';
import type { JobContext, JobType, JobTypes } from './job-type.ts';
import { DEFAULT_RETRY, PermanentError, RetryLater, retryDelay } from './retry-policy.ts';
import type { Outcome } from './settle.ts';

/** Why a running job's signal was raised. */
export type Interruption = 'cancelled' | 'lease lost' | 'shutdown';

export interface RunnerDependencies {
  sql: Database;
  types: JobTypes;
  log: Logger;
  worker: () => { id: string; name: string };
  endings: Endings | undefined;
}

const LONGEST_ERROR_TEXT = 10_000;

/** Resolves to how the attempt ended; to undefined when there is nothing left to write. Never rejects. */
export async function runJob(
  running: RunningJob,
  { types, log, sql, worker, endings }: RunnerDependencies,
): Promise<Outcome | undefined> {
  const { job } = running;
  const type = types.get(job.job_type);
  try {
    if (!type)
      throw new RetryLater(30, 'E_UNKNOWN_JOB_TYPE', `This worker knows no job type ${job.job_type}.`);
    const completion = await type.handler(readPayload(type, job), running);
    if (running.interruption && running.interruption !== 'shutdown') return undefined;
    if (running.isCompleted) return undefined;
    // Artifacts are written with the completion, so a job that leaves some completes in a transaction of its own.
    if (completion?.artifacts?.length) {
      await completeInTransaction(sql, job, worker().name, running.runtimeMs(), completion, endings);
      return undefined;
    }
    const result = completion?.result === undefined ? null : JSON.stringify(completion.result);
    return { kind: 'succeeded', job, runtimeMs: running.runtimeMs(), result };
  } catch (error) {
    if (running.interruption === 'shutdown') return interruptedAttempt(job, running.runtimeMs());
    if (running.interruption || running.isCompleted) {
      log.info(
        { job_id: job.id, attempt: job.attempt, err: error },
        'the result of an interrupted attempt was dropped',
      );
      return undefined;
    }
    log.warn(
      { job_id: job.id, job_type: job.job_type, attempt: job.attempt, err: error },
      'an attempt failed',
    );
    return failed(job, type, error, running.runtimeMs());
  }
}

/** For an attempt that the worker gives up at shutdown. */
export function interruptedAttempt(job: LeasedJob, runtimeMs: number): Outcome {
  const errorText = 'The worker stopped before the attempt was finished.';
  return { kind: 'refund', job, runtimeMs, errorText, errorCode: 'E_WORKER_STOPPED' };
}

/** In place of an outcome that PostgreSQL refused to store: it would refuse it every time. */
export function unwritableResult(outcome: Outcome, error: unknown): Outcome {
  const errorText = `The result cannot be stored: ${(error as Error).message}.`;
  const runtimeMs = 'runtimeMs' in outcome ? outcome.runtimeMs : 0;
  return { kind: 'failed', job: outcome.job, runtimeMs, errorText, errorCode: 'E_INVALID_RESULT' };
}

function readPayload(type: JobType, job: LeasedJob): unknown {
  const parsed = type.payload.safeParse(job.payload);
  if (parsed.success) return parsed.data;
  throw new PermanentError(
    'E_INVALID_PAYLOAD',
    `The payload does not fit ${type.type}: ${parsed.error.message}`,
  );
}

function failed(job: LeasedJob, type: JobType | undefined, error: unknown, runtimeMs: number): Outcome {
  const { message, code } = error as { message?: string; code?: unknown };
  // PostgreSQL's text has every character but one.
  const errorText = (message || String(error)).slice(0, LONGEST_ERROR_TEXT).replaceAll('\0', '\uFFFD');
  const errorCode = typeof code === 'string' ? code : null;
  const counted = job.attempt - job.refunded_count;
  if (error instanceof PermanentError || counted >= job.max_attempts) {
    return { kind: 'failed', job, runtimeMs, errorText, errorCode };
  }
  const seconds =
    error instanceof RetryLater ? error.delaySeconds : retryDelay(type?.retry ?? DEFAULT_RETRY, counted);
  return { kind: 'retry', job, runtimeMs, errorText, errorCode, delayMs: seconds * 1000 };
}

/**
 * One attempt under way, and what its handler is given of it. What most handlers never touch is made when they do: with
 * tens of thousands of jobs a second it shows.
 */
export class RunningJob implements JobContext {
  readonly job: LeasedJob;
  readonly startedAt = performance.now();
  readonly #dependencies: RunnerDependencies;
  #controller: AbortController | undefined;
  #log: Logger | undefined;
  interruption: Interruption | undefined;
  isCompleted = false;

  constructor(job: LeasedJob, dependencies: RunnerDependencies) {
    this.job = job;
    this.#dependencies = dependencies;
  }

  get jobId() {
    return this.job.id;
  }

  get attempt() {
    return this.job.attempt;
  }

  get isLastAttempt() {
    return this.job.attempt - this.job.refunded_count >= this.job.max_attempts;
  }

  get executionMode() {
    return this.job.execution_mode;
  }

  get requestId() {
    return this.job.request_id;
  }

  get createdBy(): Creator | null {
    const { created_by, created_by_user_id } = this.job;
    return created_by === null ? null : { name: created_by, userId: created_by_user_id ?? undefined };
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.interruption) this.#controller.abort(new Error(this.interruption));
    }
    return this.#controller.signal;
  }

  get log(): Logger {
    const { id, job_type, attempt, request_id } = this.job;
    this.#log ??= this.#dependencies.log.child({
      job_id: id,
      job_type,
      attempt,
      ...(request_id && { request_id }),
    });
    return this.#log;
  }

  get progress(): JobContext['progress'] {
    return (value) => writeProgress(this.#dependencies.sql, this.job, value);
  }

  get checkpoint(): JobContext['checkpoint'] {
    return (tx, artifact) => writeCheckpoint(tx, this.job, artifact);
  }

  get lastCheckpoint(): JobContext['lastCheckpoint'] {
    return (artifactType) => findCheckpoint(this.#dependencies.sql, this.job, artifactType);
  }

  get complete(): JobContext['complete'] {
    return async (tx, completion = {}) => {
      const { worker, endings } = this.#dependencies;
      await completeInTransaction(tx, this.job, worker().name, this.runtimeMs(), completion, endings);
      tx.afterCommit(() => {
        this.isCompleted = true;
      });
    };
  }

  interrupt(why: Interruption): void {
    this.interruption ??= why;
    this.#controller?.abort(new Error(why));
  }

  runtimeMs(): number {
    return Math.round(performance.now() - this.startedAt);
  }
}
