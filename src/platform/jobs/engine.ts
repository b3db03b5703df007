import { collectJobTypes, type JobType } from './job-type.ts';
import { createSchedule, type Periodic } from './periodic.ts';
import type { JobQueue } from './queue.ts';
import { defineRetention } from './retention.ts';
import { startWorker, type Worker, type WorkerOptions } from './worker.ts';

/** Runs the jobs of a queue. */
export interface JobEngine {
  /** Works in this process, on the given queues or on those of all types. */
  work(options: WorkOptions): Promise<Worker>;
}

export type WorkOptions = Pick<
  WorkerOptions,
  'concurrency' | 'pollSeconds' | 'graceSeconds' | 'maxJobs' | 'untilEmpty'
> & { queues?: string[] | undefined };

export interface JobEngineOptions {
  queue: JobQueue;
  // biome-ignore lint/suspicious/noExplicitAny: job types of every payload
  types: JobType<any>[];
  /** Their types need not be among the others. */
  periodic?: Periodic[];
  /** How long finished jobs are kept. */
  retentionDays: number;
}

const RETENTION_EVERY_SECONDS = 3600;

/** Creates the engine, and tells the queue which types there are. */
export function createJobEngine(options: JobEngineOptions): JobEngine {
  const { enqueueMany, shared } = options.queue;
  const { sql, log, types } = shared;
  const retention: Periodic = {
    type: defineRetention(sql, options.retentionDays),
    everySeconds: RETENTION_EVERY_SECONDS,
  };
  const periodic = [retention, ...(options.periodic ?? [])];
  const all = collectJobTypes([...options.types, ...periodic.map(({ type }) => type)]);
  for (const [name, type] of all) types.set(name, type);
  const schedule = createSchedule({ sql, log, enqueueMany, periodic });
  return {
    work({ queues, ...work }) {
      const served = queues ?? [...new Set([...types.values()].map(({ queue }) => queue))];
      return startWorker({ ...work, ...shared, schedule, queues: served });
    },
  };
}
