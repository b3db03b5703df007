import { z } from 'zod';
import { libraryRole } from './libraries.ts';
import { processingStatus } from './media.ts';
import { role } from './roles.ts';
import { id, listQuery, text, timestamp } from './wire.ts';

/** A payload's schema and version; a breaking change gets a new version. `once`: at most once per aggregate. */
function version<Payload extends z.ZodObject>(
  schema_version: number,
  payload: Payload,
  { once = false }: { once?: boolean } = {},
) {
  return { schema_version, payload, once };
}
const once = { once: true };

const username = z.string();
/** A private event concerns one person alone. Webhooks, which belong to the installation, do not get it. */
const is_private = z.boolean();
const media = { media_id: id, kind: z.string() };
const invitation = {
  invitation_id: id,
  library_id: id,
  inviter_user_id: id,
  invitee_user_id: id,
  role: libraryRole,
};
const backfill = { default_library_id: id, source_library_id: id, user_id: id };
const job = {
  job_id: id,
  job_type: z.string(),
  created_by: username.nullable(),
  created_by_user_id: id.nullable(),
  attempt_count: z.int(),
};
const highlight = { highlight_id: id, media_id: id, user_id: id, is_private };
const apiKey = { api_key_id: id, user_id: id, owner: username, prefix: z.string(), role };

/** All event types with their payloads. `docs/outbox.md` lists the same; a test compares the two. */
export const EVENTS = {
  'media.created': version(1, z.object({ ...media, created_by_user_id: id }), once),
  /** Changes of `processing_status` that have no event type of their own, edits of the title, and new covers of PDFs. */
  'media.status_changed': version(1, z.object({ ...media, processing_status: processingStatus })),
  'media.ready': version(2, z.object(media)),
  'media.failed': version(2, z.object({ ...media, failure_stage: z.string(), error_code: z.string() })),
  /** `user_ids`: the person whose trash it left, when it was deleted for good. */
  'media.deleted': version(2, z.object({ ...media, user_ids: z.array(id).optional() }), once),
  /** A person has changed their tags of the media. */
  'media.tagged': version(1, z.object({ media_id: id, user_id: id, is_private })),
  /** A person has archived the media, or taken it out of their archive. */
  'media.archived': version(1, z.object({ media_id: id, user_id: id, is_archived: z.boolean(), is_private })),
  /** A person has made the media a favourite, or no longer. */
  'media.favourited': version(
    1,
    z.object({ media_id: id, user_id: id, is_favourite: z.boolean(), is_private }),
  ),
  /** A person has changed their own title of the media. */
  'media.titled': version(1, z.object({ media_id: id, user_id: id, is_private })),
  /** A person has changed their note of the media. */
  'media.noted': version(1, z.object({ media_id: id, user_id: id, is_private })),
  /** The entities and links of the media are in the graph, or were updated there. */
  'media.projected': version(1, z.object({ media_id: id })),
  'library.created': version(1, z.object({ library_id: id, name: z.string(), owner_user_id: id }), once),
  'library.renamed': version(1, z.object({ library_id: id, name: z.string() })),
  /** `user_ids`: its members when it was deleted. */
  'library.deleted': version(
    1,
    z.object({ library_id: id, owner_user_id: id, user_ids: z.array(id).optional() }),
    once,
  ),
  'library.media_added': version(1, z.object({ library_id: id, media_id: id, added_by_user_id: id })),
  'library.media_removed': version(
    2,
    z.object({ library_id: id, media_id: id, removed_by_user_id: id.nullable() }),
  ),
  /** The tags that the library gives the media have changed. */
  'library.media_tagged': version(1, z.object({ library_id: id, media_id: id, tagged_by_user_id: id })),
  'library.member_added': version(1, z.object({ library_id: id, user_id: id, role: libraryRole })),
  'library.member_removed': version(1, z.object({ library_id: id, user_id: id })),
  'library.member_role_changed': version(1, z.object({ library_id: id, user_id: id, role: libraryRole })),
  'library.ownership_transferred': version(1, z.object({ library_id: id, from_user_id: id, to_user_id: id })),
  'invitation.created': version(1, z.object(invitation), once),
  'invitation.accepted': version(1, z.object(invitation), once),
  'invitation.declined': version(1, z.object(invitation), once),
  'invitation.revoked': version(1, z.object(invitation), once),
  'backfill.completed': version(1, z.object(backfill)),
  'backfill.failed': version(1, z.object({ ...backfill, attempts: z.int(), error_code: z.string() })),
  'job.succeeded': version(1, z.object(job)),
  'job.failed': version(1, z.object({ ...job, error_code: z.string().nullable() })),
  'job.cancelled': version(1, z.object(job)),
  'analysis.completed': version(
    2,
    z.object({ analysis_run_id: id, media_id: id, layer_count: z.int(), created_by_user_id: id }),
    once,
  ),
  /** A second analysis of the same text, to compare a run with, is done. */
  'analysis.compared': version(2, z.object({ analysis_run_id: id, media_id: id, created_by_user_id: id })),
  /** `library_ids`: the libraries that it is shared with. The feed shows others than the author those that they are in. */
  'highlight.created': version(1, z.object({ ...highlight, library_ids: z.array(id) }), once),
  /**
   * `former_library_ids`: libraries that it is no longer shared with, shown like `library_ids`. Their members at that time see
   * this as its last event.
   */
  'highlight.updated': version(1, z.object({ ...highlight, former_library_ids: z.array(id) })),
  'highlight.shared': version(1, z.object({ ...highlight, library_ids: z.array(id) })),
  'highlight.deleted': version(1, z.object({ ...highlight, former_library_ids: z.array(id) }), once),
  /** `mentioned_user_ids`: the feed shows those whom the reply itself names to the viewer. */
  'reply.created': version(1, z.object({ reply_id: id, ...highlight, mentioned_user_ids: z.array(id) })),
  /** A rule of a person matched a media that they saved, or that a run found. */
  'rule.matched': version(1, z.object({ rule_id: id, media_id: id, user_id: id, is_private })),
  /** A run of a rule, or its undoing, is over. */
  'rule.run_ended': version(
    1,
    z.object({ run_id: id, user_id: id, is_undo: z.boolean(), status: z.string(), is_private }),
  ),
  'webhook.disabled': version(1, z.object({ webhook_id: id, url: z.string(), reason: z.string() })),
  'api_key.created': version(1, z.object(apiKey), once),
  'api_key.disabled': version(1, z.object(apiKey)),
} as const;

