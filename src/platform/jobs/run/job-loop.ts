import type { Database } from '../../database/database.ts';
import type { Listener } from '../../database/listener.ts';
import { transaction } from '../../database/transaction.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { createSlotIntake } from '../../work/intake.ts';
import { openLane } from '../../work/lanes.ts';
import { type Loop, startLoop } from '../../work/loop.ts';
import type { Registration } from '../../work/registration.ts';
import { claim, type LeasedJob, releaseClaim, untilNextDue } from '../claim/claim.ts';
import type { JobTypes } from '../job-type.ts';
import type { Endings } from '../settle/endings.ts';
import type { Outcome } from '../settle/outcome.ts';
import { settle, settleAndTell } from '../settle/settle.ts';
import { createExecutor, type ObserveAttempt } from './executor.ts';
import { stoppedAttempt, unwritableResult } from './run-job.ts';

export interface JobLoopOptions {
  sql: Database;
  types: JobTypes;
  listener: Listener;
  log: Logger;
  registration: Registration;
  endings: Endings;
  leaseSeconds: number;
  pollSeconds: number;
  /** The queues to claim from; none for a loop that is only handed jobs. */
  queues: string[];
  concurrency: number;
  /** Claims no more than this many jobs in all. */
  maxJobs?: number | undefined;
  observe?: ObserveAttempt | undefined;
  onAdvance?(): void;
}

/** The loop of jobs: their claim, run, settle and release, on connections of their own. */
export function startJobLoop(options: JobLoopOptions): Loop<LeasedJob> {
  const { sql, queues, concurrency, maxJobs, registration, endings } = options;
  const lanes = { claims: openLane(sql), outcomes: openLane(sql), dueTimes: openLane(sql) };
  const executor = createExecutor({ ...options, worker: registration.current });
  let firstQueue = 0;

  /** No queue goes first for ever. */
  function rotated(): string[] {
    firstQueue = (firstQueue + 1) % queues.length;
    return [...queues.slice(firstQueue), ...queues.slice(0, firstQueue)];
  }

  const loop = startLoop<LeasedJob, Outcome>({
    ...options,
    lanes,
    intake: createSlotIntake<LeasedJob>(concurrency, maxJobs),
    work: {
      run: executor.run,
      interrupt: executor.interruptAll,
      // An idle worker that is notified of one queue need not look into the others.
      async claim(lane, { subjects, ...request }) {
        const served = rotated().filter((queue) => subjects === 'any' || subjects.has(queue));
        const items = await claim(lane, { ...request, queues: served });
        return { items, isMore: items.length === request.want };
      },
      async settle(lane, outcomes) {
        const { name } = registration.current();
        const isTold = outcomes.some(({ kind, job }) => isEnd(kind) && endings.concern(job.job_type));
        // One statement, unless somebody is told: then that and the outcomes commit together.
        if (!isTold) return settle(lane, name, outcomes);
        return transaction(lane, (tx) => settleAndTell(tx, name, outcomes, endings));
      },
      releaseClaim,
      untilNextDue: (lane) => untilNextDue(lane, queues),
      released: (job) => ({ kind: 'released', job }),
      stopped: stoppedAttempt,
      unwritable: unwritableResult,
      isWaiting: ({ kind }) => kind === 'retry' || kind === 'interrupted',
    },
  });

  return {
    ...loop,
    async stop(graceSeconds) {
      const mayHold = await loop.stop(graceSeconds);
      executor.close();
      await Promise.all(Object.values(lanes).map((lane) => lane.end()));
      return mayHold;
    },
  };
}

const isEnd = (kind: Outcome['kind']) => kind === 'succeeded' || kind === 'failed';
