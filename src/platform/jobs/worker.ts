import type { Database } from '../database/database.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../telemetry/logger.ts';
import { exchange, type LeasedJob, type Outcome, untilNextDue } from './exchange.ts';
import type { JobTypes } from './job-type.ts';
import { type Registration, register } from './registration.ts';
import { type Interruption, interruptedAttempt, type RunningJob, runJob } from './run-job.ts';
import { recoverStaleLeases } from './stale-leases.ts';
import type { WakeUp } from './wake-up.ts';

export interface WorkerOptions {
  sql: Database;
  types: JobTypes;
  wakeUp: WakeUp;
  log: Logger;
  queues: string[];
  concurrency: number;
  leaseSeconds: number;
  pollSeconds: number;
  graceSeconds: number;
  /** Stop by itself after this many jobs have been begun and are done. */
  maxJobs?: number | undefined;
  /** Stop by itself when nothing is due. */
  untilEmpty?: boolean | undefined;
}

export interface Worker {
  name: string;
  /** Resolves when the worker has stopped, by itself or by `stop`. */
  stopped: Promise<void>;
  /** Claims no more, lets running jobs finish for the grace period, then hands them back. */
  stop(): Promise<void>;
  /** How many attempts it has begun. */
  begun(): number;
}

/** At most this many jobs are asked for at once. */
const LARGEST_CLAIM = 1000;
/** Jobs are claimed ahead for as long as this at the present rate, so that slots do not wait for the database. */
const AHEAD_MS = 100;
/** A claimed job that has waited this long for a slot goes back to where another worker can take it. */
const LONGEST_HOLD_MS = 500;
/** How often running jobs are checked for having been cancelled or lost, beside the hints. */
const CHECK_MS = 1000;
/** After the grace period, how long handlers have to react to their signal. */
const ABORT_MS = 2000;

