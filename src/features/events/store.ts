import type { Principal } from '../../contract/identity.ts';
import type { Database, Queryable } from '../../platform/database/database.ts';
import type { EventContent } from '../../platform/outbox/cloud-event.ts';
import { BEGINNING, type Position } from '../../platform/outbox/position.ts';
import { type EventViewer, isPayloadPersonal, maySeeEvent, payloadSeenBy, rolesFrom } from './visibility.ts';

export type PlacedEvent = EventContent & Position;

const columns = (sql: Queryable, payload = sql`event.payload`) => sql`
  event.transaction_id, event.id, event.event_type, event.schema_version, event.aggregate_type, event.aggregate_id,
  ${payload} as payload, event.request_id, event.created_at`;

/**
 * Selects events after a position whose transaction is older than every transaction still running. Whatever commits later
 * comes after them; docs/outbox.md explains why no event can be missed.
 */
const settledAfter = (sql: Queryable, { transaction_id, id }: Position) => sql`
  (event.transaction_id, event.id) > (${transaction_id}::xid8, ${id}::uuid)
  and event.transaction_id < pg_snapshot_xmin(pg_current_snapshot())`;

/** The most events that one page scans, so that a viewer of few events cannot make the database read all of them. */
export const SCANNED_AT_ONCE = 2000;

/**
 * Reads one page of the feed, with the number of scanned events and the position of the last one. Events, running
 * transactions and rights are read in one snapshot.
 */
export async function readFeed(
  sql: Database,
  viewer: EventViewer,
  { after, types, limit }: { after: Position; types?: readonly string[] | undefined; limit: number },
) {
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
    select bounds.*, ${columns(sql, payloadSeenBy(sql, viewer))}
    from bounds
    left join lateral (
      select *
      from event
      where ${maySeeEvent(sql, viewer)} ${types === undefined ? sql`` : sql`and event_type = any(${types}::text[])`}
      order by transaction_id, id
      limit ${limit}
    ) as event on true
    order by event.transaction_id, event.id`;
  const [{ scanned_count, scanned_to } = { scanned_count: 0, scanned_to: null }] = rows;
  return { events: rows.filter(({ id }) => id !== null), scanned_count, scanned_to };
}

/** The position of the newest event that no later commit can precede. */
export async function lastPosition(sql: Database): Promise<Position> {
  const [last] = await sql<Position[]>`
    select transaction_id, id
    from outbox_event
    where transaction_id < pg_snapshot_xmin(pg_current_snapshot())
    order by transaction_id desc, id desc
    limit 1`;
  return last ?? BEGINNING;
}

/** Whether this database has already assigned this transaction number. A cursor of another database may be ahead. */
export async function hasBegun(sql: Database, { transaction_id }: Position): Promise<boolean> {
  const [row] = await sql<[{ has_begun: boolean }]>`
    select ${transaction_id}::xid8 < pg_snapshot_xmax(pg_current_snapshot()) as has_begun`;
  return row.has_begun;
}

/** Reads events after a position, whoever may see them. */
export async function readTail(sql: Database, after: Position, limit: number): Promise<PlacedEvent[]> {
  return sql<PlacedEvent[]>`
    select ${columns(sql)}
    from outbox_event as event
    where ${settledAfter(sql, after)}
    order by event.transaction_id, event.id
    limit ${limit}`;
}

/** Whether there are events that wait for an older transaction to end. */
export async function hasUnsettled(sql: Database): Promise<boolean> {
  const [row] = await sql<[{ has_unsettled: boolean }]>`
    select exists (
      select from outbox_event where transaction_id >= pg_snapshot_xmin(pg_current_snapshot())
    ) as has_unsettled`;
  return row.has_unsettled;
}

/** The credentials of a stream, as they were when it was opened. */
type Listening = Pick<Principal, 'user_id' | 'api_key_id' | 'session_id' | 'role'>;

/** Returns the indexes of those whose credentials are still valid. */
export async function stillAdmitted(sql: Database, listening: Listening[]): Promise<Set<number>> {
  const rows = await sql<{ index: number }[]>`
    select listening.index
    from ${listeningTable(sql, listening)}
    ${admitted(sql)}`;
  return new Set(rows.map(({ index }) => index));
}

/**
 * Finds which of these events each stream, by index, may see now, and the payloads that differ from person to person, by
 * event. Rights are checked once per person.
 */
export async function findVisible(sql: Database, listening: Listening[], eventIds: string[]) {
  const admins = rolesFrom('admin');
  const viewer = {
    user_id: sql`person.user_id`,
    default_library_id: sql`person.default_library_id`,
    is_admin: sql`person.is_admin`,
  };
  return sql<
    { indexes: number[]; ids: string[]; payloads: Record<string, EventContent['payload']> | null }[]
  >`
    with person as materialized (
      select
        users.id as user_id, users.default_library_id,
        listening.role = any(${admins}::text[]) and users.role = any(${admins}::text[]) as is_admin,
        array_agg(listening.index) as indexes
      from ${listeningTable(sql, listening)}
      ${admitted(sql)}
      group by 1, 2, 3
    )
    select
      person.indexes, array_agg(event.id) as ids,
      jsonb_object_agg(event.id, ${payloadSeenBy(sql, viewer)}) filter (where ${isPayloadPersonal(sql)}) as payloads
    from person
    join outbox_event as event on event.id = any(${eventIds})
    where ${maySeeEvent(sql, viewer)}
    group by person.user_id, person.is_admin, person.indexes`;
}

const listeningTable = (sql: Database, listening: Listening[]) => sql`
  unnest(
    ${listening.map((_, index) => index)}::int[],
    ${listening.map(({ user_id }) => user_id)}::uuid[],
    ${listening.map(({ api_key_id }) => api_key_id)}::uuid[],
    ${listening.map(({ session_id }) => session_id)}::uuid[],
    ${listening.map(({ role }) => role)}::text[]
  ) as listening (index, user_id, api_key_id, session_id, role)`;

/** A stream with a key and a session was opened after signing in with that key: both must still be valid. */
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