export type EventType = keyof typeof EVENTS;
export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]];
export const eventType = z.enum(EVENT_TYPES);

/** The JSON payload of an event type. */
export type EventPayload<Type extends EventType> = z.output<(typeof EVENTS)[Type]['payload']>;

export const eventStatus = z.enum(['pending', 'delivered', 'failed']);
export type EventStatus = z.infer<typeof eventStatus>;

/** An event as operators see it, with its delivery status. */
export const outboxEvent = z.object({
  id,
  event_type: z.string(),
  schema_version: z.int(),
  aggregate_type: z.string(),
  aggregate_id: z.string(),
  payload: z.record(z.string(), z.unknown()),
  idempotency_key: z.string(),
  request_id: z.string().nullable(),
  status: eventStatus,
  attempts: z.int(),
  max_attempts: z.int(),
  next_attempt_at: timestamp.nullable(),
  delivered_at: timestamp.nullable(),
  error_message: z.string().nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type OutboxEvent = z.output<typeof outboxEvent>;

export const outboxDelivery = z.object({
  subscriber: z.string(),
  attempts: z.int(),
  error_message: z.string().nullable(),
  delivered_at: timestamp.nullable(),
});
export type OutboxDelivery = z.output<typeof outboxDelivery>;

export const outboxEventWithDeliveries = outboxEvent.extend({ deliveries: z.array(outboxDelivery) });

export const outboxQuery = listQuery.extend({
  status: eventStatus.optional().describe('Only events with this status.'),
  event_type: eventType.optional().describe('Only events of this type.'),
  aggregate_type: text(1, 64).optional().describe('Only events about objects of this kind.'),
  aggregate_id: text(1, 128).optional().describe('Only events about this object.'),
});

export const outboxHealth = z.object({
  pending_count: z.int(),
  due_count: z.int().describe('Due and not yet claimed for delivery.'),
  retrying_count: z.int(),
  failed_count: z.int(),
  oldest_pending_seconds: z.number(),
  oldest_due_seconds: z.number(),
  pending_webhook_deliveries: z.int(),
  failing_webhooks: z.int().describe('Enabled webhooks whose recent deliveries all failed.'),
  disabled_webhooks: z.int(),
});
export type OutboxHealth = z.output<typeof outboxHealth>;

/** An event in CloudEvents 1.0 format, as webhooks, the feed and the stream send it. */
export const cloudEvent = z.object({
  specversion: z.literal('1.0'),
  id,
  source: z.string(),
  type: z.string(),
  subject: z.string(),
  time: timestamp,
  datacontenttype: z.literal('application/json'),
  schemaversion: z
    .int()
    .describe("The version of the payload's schema; `docs/outbox.md` says when it changes."),
  requestid: z.string().optional(),
  data: z.record(z.string(), z.unknown()),
});
export type CloudEvent = z.output<typeof cloudEvent>;

const feedCursor = z.string().max(200);
const sinceCursor = {
  cursor: feedCursor.optional().describe('The `cursor` of the last event that you have.'),
  after: feedCursor.optional().describe('A former name of `cursor`.').meta({ deprecated: true }),
};
const types = z
  .string()
  .max(2000)
  .transform((names) => names.split(','))
  .pipe(z.array(eventType).min(1))
  .optional()
  .describe('Only events of these types, separated by commas.');

const savedSearchId = id
  .optional()
  .describe(
    'Only events about media that match this saved search of the caller when the event is read. See docs/search.md.',
  );

export const feedQuery = listQuery.extend({ ...sinceCursor, types, saved_search_id: savedSearchId });

export const feed = z.object({
  data: z.array(cloudEvent.extend({ cursor: feedCursor })),
  page: z
    .object({ next_cursor: feedCursor.nullable(), has_more: z.boolean() })
    .describe(
      '`next_cursor` is also set when there are no more events yet; it is null only when there has never been one.',
    ),
});

export const streamQuery = z.object({ ...sinceCursor, types, saved_search_id: savedSearchId });
