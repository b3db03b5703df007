import type { WorkSource } from '../work/source.ts';
import { collectJobTypes, type JobType } from './job-type.ts';
import { createSchedule, type Periodic } from './periodic/periodic.ts';
import { periodicJobRetention } from './periodic/retention.ts';
import type { JobQueue } from './queue.ts';
import { startWorker, type Worker, type WorkerOptions } from './worker.ts';

type WorkOptions = Pick<
  WorkerOptions,
  'concurrency' | 'pollSeconds' | 'graceSeconds' | 'maxJobs' | 'untilEmpty'
> & { queues?: string[] | undefined };

interface JobEngine {
  /** Works in this process, on the given queues or on those of all types. */
  work(options: WorkOptions): Promise<Worker>;
}

interface JobEngineOptions {
  queue: JobQueue;
  // biome-ignore lint/suspicious/noExplicitAny: job types of every payload
  types: JobType<any>[];
  /** Periodic work. Its job types need not be among `types`. */
  periodic?: Periodic[];
  /** The work that workers do beside jobs. */
  sources?: WorkSource[];
  /** How long finished jobs are kept. */
  retentionDays: number;
}

/** Creates the engine that runs the jobs of a queue, and registers its job types with the queue. */
export function createJobEngine(options: JobEngineOptions): JobEngine {
  const { shared } = options.queue;
  const { sql, log, types } = shared;
  const { sources } = options;
  const periodic = [periodicJobRetention(sql, options.retentionDays), ...(options.periodic ?? [])];
  const all = collectJobTypes([...options.types, ...periodic.map(({ type }) => type)]);
  for (const [name, type] of all) types.set(name, type);
  const schedule = createSchedule({ sql, log, periodic });
  return {
    work({ queues, ...work }) {
      const served = queues ?? [...new Set([...types.values()].map(({ queue }) => queue))];
      return startWorker({ ...work, ...shared, schedule, sources, queues: served });
    },
  };
}
