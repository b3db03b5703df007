import type { EventPayload, EventType, OutboxEvent } from '../../contract/events.ts';

/** An event as a subscriber gets it. */
export interface DeliveredEvent<Type extends EventType = EventType>
  extends Pick<
    OutboxEvent,
    'id' | 'schema_version' | 'aggregate_type' | 'aggregate_id' | 'request_id' | 'created_at'
  > {
  event_type: Type;
  payload: EventPayload<Type>;
}

/**
 * Somebody inside Nexus who is told about events. The handler may be called more than once for an event, by a process
 * that died before it could say that it was done; so doing it twice must be the same as doing it once.
 */
export interface Subscriber<Type extends EventType = EventType> {
  /** Names its deliveries; it never changes. */
  name: string;
  eventTypes: readonly Type[];
  /** The signal is raised when its time is over. */
  handler(event: DeliveredEvent<Type>, signal: AbortSignal): Promise<void>;
}

export function defineSubscriber<Type extends EventType>(
  name: string,
  options: Omit<Subscriber<Type>, 'name'>,
): Subscriber<Type> {
  return { name, ...options };
}

/** Whom to tell of what. */
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
