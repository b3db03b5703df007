import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { AuditEntry, auditQuery } from '../../contract/operations.ts';
import type { Mode } from '../../contract/roles.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { newId } from '../ids.ts';

/** The actor of an audit entry: a person (by username), `cli` or `system`. */
export interface Actor {
  name: string;
  /** Undefined when no person acts. */
  userId?: string | undefined;
  requestId?: string | undefined;
  /** Claims the idempotency key of the request, in the transaction that carries it out. */
  claim?: ((tx: Transaction) => Promise<void>) | undefined;
  /** Refuses to change another version of an object than the one that the request is based on. */
  requireVersion?: ((version: string) => void) | undefined;
}

/** The origin of a request that is not authenticated yet. */
export interface Caller {
  requestId: string;
  address: string;
}

export interface NewAuditEntry {
  action: string;
  actor: Actor;
  mode?: Mode;
  details?: Record<string, string | number | boolean | null>;
}

/** Writes entries of the audit log. In a transaction, they are committed together with the actions. */
export async function recordAudit(sql: Queryable, ...entries: NewAuditEntry[]): Promise<void> {
  await sql`
    insert into audit_logs (id, action, mode, actor, details)
    select *
    from unnest(
      ${entries.map(newId)}::uuid[],
      ${entries.map(({ action }) => action)}::text[],
      ${entries.map(({ mode }) => mode ?? 'PUBLIC')}::text[],
      ${entries.map(({ actor }) => actor.name)}::text[],
      ${entries.map((entry) => JSON.stringify(detailsOf(entry)))}::jsonb[]
    )`;
}

/**
 * Writes an entry that unauthenticated callers can cause repeatedly. Repeats with the same action, actor and `origin`
 * update one entry per minute, whose details have their number and the time of the last one.
 */
export async function recordRepeatedAudit(
  sql: Queryable,
  entry: NewAuditEntry,
  origin: (string | undefined)[],
): Promise<void> {
  const repeated = JSON.stringify([entry.action, entry.actor.name, ...origin]);
  const hash = createHash('sha256').update(repeated).digest('base64url');
  await sql`
    insert into audit_logs as logged (id, action, mode, actor, details, repeat_key)
    values (
      ${newId()}, ${entry.action}, ${entry.mode ?? 'PUBLIC'}, ${entry.actor.name},
      ${JSON.stringify({ ...detailsOf(entry), count: 1 })}::jsonb,
      ${hash}::text || ':' || extract(epoch from date_trunc('minute', now()))::bigint
    )
    on conflict (repeat_key) where repeat_key is not null do update
    set details = logged.details || jsonb_build_object(
      'count', (logged.details ->> 'count')::bigint + 1,
      'last_at', now()
    )`;
}

function detailsOf({ details, actor }: NewAuditEntry): Record<string, unknown> {
  return { ...details, ...(actor.requestId && { request_id: actor.requestId }) };
}

export type AuditFilter = Omit<z.output<typeof auditQuery>, 'limit' | 'cursor'>;

/** Lists entries after `last`, newest first. */
export async function listAudit(sql: Queryable, filter: AuditFilter, last: string | null, limit: number) {
  return sql<Omit<AuditEntry, 'names'>[]>`
    select id, action, mode, actor, details, created_at
    from audit_logs
    where true
      ${filter.action === undefined ? sql`` : sql`and action = ${filter.action}`}
      ${filter.actor === undefined ? sql`` : sql`and actor = ${filter.actor}`}
      ${filter.created_after === undefined ? sql`` : sql`and created_at >= ${filter.created_after}`}
      ${filter.created_before === undefined ? sql`` : sql`and created_at < ${filter.created_before}`}
      ${last === null ? sql`` : sql`and (created_at, id) < ((select created_at from audit_logs where id = ${last}), ${last})`}
    order by created_at desc, id desc
    limit ${limit}`;
}

/** Deletes those of the entries that are old enough. Returns how many. */
export async function deleteOldAudit(sql: Queryable, ids: string[], days: number): Promise<number> {
  const deleted = await sql`
    delete from audit_logs
    where id = any(${ids}) and created_at < now() - ${days} * interval '1 day'`;
  return deleted.count;
}
