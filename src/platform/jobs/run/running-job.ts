import type { Database } from '../../database/database.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { LeasedJob } from '../claim/claim.ts';
import type { Creator, JobContext, JobTypes } from '../job-type.ts';
import { completeJob, findCheckpoint, writeCheckpoint, writeProgress } from '../settle/complete.ts';
import type { Endings } from '../settle/endings.ts';

/** The reason why a running job's signal was raised. */
export type Interruption = 'cancelled' | 'lease lost' | 'shutdown';

export interface RunnerDependencies {
  sql: Database;
  types: JobTypes;
  log: Logger;
  worker: () => { id: string; name: string };
  endings: Endings;
}

/** An attempt that runs, and the context of its handler. Parts that few handlers use are made on first use. */
export class RunningJob implements JobContext {
  readonly job: LeasedJob;
  readonly jobId: string;
  readonly attempt: number;
  readonly executionMode: LeasedJob['execution_mode'];
  readonly requestId: string | null;
  readonly startedAt = performance.now();
  readonly #dependencies: RunnerDependencies;
  #controller: AbortController | undefined;
  #log: Logger | undefined;
  interruption: Interruption | undefined;
  isCompleted = false;

  constructor(job: LeasedJob, dependencies: RunnerDependencies) {
    this.job = job;
    this.jobId = job.id;
    this.attempt = job.attempt;
    this.executionMode = job.execution_mode;
    this.requestId = job.request_id;
    this.#dependencies = dependencies;
  }

  get isLastAttempt() {
    return this.job.attempt - this.job.refunded_count >= this.job.max_attempts;
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
      const attempt = { job: this.job, workerName: worker().name, runtimeMs: this.runtimeMs() };
      await completeJob(tx, { ...attempt, completion, endings });
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
