import type { EventPayload, EventType, OutboxEvent } from '../../contract/events.ts';

/** An event as a subscriber gets it. */
export interface DeliveredEvent<Type extends EventType = EventType>
  extends Pick<
    OutboxEvent,
    'id' | 'schema_version' | 'aggregate_type' | 'aggregate_id' | 'request_id' | 'created_at'
  > {
  event_type: Type;
  /** The span that dispatches it. */
  traceparent?: string | null;
  payload: EventPayload<Type>;
}

interface Subscription<Type extends EventType> {
  /** Names its delivery records, so it never changes. */
  name: string;
  eventTypes: readonly Type[];
}

interface SingleSubscriber<Type extends EventType = EventType> extends Subscription<Type> {
  handler(event: DeliveredEvent<Type>, signal: AbortSignal): Promise<void>;
}

/** Handles many events in one call; when it throws, it is called again for each of them alone. */
interface BatchSubscriber<Type extends EventType = EventType> extends Subscription<Type> {
  batchHandler(events: DeliveredEvent<Type>[], signal: AbortSignal): Promise<void>;
}

/**
 * Code inside Nexus that handles events. It may be called more than once for an event, when a process died before it
 * recorded the delivery; so handling an event twice must have the effect of handling it once. The signal is raised when
 * the time is over.
 */
export type Subscriber<Type extends EventType = EventType> = SingleSubscriber<Type> | BatchSubscriber<Type>;

export function defineSubscriber<Type extends EventType>(
  name: string,
  options: Omit<SingleSubscriber<Type>, 'name'>,
): SingleSubscriber<Type>;
export function defineSubscriber<Type extends EventType>(
  name: string,
  options: Omit<BatchSubscriber<Type>, 'name'>,
): BatchSubscriber<Type>;
export function defineSubscriber(name: string, options: object): object {
  return { name, ...options };
}

/** Returns the subscribers of an event type. */
// biome-ignore lint/suspicious/noExplicitAny: subscribers to events of every type
export function collectSubscribers(subscribers: Subscriber<any>[]): (type: string) => Subscriber[] {
  const byType = new Map<string, Subscriber[]>();
  const names = new Set<string>();
  for (const subscriber of subscribers) {
    if (names.has(subscriber.name)) throw new Error(`The subscriber ${subscriber.name} is registered twice.`);
    names.add(subscriber.name);
    for (const type of subscriber.eventTypes) byType.set(type, [...(byType.get(type) ?? []), subscriber]);
  }
  return (type) => byType.get(type) ?? [];
}
