import type { ConnectionTarget, Database } from '../database/database.ts';
import type { Logger } from '../telemetry/logger.ts';
import { type Control, createControl } from './control.ts';
import { createEnqueue, type Enqueue, type EnqueueMany } from './enqueue.ts';
import { collectJobTypes, type JobType, type JobTypes } from './job-type.ts';
import { createWakeUp } from './wake-up.ts';
import { startWorker, type Worker, type WorkerOptions } from './worker.ts';

export interface JobEngine {
  types: JobTypes;
  enqueue: Enqueue;
  enqueueMany: EnqueueMany;
  control: Control;
  /** Works in this process, on the given queues or on those of all types. */
  work(options: WorkOptions): Promise<Worker>;
  close(): Promise<void>;
}

export type WorkOptions = Pick<
  WorkerOptions,
  'concurrency' | 'leaseSeconds' | 'pollSeconds' | 'graceSeconds' | 'maxJobs' | 'untilEmpty'
> & { queues?: string[] | undefined };

export interface JobEngineOptions {
  sql: Database;
  log: Logger;
  /** Where to listen for hints from other processes; those that only enqueue need not. */
  listenAt?: ConnectionTarget | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: job types of every payload
  types: JobType<any>[];
}

export function createJobEngine({ sql, log, listenAt, types: defined }: JobEngineOptions): JobEngine {
  const types = collectJobTypes(defined);
  const wakeUp = createWakeUp({ sql, log, listenAt });
  return {
    ...createEnqueue(wakeUp),
    types,
    control: createControl(sql, wakeUp),
    work({ queues, ...options }) {
      const served = queues ?? [...new Set([...types.values()].map(({ queue }) => queue))];
      return startWorker({ ...options, sql, log, types, wakeUp, queues: served });
    },
    close: () => wakeUp.close(),
  };
}
