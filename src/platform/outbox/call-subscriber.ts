import { type Context, context, isTracing } from '../telemetry/tracing.ts';
import { oneAtATime } from '../work/one-at-a-time.ts';
import { inBatchSpan } from './dispatch-span.ts';
import type { DeliveredEvent, Subscriber } from './subscriber.ts';

type CallSubscriber = (event: DeliveredEvent) => Promise<void>;

/** Makes the call of a subscriber: within its time, and together with others where it takes batches. */
export function createCall(subscriber: Subscriber, seconds: number): CallSubscriber {
  if ('handler' in subscriber)
    return (event) => withinTime(seconds, (signal) => subscriber.handler(event, signal));
  const call = (events: DeliveredEvent[]) =>
    withinTime(seconds, (signal) => subscriber.batchHandler(events, signal));
  return inBatches(subscriber.name, call);
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

interface Waiting {
  event: DeliveredEvent;
  /** The context of the call, while traces are on. */
  from: Context | undefined;
  resolve(): void;
  reject(error: unknown): void;
}

/** Gathers the events that come while a batch is handled into the next one. */
function inBatches(name: string, handleBatch: (events: DeliveredEvent[]) => Promise<void>): CallSubscriber {
  let waiting: Waiting[] = [];

  function handle(batch: Waiting[]): Promise<void> {
    const events = batch.map(({ event }) => event);
    if (!isTracing()) return handleBatch(events);
    const contexts = batch.flatMap(({ from }) => from ?? []);
    return inBatchSpan(name, contexts, () => handleBatch(events));
  }

  const handling = oneAtATime(async () => {
    // Everything that comes in this turn of the event loop goes together.
    await new Promise(setImmediate);
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    try {
      await handle(batch);
      for (const { resolve } of batch) resolve();
    } catch (error) {
      const [only, ...others] = batch;
      if (others.length === 0) return only?.reject(error);
      // An event that cannot be handled must not hold up the others.
      await Promise.all(batch.map((one) => handle([one]).then(one.resolve, one.reject)));
    }
  });

  return (event) =>
    new Promise((resolve, reject) => {
      waiting.push({ event, resolve, reject, from: isTracing() ? context.active() : undefined });
      handling.ask();
    });
}