export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { sql, types, wakeUp, log, queues, concurrency } = options;
  const running = new Map<string, RunningJob>();
  let ahead: LeasedJob[] = [];
  let heldSince = 0;
  let outcomes: Outcome[] = [];
  let begunCount = 0;
  let finishedCount = 0;
  /** Jobs finished per millisecond, smoothed. */
  let rate = 0;
  let countedAt = performance.now();
  let countedFinished = 0;
  let mayHaveWork = true;
  /** A hint that comes while a claim is under way speaks of work that the claim may not have seen. */
  let wasHinted = false;
  let isStopping = false;
  let isExchanging = false;
  let firstQueue = 0;
  let dueTimer: NodeJS.Timeout | undefined;
  let whenIdle: () => void = () => undefined;
  let resolveStopped: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => {
    resolveStopped = resolve;
  });

  const registration: Registration = await register({
    ...options,
    runningCount: () => running.size,
    onLost: () => interruptAll('lease lost'),
  });

  function interruptAll(why: Interruption): void {
    for (const entry of running.values()) entry.interrupt(why);
    if (why === 'lease lost') ahead = [];
  }

  /** Fills free slots with what has been claimed. */
  function fill(): void {
    let next = 0;
    while (running.size < concurrency && next < ahead.length) begin(ahead[next++] as LeasedJob);
    if (next > 0) {
      ahead = ahead.slice(next);
      heldSince = performance.now();
    }
  }

  function begin(job: LeasedJob): void {
    begunCount += 1;
    const entry = runJob(job, { sql, types, log, worker: registration.current });
    running.set(job.id, entry);
    void entry.ending.then((outcome) => {
      if (running.get(job.id) !== entry) return;
      running.delete(job.id);
      finishedCount += 1;
      if (outcome) outcomes.push(outcome);
      fill();
      turn();
    });
  }

  /** How many jobs to claim now: the free slots, and what the present rate needs until the next claim comes back. */
  function wanted(): number {
    if (isStopping || !mayHaveWork) return 0;
    const slots = concurrency - running.size - ahead.length;
    if (options.maxJobs !== undefined) {
      return Math.max(0, Math.min(slots, options.maxJobs - begunCount - ahead.length));
    }
    const target = Math.min(LARGEST_CLAIM, Math.ceil(rate * AHEAD_MS));
    return Math.max(slots, ahead.length < target / 2 ? target - ahead.length : 0, 0);
  }

  /** One exchange at a time. What ends while it is under way goes with the next one: no timers, no waiting. */
  function turn(): void {
    if (isExchanging) return;
    if (outcomes.length === 0 && wanted() === 0) {
      if (running.size > 0 || ahead.length > 0) return;
      whenIdle();
      if (isDone() && !isStopping) void stop();
      return;
    }
    isExchanging = true;
    // Everything that ends in this turn of the event loop shares the exchange.
    setImmediate(() => {
      void trade().finally(() => {
        isExchanging = false;
        turn();
      });
    });
  }

  async function trade(): Promise<void> {
    const handedIn = outcomes;
    const want = wanted();
    outcomes = [];
    wasHinted = false;
    try {
      const { claimed, dropped } = await exchange(sql, {
        worker: registration.current(),
        outcomes: handedIn,
        queues: rotated(),
        want,
        token: newId(),
      });
      if (dropped.length > 0)
        log.warn({ jobs: dropped }, 'results were dropped: the jobs are no longer leased here');
      if (want > 0) took(claimed, want);
    } catch (error) {
      outcomes = handedIn.concat(outcomes);
      log.error({ err: error }, 'the exchange with the database failed; trying again');
      await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 300));
    }
  }

  function took(claimed: LeasedJob[], want: number): void {
    mayHaveWork = claimed.length === want || wasHinted;
    if (ahead.length === 0) heldSince = performance.now();
    ahead = ahead.concat(claimed);
    measure();
    fill();
    if (!mayHaveWork) void sleepUntilDue();
  }

  /** Whether a worker that stops by itself has come to its end. */
  function isDone(): boolean {
    if (options.maxJobs !== undefined && begunCount >= options.maxJobs) return true;
    return options.untilEmpty === true && !mayHaveWork;
  }

  function measure(): void {
    const now = performance.now();
    if (now - countedAt < 5) return;
    const current = (finishedCount - countedFinished) / (now - countedAt);
    rate = rate === 0 ? current : rate * 0.6 + current * 0.4;
    countedAt = now;
    countedFinished = finishedCount;
  }

  /** No queue goes first for ever. */
  function rotated(): string[] {
    firstQueue = (firstQueue + 1) % queues.length;
    return [...queues.slice(firstQueue), ...queues.slice(0, firstQueue)];
  }

  function wake(): void {
    mayHaveWork = true;
    wasHinted = true;
    turn();
  }

  async function sleepUntilDue(): Promise<void> {
    clearTimeout(dueTimer);
    try {
      const wait = await untilNextDue(sql, queues);
      if (wait === null || isStopping) return;
      clearTimeout(dueTimer);
      dueTimer = setTimeout(wake, Math.min(Math.max(wait, 0) + 1, 2 ** 31 - 1));
    } catch (error) {
      log.debug({ err: error }, 'the next due time is not known; polling will find the work');
    }
  }

  /** A slow job must not keep others waiting that another worker could do. */
  function giveBackHeld(): void {
    if (ahead.length === 0 || performance.now() - heldSince < LONGEST_HOLD_MS) return;
    outcomes.push(...ahead.map((job): Outcome => ({ kind: 'release', job })));
    ahead = [];
    rate = 0;
    turn();
  }

  async function checkRunning(): Promise<void> {
    const held = [...running.values()].filter(({ startedAt }) => performance.now() - startedAt > CHECK_MS);
    if (held.length === 0) return;
    const lost = await sql<{ id: string; is_cancelled: boolean }[]>`
      select held.id, jobs.cancelled_at is not null as is_cancelled
      from unnest(
        ${held.map(({ job }) => job.id)}::uuid[],
        ${held.map(({ job }) => job.lease_token)}::uuid[]
      ) as held (id, token)
      left join job_queue on job_queue.job_id = held.id and job_queue.lease_token = held.token
      left join jobs on jobs.id = held.id
      where job_queue.job_id is null`;
    for (const { id, is_cancelled } of lost)
      running.get(id)?.interrupt(is_cancelled ? 'cancelled' : 'lease lost');
  }

  const inBackground = (name: string, work: () => Promise<unknown>) => () => {
    work().catch((error) => log.warn({ err: error }, `${name} failed; trying again`));
  };
  const timers = [
    setInterval(wake, options.pollSeconds * 1000),
    setInterval(giveBackHeld, LONGEST_HOLD_MS / 2),
    setInterval(inBackground('checking running jobs', checkRunning), CHECK_MS),
    setInterval(
      inBackground('looking for dead workers', async () => {
        if ((await recoverStaleLeases(sql, types, log)) > 0) wake();
      }),
      (options.leaseSeconds * 1000) / 3,
    ),
  ];
  const unsubscribe = [
    wakeUp.onWork((hinted) => {
      if (hinted === 'any' || queues.some((queue) => hinted.has(queue))) wake();
    }),
    wakeUp.onCancelled((jobId) => running.get(jobId)?.interrupt('cancelled')),
  ];

  let stopping: Promise<void> | undefined;
  function stop(): Promise<void> {
    stopping ??= windDown().then(resolveStopped);
    return stopping;
  }

  async function windDown(): Promise<void> {
    isStopping = true;
    clearTimeout(dueTimer);
    outcomes.push(...ahead.map((job): Outcome => ({ kind: 'release', job })));
    ahead = [];
    await idle(options.graceSeconds * 1000);
    if (running.size > 0) {
      interruptAll('shutdown');
      await idle(ABORT_MS);
      // Handlers that ignore their signal: what they return later is dropped.
      for (const { job, startedAt } of running.values()) {
        outcomes.push(interruptedAttempt(job, Math.round(performance.now() - startedAt)));
      }
      running.clear();
      await idle(ABORT_MS);
    }
    for (const timer of timers) clearInterval(timer);
    for (const off of unsubscribe) off();
    await registration.close();
  }

  /** Resolves when nothing runs and everything is handed in, or when the time is over. */
  function idle(patienceMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, patienceMs);
      whenIdle = () => {
        clearTimeout(timer);
        resolve();
      };
      turn();
    });
  }

  turn();
  return { name: registration.current().name, stopped, stop, begun: () => begunCount };
}
