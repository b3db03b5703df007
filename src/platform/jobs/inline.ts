import { NexusError } from '../../contract/errors.ts';
import type { Database } from '../database/database.ts';
import { transaction } from '../database/transaction.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../telemetry/logger.ts';
import { claimById, type LeasedJob } from './claim.ts';
import type { Endings } from './endings.ts';
import type { Enqueue, Enqueued, NewJob } from './enqueue.ts';
import { createExecutor, type Executor, type ObserveAttempt } from './executor.ts';
import type { JobTypes } from './job-type.ts';
import type { WakeUp } from './wake-up.ts';

/** Runs jobs here and now, for callers that wait for the end. */
export interface Inline {
  /**
   * Resolves when the job is over. It has one attempt. Under an idempotency key that was used before, nothing is run:
   * the job is the one that exists, in whatever state it is.
   */
  run<Payload>(job: NewJob<Payload>): Promise<Enqueued>;
  /** Interrupts what still runs and hands it back, for a worker to finish. */
  close(): Promise<void>;
}

export interface InlineOptions {
  sql: Database;
  types: JobTypes;
  wakeUp: WakeUp;
  log: Logger;
  enqueue: Enqueue;
  leaseSeconds: number;
  endings?: Endings | undefined;
  observe?: ObserveAttempt | undefined;
}

/** Its entry among the workers serves no queue; it is made when the first job comes. */
export function createInline(options: InlineOptions): Inline {
  const { sql, enqueue } = options;
  let starting: Promise<Executor> | undefined;

  async function executor(): Promise<Executor> {
    starting ??= createExecutor({ ...options, queues: [], concurrency: 0 });
    try {
      return await starting;
    } catch (error) {
      starting = undefined;
      throw error;
    }
  }

  return {
    async run(job) {
      const { worker, begin, claimFailed } = await executor();
      const token = newId();
      const [enqueued, leased] = await transaction(sql, async (tx): Promise<[Enqueued, LeasedJob?]> => {
        const enqueued = await enqueue(tx, {
          ...job,
          executionMode: 'sync',
          maxAttempts: 1,
          delaySeconds: 0,
        });
        if (!enqueued.created) return [enqueued];
        const leased = await claimById(tx, enqueued.id, worker().id, token);
        if (!leased) throw new NexusError('E_UNAVAILABLE', 'Nexus lost its database for a while. Try again.');
        return [enqueued, leased];
      }).catch((error): never => {
        claimFailed(token);
        throw error;
      });
      if (leased) await new Promise<void>((written) => begin(leased, written));
      return enqueued;
    },

    async close() {
      await (await starting)?.stop(0);
    },
  };
}
