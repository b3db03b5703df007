import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import { transaction } from '../database/transaction.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { LeasedJob } from './claim.ts';
import { type EndedJob, type Endings, endedBy } from './endings.ts';
import type { JobTypes } from './job-type.ts';
import { createLostClaims } from './lost-claims.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { register } from './registration.ts';
import { type Interruption, interruptedAttempt, RunningJob, runJob, unwritableResult } from './run-job.ts';
import { type Outcome, settle } from './settle.ts';
import { STEADY_PLANS } from './steady-plans.ts';
import type { WakeUp } from './wake-up.ts';

/** Runs attempts under the leases of one entry among the workers, and writes what became of them. */
export interface Executor {
  /** Where its worker claims, and where it looks at what is due next. */
  claims: Database;
  dueTimes: Database;
  worker(): { id: string; name: string };
  /** How many attempts are under way. */
  running(): number;
  /** A claim under this token failed; nobody may ever hear of what it leased. */
  claimFailed(token: string): void;
  /** Begins an attempt. `written` is called when its outcome is in the database, or never will be. */
  begin(job: LeasedJob, written?: () => void): void;
  /** Gives back what was claimed and not begun, as if it had not been. */
  release(jobs: LeasedJob[]): void;
  /** Lets what runs finish for the grace period, hands back the rest, and signs off. */
  stop(graceSeconds: number): Promise<void>;
}

/** Told of every attempt that has ended here, however it ended. */
export type ObserveAttempt = (attempt: { job_type: string; waitedMs: number; runtimeMs: number }) => void;

export interface ExecutorOptions {
  sql: Database;
  types: JobTypes;
  wakeUp: WakeUp;
  log: Logger;
  queues: string[];
  concurrency: number;
  leaseSeconds: number;
  endings?: Endings | undefined;
  observe?: ObserveAttempt | undefined;
  /** An attempt has ended; its outcome may not be written yet. */
  onEnded?(): void;
  /** A job that was leased here waits again. */
  onWaiting?(): void;
  /** This worker was taken for dead: whatever it holds is not its own any more. */
  onLeasesLost?(): void;
}

/** How often running jobs are checked for having been cancelled or lost, beside the hints. */
const CHECK_MS = 1000;
/** After the grace period, how long handlers have to react to their signal. */
const ABORT_MS = 2000;

interface Ending {
  outcome: Outcome;
  written?: (() => void) | undefined;
}

