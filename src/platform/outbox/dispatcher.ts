import type { Database } from '../database/database.ts';
import { newId } from '../ids.ts';
import { oneAtATime } from '../jobs/one-at-a-time.ts';
import type { Logger } from '../telemetry/logger.ts';
import { type ClaimLoop, startClaimLoop } from './claim-loop.ts';
import type { Hints } from './hints.ts';
import { retryDelaySeconds } from './retry-delay.ts';
import { type ClaimedEvent, claimEvents, type Settlement, settleEvents, untilNextDue } from './store.ts';
import { collectSubscribers, type DeliveredEvent, type Subscriber } from './subscriber.ts';

export interface DispatcherOptions {
  sql: Database;
  log: Logger;
  // biome-ignore lint/suspicious/noExplicitAny: subscribers to events of every type
  subscribers: Subscriber<any>[];
  /** After so long a subscriber has failed. */
  handlerSeconds?: number;
  /** After so long an event whose taker was not heard of is due again; longer than a handler may take. */
  visibilitySeconds?: number;
  /** From 0 to 1. */
  chance?: () => number;
}

export interface Dispatcher {
  /** Delivers whatever is due now. Returns how many events were taken. */
  deliverDue(signal?: AbortSignal): Promise<number>;
  /** Delivers whenever something is due. */
  start(hints: Hints, pollSeconds: number): ClaimLoop;
}

/** Enough to keep a database busy; one slot is one event. */
const SLOTS = 200;
const LONGEST_ERROR = 2000;

/** Tells subscribers about events. Any number may work on one outbox; an event is in the hands of one at a time. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { sql, log, handlerSeconds = 30, visibilitySeconds = 60, chance = Math.random } = options;
  if (handlerSeconds >= visibilitySeconds) throw new Error('A claim must outlast the handlers it is for.');
  const subscribersOf = collectSubscribers(options.subscribers);
  const settlements = inBatches((batch: Settlement[]) => write(batch));

  const claim = (want: number) => claimEvents(sql, want, newId(), visibilitySeconds);

  async function run(event: ClaimedEvent): Promise<void> {
    const left = subscribersOf(event.event_type).filter(({ name }) => !event.delivered_to.includes(name));
    const outcomes = await Promise.all(
      left.map(async (subscriber) => ({
        subscriber: subscriber.name,
        error: await call(subscriber, event as unknown as DeliveredEvent),
      })),
    );
    await settlements.add({
      event,
      outcomes,
      retryDelaySeconds: retryDelaySeconds(event.attempts, chance()),
    });
  }

  /** Why it failed; null when it did not. */
  async function call(subscriber: Subscriber, event: DeliveredEvent): Promise<string | null> {
    try {
      await withinTime(handlerSeconds, (signal) => subscriber.handler(event, signal));
      return null;
    } catch (error) {
      const { message } = error as Partial<Error>;
      log.warn(
        { err: error, event_id: event.id, event_type: event.event_type, subscriber: subscriber.name },
        'a subscriber failed; the event will be delivered to it again',
      );
      return `${subscriber.name}: ${String(message).replaceAll('\0', '')}`.slice(0, LONGEST_ERROR);
    }
  }

  async function write(batch: Settlement[]): Promise<void> {
    const written = await settleEvents(sql, batch);
    if (written < batch.length)
      log.warn({ count: batch.length - written }, 'deliveries were dropped: others have taken the events');
  }

  return {
    async deliverDue(signal) {
      for (let taken = 0; ; ) {
        signal?.throwIfAborted();
        const events = await claim(SLOTS);
        if (events.length === 0) return taken;
        await Promise.all(events.map(run));
        taken += events.length;
      }
    },

    start(hints, pollSeconds) {
      const due = () => untilNextDue(sql);
      const loop = startClaimLoop({ slots: SLOTS, pollSeconds, claim, run, untilNextDue: due, log });
      const unsubscribe = hints.on('events', loop.wake);
      return {
        wake: loop.wake,
        async stop(graceSeconds) {
          unsubscribe();
          await loop.stop(graceSeconds);
        },
      };
    },
  };
}

/** A handler that ignores its signal is not waited for either. */
async function withinTime(seconds: number, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const reason = new Error(`It took longer than ${seconds} seconds.`);
      controller.abort(reason);
      reject(reason);
    }, seconds * 1000);
  });
  try {
    await Promise.race([work(controller.signal), over]);
  } finally {
    clearTimeout(timer);
  }
}

/** Writes together what is added while the batch before is being written. Resolves, or rejects, when it is written. */
function inBatches<Item>(write: (batch: Item[]) => Promise<void>) {
  let waiting: { item: Item; resolve: () => void; reject: (error: unknown) => void }[] = [];
  const writing = oneAtATime(async () => {
    // Everything that ends in this turn of the event loop goes together.
    await new Promise(setImmediate);
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    try {
      await write(batch.map(({ item }) => item));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  });
  return {
    add: (item: Item) =>
      new Promise<void>((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        writing.ask();
      }),
  };
}
