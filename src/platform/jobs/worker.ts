import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '../ids.ts';
import { claim, untilNextDue } from './claim.ts';
import { createExecutor, type ExecutorOptions } from './executor.ts';
import { oneAtATime } from './one-at-a-time.ts';
import type { Schedule } from './periodic.ts';
import { Prefetch } from './prefetch.ts';
import { recoverStaleLeases } from './stale-leases.ts';

export interface WorkerOptions extends Omit<ExecutorOptions, 'onEnded' | 'onWaiting' | 'onLeasesLost'> {
  pollSeconds: number;
  graceSeconds: number;
  /** Stop by itself after this many jobs have been begun and are done. */
  maxJobs?: number | undefined;
  /** Stop by itself when nothing is due. */
  untilEmpty?: boolean | undefined;
  /** Periodic work to queue when its time comes; a worker that stops by itself leaves that to others. */
  schedule?: Schedule | undefined;
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

/** A claimed job that has waited this long for a slot goes back to where another worker can take it. */
const LONGEST_HOLD_MS = 500;
/** The longest time that a timer of Node.js takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Claims jobs and runs them, as many at once as it has slots. Claims and outcomes travel in statements of their own, on
 * connections of their own: while one batch is written, the next is claimed.
 */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { sql, types, wakeUp, log, queues, concurrency } = options;
  const ahead = new Prefetch();
  let begunCount = 0;
  let mayHaveWork = true;
  /** A hint that comes while a claim is under way speaks of work that the claim may not have seen. */
  let wasHinted = false;
  let isStopping = false;
  let firstQueue = 0;
  /** Where the next claim looks: an idle worker that is hinted at one queue need not look into the others. */
  let hintedQueues: Set<string> | 'all' = 'all';
  let dueTimer: NodeJS.Timeout | undefined;
  let resolveStopped: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => {
    resolveStopped = resolve;
  });

  const executor = await createExecutor({
    ...options,
    onEnded() {
      advance();
      stopIfDone();
    },
    // It may be due at once; if not, the claim that finds nothing looks when it is.
    onWaiting: () => wake(),
    onLeasesLost: () => ahead.clear(),
  });

  /** Fills free slots with what has been claimed, and claims more when it will be needed. */
  function advance(): void {
    while (executor.running() < concurrency) {
      const job = ahead.take();
      if (!job) break;
      begunCount += 1;
      executor.begin(job);
    }
    if (wanted() > 0) claims.ask();
  }

  function wanted(): number {
    if (isStopping || !mayHaveWork) return 0;
    const slots = concurrency - executor.running();
    if (options.maxJobs === undefined) return ahead.missing(slots);
    return Math.max(0, Math.min(slots, options.maxJobs - begunCount) - ahead.size);
  }

  const claims = oneAtATime(async () => {
    const want = wanted();
    if (want === 0) return;
    const lookedAt = rotated().filter((queue) => hintedQueues === 'all' || hintedQueues.has(queue));
    wasHinted = false;
    hintedQueues = 'all';
    const token = newId();
    try {
      const { id } = executor.worker();
      const claimed = await claim(executor.claims, { workerId: id, queues: lookedAt, want, token });
      mayHaveWork = claimed.length === want || wasHinted;
      ahead.add(claimed);
    } catch (error) {
      log.error({ err: error }, 'claiming failed; trying again');
      executor.claimFailed(token);
      await pause(200 + Math.random() * 300);
    }
    if (isStopping) executor.release(ahead.clear());
    advance();
    if (!mayHaveWork) dueTimes.ask();
    stopIfDone();
  });

  /** No queue goes first for ever. */
  function rotated(): string[] {
    firstQueue = (firstQueue + 1) % queues.length;
    return [...queues.slice(firstQueue), ...queues.slice(0, firstQueue)];
  }

  function wake(hinted: Set<string> | 'all' = 'all'): void {
    if (!mayHaveWork) hintedQueues = hinted;
    else if (hinted === 'all' || hintedQueues === 'all') hintedQueues = 'all';
    else hintedQueues = new Set([...hintedQueues, ...hinted]);
    mayHaveWork = true;
    wasHinted = true;
    advance();
  }

  /** Sleeps exactly until the next delayed job is due. */
  const dueTimes = oneAtATime(async () => {
    try {
      const wait = await untilNextDue(executor.dueTimes, queues);
      clearTimeout(dueTimer);
      if (wait !== null && !isStopping)
        dueTimer = setTimeout(wake, Math.min(Math.max(wait, 0) + 1, LONGEST_TIMER_MS));
    } catch (error) {
      log.debug({ err: error }, 'the next due time is not known; polling will find the work');
    }
  });

  /** A slow job must not keep others waiting that another worker could do. */
  function releaseHeld(): void {
    if (ahead.heldMs() > LONGEST_HOLD_MS) executor.release(ahead.clear());
  }

  function stopIfDone(): void {
    if (isStopping || executor.running() > 0 || ahead.size > 0) return;
    const isEnough = options.maxJobs !== undefined && begunCount >= options.maxJobs;
    if (isEnough || (options.untilEmpty && !mayHaveWork)) void stop();
  }

  async function takeBackFromTheDead(): Promise<void> {
    try {
      if ((await recoverStaleLeases(sql, types, log, options.endings)) > 0) wake();
    } catch (error) {
      log.warn({ err: error }, 'looking for dead workers failed; trying again');
    }
  }

  const timers = [
    setInterval(() => wake(), options.pollSeconds * 1000),
    setInterval(releaseHeld, LONGEST_HOLD_MS / 2),
    setInterval(takeBackFromTheDead, (options.leaseSeconds * 1000) / 3),
  ];
  const unsubscribe = wakeUp.onWork((hinted) => {
    if (hinted === 'any') wake();
    else if (queues.some((queue) => hinted.has(queue))) wake(hinted);
  });
  const schedule =
    options.maxJobs === undefined && !options.untilEmpty ? options.schedule?.keep() : undefined;

  let stopping: Promise<void> | undefined;
  function stop(): Promise<void> {
    stopping ??= windDown().then(resolveStopped);
    return stopping;
  }

  async function windDown(): Promise<void> {
    isStopping = true;
    clearTimeout(dueTimer);
    for (const timer of timers) clearInterval(timer);
    unsubscribe();
    executor.release(ahead.clear());
    await Promise.all([claims.ended(), dueTimes.ended(), schedule?.stop()]);
    await executor.stop(options.graceSeconds);
  }

  // One that stops by itself may be gone before it would look for dead workers again.
  await takeBackFromTheDead();
  advance();
  return { name: executor.worker().name, stopped, stop, begun: () => begunCount };
}
