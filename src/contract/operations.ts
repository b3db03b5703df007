import { z } from 'zod';
import { mode } from './roles.ts';
import { id, listQuery, page, text, timestamp } from './wire.ts';

export const auditEntry = z.object({
  id,
  action: z.string(),
  mode,
  actor: z.string(),
  details: z.record(z.string(), z.unknown()),
  created_at: timestamp,
});
export type AuditEntry = z.output<typeof auditEntry>;

export const auditQuery = listQuery.extend({
  action: text(1, 128).optional(),
  actor: text(1, 128).optional(),
  created_after: timestamp.optional(),
  created_before: timestamp.optional(),
});

export const auditList = z.object({ audit_logs: z.array(auditEntry), page });

/** One inconsistency: its kind, and the ids of the affected rows. */
export const integrityFinding = z.looseObject({ kind: z.string() });
export type IntegrityFinding = z.output<typeof integrityFinding>;
export const integrityQuery = listQuery.extend({ kind: text(1, 64).optional() });
export const integrityFindingList = z.object({ findings: z.array(integrityFinding), page });

export const health = z.object({ status: z.literal('ok') });
export const readiness = z.object({ status: z.literal('ready') });

export const metrics = z.object({
  counters: z.record(z.string(), z.number()),
  timings: z.record(z.string(), z.object({ count: z.number(), avg_ms: z.number(), p95_ms: z.number() })),
});
