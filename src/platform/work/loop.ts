import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import type { Subjects } from '../database/notifications.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Intake } from './intake.ts';
import { createLostClaims } from './lost-claims.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { createOutcomes } from './outcomes.ts';
import type { Registration } from './registration.ts';

export interface ClaimRequest {
  workerId: string;
  /** The token that the claimed items are held under. */
  token: string;
  want: number;
  /** Where there may be work, as far as notifications said. */
  subjects: Subjects;
}

interface Claimed<Item> {
  items: Item[];
  /** Whether there may be more to claim at once. */
  isMore: boolean;
}

export interface NextDue {
  /** Milliseconds until the item is due, 0 or less if it already is; null when none waits. */
  wait_ms: number | null;
  /** The database's time of this answer. */
  asked_at: Date;
}

/** One kind of durable work: its statements, and how an item is run. */
interface Work<Item, Outcome> {
  kind: 'jobs' | 'events' | 'deliveries';
  claim(sql: Database, request: ClaimRequest): Promise<Claimed<Item>>;
  /** Resolves to how it ended; to undefined when there is nothing left to write. Never rejects. */
  run(item: Item): Promise<Outcome | undefined>;
  /** Writes outcomes, and drops those whose claim has ended. Returns the ids of the dropped ones. */
  settle(sql: Database, outcomes: Outcome[]): Promise<string[]>;
  /** Releases all that a claim took, as if it had not been. Returns how many items that were. */
  releaseClaim(sql: Database, token: string): Promise<number>;
  /** Finds the next of the unclaimed items that are due later than `since`; of all if it is null. */
  findNextDue(sql: Database, since: Date | null): Promise<NextDue>;
  /** The outcome of an item that was claimed and not begun: as if it had not been claimed. */
  released(item: Item): Outcome;
  /** The outcome of an item that runs when its worker has to stop. */
  stopped(item: Item, runtimeMs: number): Outcome;
  /** The outcome in place of one that PostgreSQL cannot store. */
  unwritable(outcome: Outcome, error: unknown): Outcome;
  /** Whether the item waits again, so that the next due time has to be looked up. */
  isWaiting(outcome: Outcome): boolean;
  /** Tells running items why they should end. */
  interrupt?(why: 'lease lost' | 'shutdown'): void;
}

interface LoopOptions<Item, Outcome> {
  work: Work<Item, Outcome>;
  intake: Intake<Item>;
  registration: Registration;
  /** Claims, outcomes and due times each have a connection, so that while one batch is written the next is claimed. */
  lanes: { claims: Database; outcomes: Database; dueTimes: Database };
  log: Logger;
  metrics?: Pick<Metrics, 'observeClaim'> | undefined;
  leaseSeconds: number;
  pollSeconds: number;
  /** Called when an item has ended, or a claim found nothing. */
  onAdvance?(): void;
}

/** Claims items, runs them and writes their outcomes. */
export interface Loop<Item> {
  /** There may be work. */
  wake(subjects?: Subjects): void;
  /** Runs an item that was claimed elsewhere. `written` is called when its outcome is in the database, or never will be. */
  begin(item: Item, written?: () => void): void;
  /** A claim under this token failed; it may have been committed nevertheless. */
  claimFailed(token: string): void;
  begun(): number;
  running(): number;
  /** Whether items are claimed that have not begun. */
  isHolding(): boolean;
  /** Whether nothing runs, nothing is held, and the last claim found nothing more. */
  isEmpty(): boolean;
  /**
   * Claims no more, lets running items finish for the grace period and hands back the rest. Resolves to whether claims
   * may be left, which end with the lease.
   */
  stop(graceSeconds: number): Promise<boolean>;
}

/** An item that has waited for a slot for this long is released, so that another worker can take it. */
const LONGEST_HOLD_MS = 500;
/** How long running items have to react to being interrupted. */
const ABORT_MS = 2000;
/** The longest time that a timer of Node.js takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Starts the loop that every kind of durable work has: it claims as much as will be needed soon, runs it, and writes
 * outcomes in batches, each again until it is written or its claim has ended.
 */
