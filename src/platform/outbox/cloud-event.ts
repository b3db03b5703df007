import type { CloudEvent, OutboxEvent } from '../../contract/events.ts';

/** The `source` of all events. Receivers tell several installations of Nexus apart by the webhook's URL. */
const SOURCE = '/nexus';

export type EventContent = Pick<
  OutboxEvent,
  | 'id'
  | 'event_type'
  | 'schema_version'
  | 'aggregate_type'
  | 'aggregate_id'
  | 'payload'
  | 'request_id'
  | 'created_at'
>;

export function cloudEventOf(event: EventContent): CloudEvent {
  return {
    specversion: '1.0',
    id: event.id,
    source: SOURCE,
    type: event.event_type,
    subject: `${event.aggregate_type}/${event.aggregate_id}`,
    time: event.created_at,
    datacontenttype: 'application/json',
    schemaversion: event.schema_version,
    ...(event.request_id !== null && { requestid: event.request_id }),
    data: event.payload,
  };
}
