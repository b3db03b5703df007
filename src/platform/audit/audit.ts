import { createHash } from 'node:crypto';
import type { AuditEntry } from '../../contract/operations.ts';
import type { Mode } from '../../contract/roles.ts';
import type { Queryable } from '../database/database.ts';
import { newId } from '../ids.ts';

/** Who acts: a person with their username, or `cli`, or `system`; and the request that it came with. */
export interface Actor {
  name: string;
  /** Absent where no person acts. */
  userId?: string | undefined;
  requestId?: string | undefined;
}

/** Where a request comes from, before it is known from whom. */
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

/** Writes entries of the audit log. Within a transaction, they are there exactly when the actions are. */
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
 * Writes an entry that anybody can cause, as often as they like: the same action of the same actor, with the same
 * `origin`, is one entry a minute, whose details count the occurrences and say when the last one was.
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

export interface AuditFilter {
  action?: string | undefined;
  actor?: string | undefined;
  created_after?: Date | undefined;
  created_before?: Date | undefined;
}

/** Newest first, from the entry after `last` on. */
export async function listAudit(
  sql: Queryable,
  filter: AuditFilter,
  last: string | null,
  limit: number,
): Promise<AuditEntry[]> {
  return sql<AuditEntry[]>`
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