export function startLoop<Item, Outcome>(options: LoopOptions<Item, Outcome>): Loop<Item> {
  const { work, intake, registration, lanes, log } = options;
  const running = new Map<Item, number>();
  let begunCount = 0;
  let mayHaveWork = true;
  /** A notification that comes while a claim runs may be about work that the claim did not see. */
  let wasWoken = true;
  let subjects: Subjects = 'any';
  let isStopping = false;
  let dueTimer: NodeJS.Timeout | undefined;
  let dueAskedAt: Date | null = null;
  let whenIdle: (() => void) | undefined;

  const outcomes = createOutcomes<Outcome>({
    log,
    unwritable: work.unwritable,
    async write(batch) {
      const dropped = await work.settle(lanes.outcomes, batch);
      if (dropped.length > 0)
        log.warn({ ids: dropped }, 'outcomes were dropped, because their claims have ended');
      if (batch.some(work.isWaiting)) wake();
    },
    onWritten() {
      if (isIdle()) whenIdle?.();
      options.onAdvance?.();
    },
  });
  const lostClaims = createLostClaims({
    ...options,
    release: (token) => work.releaseClaim(lanes.claims, token),
    onReleased: () => wake(),
  });

  function begin(item: Item, written?: () => void): void {
    const startedAt = performance.now();
    begunCount += 1;
    running.set(item, startedAt);
    void work.run(item).then((outcome) => {
      // At shutdown it may have been handed back already; then its outcome is dropped.
      const isHeld = running.get(item) === startedAt;
      if (isHeld) running.delete(item);
      if (isHeld && outcome !== undefined) outcomes.add(outcome, written);
      else written?.();
      intake.ended(item);
      advance();
      if (isIdle()) whenIdle?.();
      options.onAdvance?.();
    });
  }

  /** Begins what there are slots for, and claims more when it will be needed. */
  function advance(): void {
    for (let item = intake.begin(); item !== undefined; item = intake.begin()) begin(item);
    if (mayClaim()) claims.ask();
  }

  function mayClaim(): boolean {
    return !isStopping && mayHaveWork && intake.wanted(wasWoken) > 0;
  }

  const claims = oneAtATime(async () => {
    if (!mayClaim()) return;
    const want = intake.wanted(wasWoken);
    const request = { workerId: registration.current().id, token: newId(), want, subjects };
    wasWoken = false;
    subjects = 'any';
    const startedAt = performance.now();
    try {
      const { items, isMore } = await work.claim(lanes.claims, request);
      options.metrics?.observeClaim({
        work: work.kind,
        count: items.length,
        seconds: (performance.now() - startedAt) / 1000,
      });
      mayHaveWork = isMore || wasWoken;
      intake.add(items);
    } catch (error) {
      log.error({ err: error }, 'claiming failed; trying again');
      lostClaims.add(request.token);
      wasWoken = true;
      await pause(200 + Math.random() * 300);
    }
    if (isStopping) release(intake.takeHeld(0));
    advance();
    if (!mayHaveWork) dueTimes.ask();
    options.onAdvance?.();
  });

  function wake(told: Subjects = 'any'): void {
    if (!mayHaveWork) subjects = told;
    else if (told === 'any' || subjects === 'any') subjects = 'any';
    else subjects = new Set([...subjects, ...told]);
    mayHaveWork = true;
    wasWoken = true;
    advance();
  }

  /**
   * Sleeps exactly until the next item is due. An item may become due after the claim that did not find it, and before this
   * looks. It asks for what is due later than when it last looked, so it finds this item, too, and wakes at once.
   */
  const dueTimes = oneAtATime(async () => {
    try {
      const { wait_ms, asked_at } = await work.findNextDue(lanes.dueTimes, dueAskedAt);
      dueAskedAt = asked_at;
      clearTimeout(dueTimer);
      if (wait_ms === null || isStopping) return;
      if (wait_ms <= 0) wake();
      else dueTimer = setTimeout(wake, Math.min(wait_ms + 1, LONGEST_TIMER_MS));
    } catch (error) {
      log.debug({ err: error }, 'the next due time is not known; polling will find the work');
    }
  });

  function release(items: Item[]): void {
    for (const item of items) outcomes.add(work.released(item));
  }

  function isIdle(): boolean {
    return running.size === 0 && outcomes.isIdle();
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

  /** Items that ignore that they were interrupted: their outcome, when it comes, is dropped. */
  function handBackRunning(): void {
    for (const [item, startedAt] of running)
      outcomes.add(work.stopped(item, Math.round(performance.now() - startedAt)));
    running.clear();
  }

  const timers = [
    setInterval(() => wake(), options.pollSeconds * 1000),
    setInterval(() => release(intake.takeHeld(LONGEST_HOLD_MS)), LONGEST_HOLD_MS / 2),
  ];
  const unsubscribe = registration.onLost(() => {
    intake.takeHeld(0);
    work.interrupt?.('lease lost');
  });
  advance();

  return {
    wake,
    begin,
    claimFailed: lostClaims.add,
    begun: () => begunCount,
    running: () => running.size,
    isHolding: intake.isHolding,
    isEmpty: () => running.size === 0 && !intake.isHolding() && !mayHaveWork,
    async stop(graceSeconds) {
      isStopping = true;
      clearTimeout(dueTimer);
      for (const timer of timers) clearInterval(timer);
      release(intake.takeHeld(0));
      await Promise.all([claims.ended(), dueTimes.ended()]);
      await idle(graceSeconds * 1000);
      if (!isIdle()) {
        work.interrupt?.('shutdown');
        await idle(ABORT_MS);
        handBackRunning();
        await idle(ABORT_MS);
      }
      outcomes.giveUp();
      unsubscribe();
      const mayHold = !isIdle() || lostClaims.areLeft();
      lostClaims.close();
      return mayHold;
    },
  };
}
