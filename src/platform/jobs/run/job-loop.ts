import type { Database } from '../../database/database.ts';
import type { Listener } from '../../database/listener.ts';
import { transaction } from '../../database/transaction.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { isTracing } from '../../telemetry/tracing.ts';
import { createSlotIntake } from '../../work/intake.ts';
import { openLane } from '../../work/lanes.ts';
import { type Loop, startLoop } from '../../work/loop.ts';
import type { Registration } from '../../work/registration.ts';
import { claim, findNextDue, type LeasedJob, releaseClaim } from '../claim/claim.ts';
import type { Outcome } from '../settle/endings.ts';
import { settle, settleAndNotify } from '../settle/settle.ts';
import { endOf, inAttemptSpan } from './attempt-span.ts';
import { runJob, stoppedAttempt, unwritableResult } from './run-job.ts';
import { type Interruption, type RunnerDependencies, RunningJob } from './running-job.ts';

export interface JobLoopOptions extends Omit<RunnerDependencies, 'worker'> {
  listener: Listener;
  registration: Registration;
  leaseSeconds: number;
  pollSeconds: number;
  /** The queues to claim from; none for a loop that is only handed jobs. */
  queues: string[];
  concurrency: number;
  /** Claims no more than this many jobs in all. */
  maxJobs?: number | undefined;
  metrics?: Pick<Metrics, 'observeAttempt' | 'observeClaim' | 'countRecovered'> | undefined;
  onAdvance?(): void;
}

/** The topic of jobs that were cancelled while they ran; the subjects are their ids. */
export const JOBS_CANCELLED = 'cancelled_jobs';

/** How often running jobs are checked for having been cancelled or lost, beside the notifications. */
const CHECK_MS = 1000;

/** The loop of jobs: their claim, run, settle and release, on connections of their own. */
export function startJobLoop(options: JobLoopOptions): Loop<LeasedJob> {
  const { sql, queues, concurrency, maxJobs, registration, endings } = options;
  const lanes = { claims: openLane(sql), outcomes: openLane(sql), dueTimes: openLane(sql) };
  const attempts = keepAttempts(options);
  let firstQueue = 0;

  /** Returns the queues, each time beginning with another one, so that none goes first for ever. */
  function rotated(): string[] {
    firstQueue = (firstQueue + 1) % queues.length;
    return [...queues.slice(firstQueue), ...queues.slice(0, firstQueue)];
  }

  const loop = startLoop<LeasedJob, Outcome>({
    ...options,
    lanes,
    intake: createSlotIntake<LeasedJob>(concurrency, maxJobs),
    work: {
      kind: 'jobs',
      run: attempts.run,
      interrupt: attempts.interruptAll,
      // An idle worker that is notified of one queue need not look into the others.
      async claim(lane, { subjects, ...request }) {
        const served = rotated().filter((queue) => subjects === 'any' || subjects.has(queue));
        const items = await claim(lane, { ...request, queues: served });
        return { items, isMore: items.length === request.want };
      },
      async settle(lane, outcomes) {
        const { name } = registration.current();
        const isHeard = outcomes.some(({ kind, job }) => isEnd(kind) && endings.hasListeners(job.job_type));
        // One statement, unless there are listeners: what they write commits together with the outcomes.
        if (!isHeard) return settle(lane, name, outcomes);
        return transaction(lane, (tx) => settleAndNotify(tx, name, outcomes, endings));
      },
      releaseClaim,
      findNextDue: (lane, since) => findNextDue(lane, queues, since),
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
      attempts.close();
      await Promise.all(Object.values(lanes).map((lane) => lane.end()));
      return mayHold;
    },
  };
}

const isEnd = (kind: Outcome['kind']) => kind === 'succeeded' || kind === 'failed';

/** Runs attempts, and interrupts those that were cancelled or whose lease is lost. */
function keepAttempts(options: JobLoopOptions) {
  const { sql, log, listener, metrics, registration } = options;
  const dependencies = { ...options, worker: registration.current };
  /** Few, so that looking for an id among them costs less than an index of ids that every job enters and leaves. */
  const running = new Set<RunningJob>();

  async function checkRunning(): Promise<void> {
    const held = [...running].filter(({ startedAt }) => performance.now() - startedAt > CHECK_MS);
    if (held.length === 0) return;
    for (const { place, is_cancelled } of await findLost(sql, held))
      held[place - 1]?.interrupt(is_cancelled ? 'cancelled' : 'lease lost');
  }

  const checks = setInterval(() => {
    checkRunning().catch((error) => log.warn({ err: error }, 'checking running jobs failed; trying again'));
  }, CHECK_MS);
  const unsubscribe = listener.on(JOBS_CANCELLED, (ids) => {
    if (ids === 'any') return;
    for (const attempt of running) if (ids.has(attempt.jobId)) attempt.interrupt('cancelled');
  });

  return {
    async run(job: LeasedJob): Promise<Outcome | undefined> {
      const attempt = new RunningJob(job, dependencies);
      running.add(attempt);
      const outcome = isTracing()
        ? await inAttemptSpan(attempt, () => runJob(attempt, dependencies))
        : await runJob(attempt, dependencies);
      running.delete(attempt);
      metrics?.observeAttempt({
        job_type: job.job_type,
        outcome: endOf(attempt, outcome),
        waitedMs: job.waited_ms,
        runtimeMs: performance.now() - attempt.startedAt,
      });
      return outcome;
    },
    interruptAll(why: Interruption) {
      for (const attempt of running) attempt.interrupt(why);
    },
    close() {
      clearInterval(checks);
      unsubscribe();
    },
  };
}

/**
 * Finds the attempts whose lease is lost, by their place from 1, and whether their jobs were cancelled. After a lost lease, the
 * next attempt at the same job may already run here, so the id does not tell them apart.
 */
async function findLost(sql: Database, held: RunningJob[]) {
  return sql<{ place: number; is_cancelled: boolean }[]>`
    select held.place, jobs.cancelled_at is not null as is_cancelled
    from unnest(
      ${held.map(({ job }) => job.id)}::uuid[],
      ${held.map(({ job }) => job.lease_token)}::uuid[]
    ) with ordinality as held (id, token, place)
    left join job_queue on job_queue.job_id = held.id and job_queue.lease_token = held.token
    left join jobs on jobs.id = held.id
    where job_queue.job_id is null`;
}
