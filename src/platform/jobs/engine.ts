import type { Database } from '../database/database.ts';
import type { Listener } from '../database/listener.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { WorkSource } from '../work/source.ts';
import { type Control, createControl } from './control/control.ts';
import type { OnJobsEnded } from './ended-job.ts';
import { collectJobTypes, type JobType, type JobTypes } from './job-type.ts';
import { periodicJobRetention } from './periodic/job-retention.ts';
import { createSchedule, type Periodic } from './periodic/periodic.ts';
import type { ObserveAttempt } from './run/executor.ts';
import { createInline, type Inline } from './run/inline.ts';
import { createEndings } from './settle/endings.ts';
import { type Enqueue, type EnqueueMany, enqueue, enqueueMany } from './submit/enqueue.ts';
import { startWorker, type Worker, type WorkerOptions } from './worker.ts';

export interface JobEngine {
  types: JobTypes;
  enqueue: Enqueue;
  enqueueMany: EnqueueMany;
  /** Runs a job in this process while the caller waits. */
  runInline: Inline['run'];
  control: Control;
  /** Works in this process, on the given queues or on those of all types. */
  work(options: WorkOptions): Promise<Worker>;
  close(): Promise<void>;
}

export type WorkOptions = Pick<
  WorkerOptions,
  'concurrency' | 'pollSeconds' | 'graceSeconds' | 'maxJobs' | 'untilEmpty'
> & { queues?: string[] | undefined };

export interface JobEngineOptions {
  sql: Database;
  log: Logger;
  listener: Listener;
  /** How long a worker that is not heard of keeps its jobs. */
  leaseSeconds: number;
  /** How long finished jobs are kept. */
  retentionDays: number;
  // biome-ignore lint/suspicious/noExplicitAny: job types of every payload
  types: JobType<any>[];
  /** Their types need not be among the others. */
  periodic?: Periodic[];
  /** The work that workers do beside jobs. */
  sources?: WorkSource[];
  /** Called when jobs of public types end, in the transaction that ends them. */
  onJobsEnded?: OnJobsEnded;
  observe?: ObserveAttempt | undefined;
}

export function createJobEngine(options: JobEngineOptions): JobEngine {
  const { sql, log, listener, leaseSeconds, sources, observe } = options;
  const periodic = [periodicJobRetention(sql, options.retentionDays), ...(options.periodic ?? [])];
  const types = collectJobTypes([...options.types, ...periodic.map(({ type }) => type)]);
  const schedule = createSchedule({ sql, log, periodic });
  const endings = createEndings(types, options.onJobsEnded);
  const shared = { sql, types, listener, log, endings, leaseSeconds, observe };
  const inline = createInline(shared);
  return {
    types,
    enqueue,
    enqueueMany,
    runInline: inline.run,
    control: createControl(sql, types, endings),
    work({ queues, ...work }) {
      const served = queues ?? [...new Set([...types.values()].map(({ queue }) => queue))];
      return startWorker({ ...work, ...shared, schedule, sources, queues: served });
    },
    close: inline.close,
  };
}
