import { z } from 'zod';
import { eventStatus, eventType } from './events.ts';
import { id, listQuery, timestamp } from './wire.ts';

export const webhook = z.object({
  id,
  url: z.string(),
  event_types: z.array(z.string()).describe('Empty: all types.'),
  is_enabled: z.boolean(),
  failing_since: timestamp.nullable(),
  disabled_at: timestamp.nullable(),
  disabled_reason: z.string().nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Webhook = z.output<typeof webhook>;

/** The only response, besides rotation, that contains the signing secret (Standard Webhooks format). */
export const createdWebhook = webhook.extend({ secret: z.string() });

const url = z.string().min(1).max(2048);
const eventTypes = z.array(eventType).max(100);

export const createWebhook = z.strictObject({ url, event_types: eventTypes.default([]) });
export const updateWebhook = z.strictObject({
  url: url.optional(),
  event_types: eventTypes.optional(),
  is_enabled: z.boolean().optional(),
});
export const rotateSecret = z
  .strictObject({ overlap_hours: z.number().min(0).max(168).optional() })
  .nullish();
export const rotatedSecret = z.object({ secret: z.string(), previous_valid_until: timestamp });

export const webhookDelivery = z.object({
  id,
  webhook_id: id,
  event_id: id,
  event_type: z.string(),
  status: eventStatus,
  attempts: z.int(),
  next_attempt_at: timestamp.nullable(),
  delivered_at: timestamp.nullable(),
  error_message: z.string().nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type WebhookDelivery = z.output<typeof webhookDelivery>;

export const webhookAttempt = z.object({
  id,
  url: z.string(),
  request_headers: z.record(z.string(), z.string()),
  response_status: z.int().nullable(),
  response_body: z.string().nullable(),
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
  duration_ms: z.int(),
  created_at: timestamp,
});
export type WebhookAttempt = z.output<typeof webhookAttempt>;

/** A delivery with the body that was sent and a log of its attempts. */
export const loggedDelivery = webhookDelivery.extend({
  request_body: z.string(),
  log: z.array(webhookAttempt),
});
export const deliveryQuery = listQuery.extend({
  status: eventStatus.optional().describe('Lists only deliveries with this status.'),
});
