import { NexusError } from '../../../contract/errors.ts';
import type { Transaction } from '../../database/database.ts';
import { type Claimant, transaction } from '../../database/transaction.ts';
import { newId } from '../../ids.ts';
import type { Loop } from '../../work/loop.ts';
import { type Registration, register } from '../../work/registration.ts';
import { claimById, type LeasedJob } from '../claim/claim.ts';
import { type Enqueued, enqueue, type NewJob } from '../submit/enqueue.ts';
import { type JobLoopOptions, startJobLoop } from './job-loop.ts';

/** The parts that workers and jobs that run inline share. */
export type SharedParts = Pick<
  JobLoopOptions,
  'sql' | 'types' | 'listener' | 'log' | 'endings' | 'leaseSeconds' | 'metrics'
>;

/** Practically never: it claims nothing, so it need not poll. */
const POLL_SECONDS = 3600;

/** Runs jobs here, for callers that wait. Its registration serves no queue, and is made for the first job. */
export function createInline(options: SharedParts) {
  const { sql } = options;
  let starting: Promise<{ registration: Registration; loop: Loop<LeasedJob> }> | undefined;

  async function start() {
    const served = { queues: [], concurrency: 0 };
    const registration = await register({ ...options, ...served, runningCount: () => 0 });
    const loop = startJobLoop({ ...options, ...served, registration, pollSeconds: POLL_SECONDS });
    return { registration, loop };
  }

  async function started() {
    starting ??= start();
    try {
      return await starting;
    } catch (error) {
      starting = undefined;
      throw error;
    }
  }

  return {
    /**
     * Resolves when the job is over. It has one attempt. Under an idempotency key that was used before, nothing is run: the
     * answer is the job that exists, in whatever state it is. The job is created together with the claim of the caller.
     */
    async run<Payload>(job: NewJob<Payload>, claimant?: Claimant): Promise<Enqueued> {
      const { registration, loop } = await started();
      const token = newId();
      const create = async (tx: Transaction): Promise<[Enqueued, LeasedJob?]> => {
        const once = { executionMode: 'sync', maxAttempts: 1, delaySeconds: 0 } as const;
        const enqueued = await enqueue(tx, { ...job, ...once });
        if (!enqueued.created) return [enqueued];
        const leased = await claimById(tx, enqueued.id, registration.current().id, token);
        if (!leased) throw new NexusError('E_UNAVAILABLE', 'Nexus lost its database for a while. Try again.');
        return [enqueued, leased];
      };
      const [enqueued, leased] = await transaction(sql, create, claimant).catch((error): never => {
        loop.claimFailed(token);
        throw error;
      });
      if (leased) await new Promise<void>((written) => loop.begin(leased, written));
      return enqueued;
    },

    /** Interrupts what still runs and hands it back, for a worker to finish. */
    async close(): Promise<void> {
      const running = await starting;
      if (running) await running.registration.close(await running.loop.stop(0));
    },
  };
}
