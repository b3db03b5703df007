import { EVENTS } from '../../contract/events.ts';
import type { Database } from '../database/database.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { isTracing } from '../telemetry/tracing.ts';
import { releaseClaimed } from '../work/claimed-rows.ts';
import { createSlotIntake } from '../work/intake.ts';
import {
  interruptionDelay,
  isOwnTrouble,
  MAX_INTERRUPTIONS,
  UNKNOWN_TYPE_DELAY,
} from '../work/interruption.ts';
import { openLane } from '../work/lanes.ts';
import { startLoop } from '../work/loop.ts';
import { register } from '../work/registration.ts';
import { type RetryPolicy, retryDelay } from '../work/retry-policy.ts';
import type { SourceWorker, WorkSource } from '../work/source.ts';
import { createCall } from './call-subscriber.ts';
import { inDispatchSpan } from './dispatch-span.ts';
import {
  type ClaimedEvent,
  claimEvents,
  findNextEvent,
  type Settlement,
  settleEvents,
  takeBackEvents,
} from './dispatch-store.ts';
import { EVENTS_EMITTED } from './emit-event.ts';
import { collectSubscribers, type DeliveredEvent, type Subscriber } from './subscriber.ts';

export interface DispatcherOptions {
  sql: Database;
  log: Logger;
  // biome-ignore lint/suspicious/noExplicitAny: subscribers to events of every type
  subscribers: Subscriber<any>[];
  /** A subscriber that takes longer has failed. */
  handlerSeconds?: number;
  random?: () => number;
  metrics?: Pick<Metrics, 'observeClaim' | 'observeEvent'>;
}

export interface Dispatcher extends WorkSource {
  /** Delivers all events that are due now. Returns how many were begun. */
  deliverDue(signal?: AbortSignal): Promise<number>;
}

/** Enough to keep a database busy; one slot is one event. */
const SLOTS = 1000;
const LONGEST_ERROR = 2000;
/** The lease and the poll of a delivery that ends by itself. */
const ALONE = { leaseSeconds: 30, pollSeconds: 3600 };

export const EVENT_RETRY: RetryPolicy = {
  delays: (attempt) => Math.min(60 * 2 ** (attempt - 1), 3600),
  jitter: 0.1,
};

