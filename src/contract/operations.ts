import { z } from 'zod';
import { mode } from './roles.ts';
import { id, listQuery, text, timestamp } from './wire.ts';

export const auditEntry = z.object({
  id,
  action: z.string(),
  mode,
  actor: z.string(),
  details: z.record(z.string(), z.unknown()),
  names: z
    .record(z.string(), z.string())
    .describe(
      'The names, by id, of what `details` refers to: users, keys, sessions, webhooks, and those libraries and media that the caller may read.',
    ),
  created_at: timestamp,
});
export type AuditEntry = z.output<typeof auditEntry>;

export const auditQuery = listQuery.extend({
  action: text(1, 128).optional().describe('Only entries with this action.'),
  actor: text(1, 128).optional().describe('Only actions of this username, or of `system` or `cli`.'),
  created_after: timestamp.optional().describe('Only entries after this time.'),
  created_before: timestamp.optional().describe('Only entries before this time.'),
});

/** One inconsistency: its kind, and the ids of the affected rows. */
export const integrityFinding = z.looseObject({ kind: z.string() });
export type IntegrityFinding = z.output<typeof integrityFinding>;
export const integrityQuery = listQuery.extend({
  kind: text(1, 64).optional().describe('Only findings of this kind.'),
});

export const health = z.object({ status: z.literal('ok') });
export const readiness = z.object({ status: z.literal('ready') });

export const metrics = z.object({
  counters: z.record(z.string(), z.number()),
  timings: z.record(z.string(), z.object({ count: z.number(), avg_ms: z.number(), p95_ms: z.number() })),
});
