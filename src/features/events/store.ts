import type { OutboxEvent } from '../../contract/events.ts';
import type { Database, Queryable } from '../../platform/database/database.ts';
import type { EventContent } from '../../platform/outbox/cloud-event.ts';
import { BEGINNING, type Position } from '../../platform/outbox/position.ts';
import { type Hearer, mayHear, rolesFrom } from './visibility.ts';

export type PlacedEvent = EventContent & Position;

const columns = (sql: Queryable) => sql`
  event.transaction_id, event.id, event.event_type, event.schema_version, event.aggregate_type, event.aggregate_id,
  event.payload, event.request_id, event.created_at`;

/**
 * Events after a position, in the order of their transactions, up to the oldest transaction that is still under way:
 * whatever commits later comes after them. docs/outbox.md explains why nothing can be missed.
 */
const settledAfter = (sql: Queryable, { transaction_id, id }: Position) => sql`
  (event.transaction_id, event.id) > (${transaction_id}::xid8, ${id}::uuid)
  and event.transaction_id < pg_snapshot_xmin(pg_current_snapshot())`;

/** Looked at for one page: whoever may hear little must not make the database read everything. */
export const SCANNED_AT_ONCE = 2000;

export interface FeedPage {
  events: PlacedEvent[];
  /** How many were looked at, and the last of them. */
  scanned_count: number;
  scanned_to: Position | null;
}

/** One snapshot sees the events, what is still under way, and what the hearer may hear. */
export async function readFeed(
  sql: Database,
  hearer: Hearer,
  after: Position,
  limit: number,
): Promise<FeedPage> {
  const rows = await sql<({ scanned_count: number; scanned_to: Position | null } & PlacedEvent)[]>`
    with event as materialized (
      select ${columns(sql)}
      from outbox_event as event
      where ${settledAfter(sql, after)}
      order by event.transaction_id, event.id
      limit ${SCANNED_AT_ONCE}
    ),
    bounds as (
      select
        (select count(*) from event) as scanned_count,
        (
          select json_build_object('transaction_id', transaction_id::text, 'id', id)
          from event
          order by transaction_id desc, id desc
          limit 1
        ) as scanned_to
    )
    select bounds.*, heard.*
    from bounds
    left join lateral (
      select *
      from event
      where ${mayHear(sql, hearer)}
      order by transaction_id, id
      limit ${limit}
    ) as heard on true
    order by heard.transaction_id, heard.id`;
  const [{ scanned_count, scanned_to } = { scanned_count: 0, scanned_to: null }] = rows;
  return { events: rows.filter(({ id }) => id !== null), scanned_count, scanned_to };
}

/** The last event that nothing can come before any more. */
export async function lastPosition(sql: Database): Promise<Position> {
  const [last] = await sql<Position[]>`
    select transaction_id, id
    from outbox_event
    where transaction_id < pg_snapshot_xmin(pg_current_snapshot())
    order by transaction_id desc, id desc
    limit 1`;
  return last ?? BEGINNING;
}

/** Whether the database has counted as far as this transaction. One from another database may be ahead. */
export async function hasBegun(sql: Database, { transaction_id }: Position): Promise<boolean> {
  const [row] = await sql<[{ has_begun: boolean }]>`
    select ${transaction_id}::xid8 < pg_snapshot_xmax(pg_current_snapshot()) as has_begun`;
  return row.has_begun;
}

/** What everybody who listens is about to be asked about, whoever may hear it. */
export async function readTail(sql: Database, after: Position, limit: number): Promise<PlacedEvent[]> {
  return sql<PlacedEvent[]>`
    select ${columns(sql)}
    from outbox_event as event
    where ${settledAfter(sql, after)}
    order by event.transaction_id, event.id
    limit ${limit}`;
}

/** Whether there are events that must wait for a transaction that is older and still under way. */
export async function hasUnsettled(sql: Database): Promise<boolean> {
  const [row] = await sql<[{ has_unsettled: boolean }]>`
    select exists (
      select from outbox_event where transaction_id >= pg_snapshot_xmin(pg_current_snapshot())
    ) as has_unsettled`;
  return row.has_unsettled;
}

/** Somebody who listens, as they were when they began to. */
export interface Listening {
  user_id: string;
  api_key_id: string | null;
  session_id: string | null;
  role: string;
}

/** Who of them would still be let in, by their place in the list. */
export async function stillAdmitted(sql: Database, listening: Listening[]): Promise<Set<number>> {
  const rows = await sql<{ place: number }[]>`
    select listening.place
    from ${listeningTable(sql, listening)}
    ${admitted(sql)}`;
  return new Set(rows.map(({ place }) => place));
}

/** Streams that hear the same, by their places in the list, and the events that they hear. */
export interface Hearing {
  places: number[];
  ids: OutboxEvent['id'][];
}

/** Which of these events each of them may hear, as things are now. Each person is asked about once, not each stream. */
export async function whoMayHear(
  sql: Database,
  listening: Listening[],
  eventIds: string[],
): Promise<Hearing[]> {
  const admins = rolesFrom('admin');
  const hearer = {
    user_id: sql`person.user_id`,
    default_library_id: sql`person.default_library_id`,
    is_admin: sql`person.is_admin`,
  };
  return sql<Hearing[]>`
    with person as materialized (
      select
        users.id as user_id, users.default_library_id,
        listening.role = any(${admins}::text[]) and users.role = any(${admins}::text[]) as is_admin,
        array_agg(listening.place) as places
      from ${listeningTable(sql, listening)}
      ${admitted(sql)}
      group by 1, 2, 3
    )
    select person.places, array_agg(event.id) as ids
    from person
    join outbox_event as event on event.id = any(${eventIds})
    where ${mayHear(sql, hearer)}
    group by person.user_id, person.is_admin, person.places`;
}

const listeningTable = (sql: Database, listening: Listening[]) => sql`
  unnest(
    ${listening.map((_, place) => place)}::int[],
    ${listening.map(({ user_id }) => user_id)}::uuid[],
    ${listening.map(({ api_key_id }) => api_key_id)}::uuid[],
    ${listening.map(({ session_id }) => session_id)}::uuid[],
    ${listening.map(({ role }) => role)}::text[]
  ) as listening (place, user_id, api_key_id, session_id, role)`;

/** Whoever came with a key and a session has signed in with the key: both must still hold. */
const admitted = (sql: Database) => sql`
  join users on users.id = listening.user_id and users.disabled_at is null
  left join api_keys
    on api_keys.id = listening.api_key_id
    and api_keys.enabled
    and coalesce(api_keys.expires_at > now(), true)
  left join sessions on sessions.id = listening.session_id and sessions.expires_at > now()
  join lateral (select) as credentials
    on api_keys.id is not distinct from listening.api_key_id
    and sessions.id is not distinct from listening.session_id`;
