import type { CloudEvent } from '../../contract/events.ts';
import { cloudEventOf, type EventContent } from '../../platform/outbox/cloud-event.ts';

/** An event as the feed and the stream show it: without `user_ids`, which only says who else may see it. */
export function shownEvent(event: EventContent): CloudEvent {
  const { user_ids: _, ...payload } = event.payload;
  return cloudEventOf({ ...event, payload });
}