/** Delivers events to subscribers. Any number of processes may do it; an event belongs to one at a time. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { sql, log, handlerSeconds = 30, random, metrics } = options;
  const subscribersOf = collectSubscribers(options.subscribers);
  const calls = new Map(
    options.subscribers.map((subscriber) => [subscriber.name, createCall(subscriber, handlerSeconds)]),
  );

  async function run(event: ClaimedEvent): Promise<Settlement> {
    const startedAt = performance.now();
    const settlement = await (isTracing() ? inDispatchSpan(event, dispatch) : dispatch(event));
    metrics?.observeEvent({
      outcome: settlement.status === 'pending' ? 'retry' : settlement.status,
      seconds: (performance.now() - startedAt) / 1000,
    });
    return settlement;
  }

  async function dispatch(event: ClaimedEvent): Promise<Settlement> {
    // A newer release may have subscribers to it.
    if (!Object.hasOwn(EVENTS, event.event_type)) {
      const error = `This process knows no event type ${event.event_type}.`;
      return interrupted(event, error, [], UNKNOWN_TYPE_DELAY);
    }
    const left = subscribersOf(event.event_type).filter(({ name }) => !event.delivered_to.includes(name));
    const called = await Promise.all(left.map(({ name }) => call(name, event)));
    const failed = called.filter(({ error }) => error !== null);
    const settlement = {
      event,
      calls: called,
      error: null,
      delaySeconds: 0,
      interruptions: 0,
      released: 0,
    } as const;
    if (failed.length === 0) return { ...settlement, status: 'delivered' };
    const own = failed.find(({ isTrouble }) => !isTrouble);
    const error = (own ?? failed[0])?.error ?? null;
    if (own) {
      const counted = event.attempts - event.interruptions;
      if (counted >= event.max_attempts) return { ...settlement, error, status: 'failed' };
      const delaySeconds = retryDelay(EVENT_RETRY, counted, random);
      return { ...settlement, error, status: 'pending', delaySeconds };
    }
    return interrupted(event, error, called);
  }

  /** The outcome of an attempt that Nexus's own trouble cut short. Interrupted too often, the event has failed. */
  function interrupted(
    event: ClaimedEvent,
    error: string | null,
    calls: Settlement['calls'],
    delaySeconds = interruptionDelay(event.interruptions + 1),
  ): Settlement {
    const status = event.interruptions + 1 >= MAX_INTERRUPTIONS ? 'failed' : 'pending';
    return { event, calls, error, status, delaySeconds, interruptions: 1, released: 0 };
  }

  async function call(subscriber: string, event: ClaimedEvent) {
    try {
      await calls.get(subscriber)?.(event as unknown as DeliveredEvent);
      return { subscriber, error: null };
    } catch (error) {
      const { message } = error as Partial<Error>;
      log.warn(
        { err: error, event_id: event.id, event_type: event.event_type, subscriber },
        'a subscriber failed; the event will be delivered to it again',
      );
      const text = `${subscriber}: ${String(message).replaceAll('\0', '')}`.slice(0, LONGEST_ERROR);
      return { subscriber, error: text, isTrouble: isOwnTrouble(error) };
    }
  }

  const released = (event: ClaimedEvent): Settlement => ({
    event,
    calls: [],
    status: 'pending',
    delaySeconds: 0,
    error: null,
    interruptions: 0,
    released: 1,
  });

  function startDispatch(worker: Omit<SourceWorker, 'listener'>, onAdvance?: () => void) {
    const lanes = { claims: openLane(sql), outcomes: openLane(sql), dueTimes: sql };
    const loop = startLoop<ClaimedEvent, Settlement>({
      ...worker,
      log,
      metrics,
      lanes,
      intake: createSlotIntake(SLOTS),
      ...(onAdvance && { onAdvance }),
      work: {
        kind: 'events',
        async claim(lane, request) {
          const items = await claimEvents(lane, request);
          return { items, isMore: items.length === request.want };
        },
        run,
        settle: settleEvents,
        releaseClaim: (lane, token) => releaseClaimed(lane, 'outbox_event', token),
        findNextDue: findNextEvent,
        released,
        stopped: released,
        // Error messages are free of what PostgreSQL cannot store, so this is a fault of Nexus.
        unwritable: ({ event }) => interrupted(event, 'The outcome cannot be stored.', []),
        isWaiting: ({ status }) => status === 'pending',
      },
    });
    return {
      ...loop,
      async stop(graceSeconds: number) {
        const mayHold = await loop.stop(graceSeconds);
        await Promise.all([lanes.claims.end(), lanes.outcomes.end()]);
        return mayHold;
      },
    };
  }

  return {
    takeBack: takeBackEvents,

    start(worker) {
      const loop = startDispatch(worker);
      const unsubscribe = worker.listener.on(EVENTS_EMITTED, () => loop.wake());
      return {
        wake: loop.wake,
        stop(graceSeconds) {
          unsubscribe();
          return loop.stop(graceSeconds);
        },
      };
    },

    async deliverDue(signal) {
      const registration = await register({
        ...ALONE,
        sql,
        log,
        queues: [],
        concurrency: 0,
        runningCount: () => 0,
      });
      let finish: () => void = () => undefined;
      const finished = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const loop = startDispatch({ ...ALONE, registration }, () => {
        if (loop.isEmpty() || signal?.aborted) finish();
      });
      signal?.addEventListener('abort', finish);
      await finished;
      await registration.close(await loop.stop(handlerSeconds));
      signal?.throwIfAborted();
      return loop.begun();
    },
  };
}