export async function createExecutor(options: ExecutorOptions): Promise<Executor> {
  const { sql, types, wakeUp, log, endings } = options;
  // Each kind of statement has a connection of its own: it waits for no other, and is planned once.
  const lane = () => sql.sibling({ poolSize: 1, settings: STEADY_PLANS, keepsIdle: true });
  const lanes = { claims: lane(), outcomes: lane(), dueTimes: lane() };
  const running = new Map<string, RunningJob>();
  /** Ended, and not yet in the database. */
  let ended: Ending[] = [];
  let isWriting = false;
  let isClosed = false;
  let whenIdle: (() => void) | undefined;

  const registration = await register({
    ...options,
    runningCount: () => running.size,
    onLost() {
      interruptAll('lease lost');
      options.onLeasesLost?.();
    },
  });

  const lostClaims = createLostClaims({ ...options, onReleased: () => options.onWaiting?.() });
  const runner = { sql, types, log, worker: registration.current, endings };

  function begin(job: LeasedJob, written?: () => void): void {
    const entry = new RunningJob(job, runner);
    running.set(job.id, entry);
    void runJob(entry, runner).then((outcome) => end(entry, outcome, written));
  }

  function end(entry: RunningJob, outcome: Outcome | undefined, written?: () => void): void {
    const { job, startedAt } = entry;
    const runtimeMs = performance.now() - startedAt;
    options.observe?.({ job_type: job.job_type, waitedMs: job.waited_ms, runtimeMs });
    // At shutdown it may have been handed back already; what it says now is dropped.
    const isHeld = running.get(job.id) === entry;
    if (isHeld) running.delete(job.id);
    if (isHeld && outcome) ended.push({ outcome, written });
    else written?.();
    options.onEnded?.();
    writing.ask();
  }

  const writing = oneAtATime(async () => {
    // Everything that ends in this turn of the event loop goes together.
    await new Promise(setImmediate);
    const batch = ended;
    ended = [];
    isWriting = true;
    if (batch.length > 0) await writeBatch(batch);
    isWriting = false;
    reportIdle();
  });

  async function writeBatch(batch: Ending[]): Promise<void> {
    try {
      const dropped = await settleAndTell(batch.map(({ outcome }) => outcome));
      if (dropped.length > 0)
        log.warn({ jobs: dropped }, 'results were dropped: the jobs are no longer leased here');
      for (const { written } of batch) written?.();
      if (batch.some(({ outcome }) => outcome.kind === 'retry')) options.onWaiting?.();
    } catch (error) {
      if (isAboutData(error)) return writeEachAlone(batch, error);
      if (isClosed) {
        log.warn({ err: error }, 'outcomes were not written; the jobs run again elsewhere');
        for (const { written } of batch) written?.();
        return;
      }
      log.error({ err: error }, 'writing outcomes failed; trying again');
      ended = batch.concat(ended);
      await pause(200 + Math.random() * 300);
      writing.ask();
    }
  }

  /** One statement, unless somebody is to be told: then that and the outcomes commit together. */
  async function settleAndTell(outcomes: Outcome[]): Promise<string[]> {
    const { name } = registration.current();
    const told = endings ? outcomes.filter(isToldBy(endings)) : [];
    if (!endings || told.length === 0) return settle(lanes.outcomes, name, outcomes);
    return transaction(lanes.outcomes, async (tx) => {
      const dropped = await settle(tx, name, outcomes);
      const kept = told.filter(({ job }) => !dropped.includes(job.id));
      await endings.tell(tx, kept.map(endedBy) as EndedJob[]);
      return dropped;
    });
  }

  /** One outcome that PostgreSQL will not take must not hold up the others, nor be tried for ever. */
  async function writeEachAlone(batch: Ending[], error: unknown): Promise<void> {
    const [only, ...others] = batch;
    if (only && others.length === 0) {
      return writeBatch([{ ...only, outcome: unwritableResult(only.outcome, error) }]);
    }
    for (const ending of batch) await writeBatch([ending]);
  }

  function release(jobs: LeasedJob[]): void {
    ended.push(...jobs.map((job): Ending => ({ outcome: { kind: 'release', job } })));
    writing.ask();
  }

  function interruptAll(why: Interruption): void {
    for (const entry of running.values()) entry.interrupt(why);
  }

  function isIdle(): boolean {
    return running.size === 0 && ended.length === 0 && !isWriting;
  }

  function reportIdle(): void {
    if (isIdle()) whenIdle?.();
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

  const checks = setInterval(() => {
    checkRunning().catch((error) => log.warn({ err: error }, 'checking running jobs failed; trying again'));
  }, CHECK_MS);
  const unsubscribe = wakeUp.onCancelled((jobId) => running.get(jobId)?.interrupt('cancelled'));

  async function stop(graceSeconds: number): Promise<void> {
    await idle(graceSeconds * 1000);
    if (!isIdle()) {
      interruptAll('shutdown');
      await idle(ABORT_MS);
      handBackRunning();
      await idle(ABORT_MS);
    }
    isClosed = true;
    clearInterval(checks);
    const mayHold = !isIdle() || lostClaims.areLeft();
    lostClaims.close();
    unsubscribe();
    await registration.close(mayHold);
    await Promise.all(Object.values(lanes).map((each) => each.end()));
  }

  /** Handlers that ignore their signal: what they return later is dropped. */
  function handBackRunning(): void {
    for (const { job, startedAt } of running.values()) {
      ended.push({ outcome: interruptedAttempt(job, Math.round(performance.now() - startedAt)) });
    }
    running.clear();
    writing.ask();
  }

  /** Resolves when nothing runs and everything is written, or when the time is over. */
  async function idle(patienceMs: number): Promise<void> {
    if (isIdle()) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patienceMs);
      whenIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  const { claims, dueTimes } = lanes;
  return {
    claims,
    dueTimes,
    worker: registration.current,
    running: () => running.size,
    claimFailed: lostClaims.add,
    begin,
    release,
    stop,
  };
}

const isToldBy = (endings: Endings) => (outcome: Outcome) =>
  (outcome.kind === 'succeeded' || outcome.kind === 'failed') && endings.concern(outcome.job.job_type);

/** Class 22: a value that PostgreSQL cannot store, such as a NUL character in a text. */
function isAboutData(error: unknown): boolean {
  return /^22/.test(String((error as { code?: unknown }).code ?? ''));
}
