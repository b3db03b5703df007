import type { ConnectionTarget, Database } from '../database/database.ts';
import type { Logger } from '../telemetry/logger.ts';
import { type Control, createControl } from './control.ts';
import { createEndings, type TellEnded } from './endings.ts';
import { createEnqueue, type Enqueue, type EnqueueMany } from './enqueue.ts';
import type { ObserveAttempt } from './executor.ts';
import { createInline, type Inline } from './inline.ts';
import { collectJobTypes, type JobType, type JobTypes } from './job-type.ts';
import { createSchedule, type Periodic } from './periodic.ts';
import { defineRetention } from './retention.ts';
import { createWakeUp } from './wake-up.ts';
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
  /** Where to listen for hints from other processes; those that only enqueue need not. */
  listenAt?: ConnectionTarget | undefined;
  /** How long a worker that is not heard of keeps its jobs. */
  leaseSeconds: number;
  /** How long finished jobs are kept. */
  retentionDays: number;
  // biome-ignore lint/suspicious/noExplicitAny: job types of every payload
  types: JobType<any>[];
  /** Their types need not be among the others. */
  periodic?: Periodic[];
  /** Told when jobs of public types end, in the transaction that ends them. */
  onJobsEnded?: TellEnded;
  observe?: ObserveAttempt | undefined;
}

const RETENTION_EVERY_SECONDS = 3600;

export function createJobEngine(options: JobEngineOptions): JobEngine {
  const { sql, log, listenAt, leaseSeconds, observe } = options;
  const retention: Periodic = {
    type: defineRetention(sql, options.retentionDays),
    everySeconds: RETENTION_EVERY_SECONDS,
  };
  const periodic = [retention, ...(options.periodic ?? [])];
  const types = collectJobTypes([...options.types, ...periodic.map(({ type }) => type)]);
  const wakeUp = createWakeUp({ sql, log, listenAt });
  const { enqueue, enqueueMany } = createEnqueue(wakeUp);
  const schedule = createSchedule({ sql, log, enqueueMany, periodic });
  const endings = createEndings(types, options.onJobsEnded);
  const inline = createInline({ sql, types, wakeUp, log, enqueue, leaseSeconds, endings, observe });
  return {
    types,
    enqueue,
    enqueueMany,
    runInline: inline.run,
    control: createControl(sql, wakeUp, endings, types),
    work({ queues, ...work }) {
      const served = queues ?? [...new Set([...types.values()].map(({ queue }) => queue))];
      return startWorker({
        ...work,
        sql,
        log,
        types,
        wakeUp,
        leaseSeconds,
        schedule,
        endings,
        observe,
        queues: served,
      });
    },
    async close() {
      await inline.close();
      await wakeUp.close();
    },
  };
}
