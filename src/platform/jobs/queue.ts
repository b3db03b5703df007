import type { ConnectionTarget, Database } from '../database/database.ts';
import type { Logger } from '../telemetry/logger.ts';
import { type Control, createControl } from './control.ts';
import { createEndings, type Endings, type TellEnded } from './endings.ts';
import { createEnqueue, type Enqueue, type EnqueueMany } from './enqueue.ts';
import type { ObserveAttempt } from './executor.ts';
import { createInline, type Inline } from './inline.ts';
import type { JobType, JobTypes } from './job-type.ts';
import { createWakeUp, type WakeUp } from './wake-up.ts';

/** Everything that asks for jobs: features enqueue through it, before the engine that runs their jobs exists. */
export interface JobQueue {
  enqueue: Enqueue;
  enqueueMany: EnqueueMany;
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
  wakeUp: WakeUp;
  types: Map<string, JobType>;
  endings: Endings | undefined;
  leaseSeconds: number;
  observe: ObserveAttempt | undefined;
}

export interface JobQueueOptions {
  sql: Database;
  log: Logger;
  /** Where to listen for hints from other processes; those that only enqueue need not. */
  listenAt?: ConnectionTarget | undefined;
  /** How long a worker that is not heard of keeps its jobs. */
  leaseSeconds: number;
  /** Told when jobs of public types end, in the transaction that ends them. */
  onJobsEnded?: TellEnded;
  observe?: ObserveAttempt | undefined;
}

export function createJobQueue(options: JobQueueOptions): JobQueue {
  const { sql, log, listenAt, leaseSeconds, onJobsEnded, observe } = options;
  const types = new Map<string, JobType>();
  const wakeUp = createWakeUp({ sql, log, listenAt });
  const { enqueue, enqueueMany } = createEnqueue(wakeUp);
  const endings = createEndings(types, onJobsEnded);
  const inline = createInline({ sql, types, wakeUp, log, enqueue, leaseSeconds, endings, observe });
  return {
    enqueue,
    enqueueMany,
    runInline: inline.run,
    control: createControl(sql, wakeUp, endings, types),
    types,
    shared: { sql, log, wakeUp, types, endings, leaseSeconds, observe },
    async close() {
      await inline.close();
      await wakeUp.close();
    },
  };
}
