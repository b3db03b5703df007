import type { Database } from '../database/database.ts';
import type { Listener } from '../database/listener.ts';
import type { Logger } from '../telemetry/logger.ts';
import { type Control, createControl } from './control/control.ts';
import type { OnJobsEnded } from './ended-job.ts';
import type { JobType, JobTypes } from './job-type.ts';
import type { ObserveAttempt } from './run/executor.ts';
import { createInline, type Inline } from './run/inline.ts';
import { createEndings, type Endings } from './settle/endings.ts';

/** Controls jobs and runs them inline. It exists before the features, and so before the job types that they contribute. */
export interface JobQueue {
  /** Runs a job in this process while the caller waits. */
  runInline: Inline['run'];
  control: Control;
  /** The job types of every feature. Empty until the engine is created from them. */
  types: JobTypes;
  /** The parts that the engine shares with the queue. */
  shared: SharedParts;
  close(): Promise<void>;
}

export interface SharedParts {
  sql: Database;
  log: Logger;
  listener: Listener;
  types: Map<string, JobType>;
  endings: Endings;
  leaseSeconds: number;
  observe: ObserveAttempt | undefined;
}

export interface JobQueueOptions {
  sql: Database;
  log: Logger;
  listener: Listener;
  /** How long a worker that does not renew its lease keeps its jobs. */
  leaseSeconds: number;
  /** Called when jobs of public types end, in the transaction that ends them. */
  onJobsEnded?: OnJobsEnded;
  observe?: ObserveAttempt | undefined;
}

export function createJobQueue(options: JobQueueOptions): JobQueue {
  const { sql, log, listener, leaseSeconds, onJobsEnded, observe } = options;
  const types = new Map<string, JobType>();
  const endings = createEndings(types, onJobsEnded);
  const shared = { sql, log, listener, types, endings, leaseSeconds, observe };
  const inline = createInline(shared);
  return {
    runInline: inline.run,
    control: createControl(sql, types, endings),
    types,
    shared,
    close: inline.close,
  };
}
