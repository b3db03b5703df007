import type { EventStatus } from '../../contract/events.ts';
import type { Database, Transaction } from '../database/database.ts';
import { interruptedColumns } from '../work/claimed-rows.ts';
import { MAX_INTERRUPTIONS } from '../work/interruption.ts';
import type { ClaimRequest, NextDue } from '../work/loop.ts';
import type { DeadWorker } from '../work/recovery.ts';
import type { EventContent } from './cloud-event.ts';

/** An event that a worker has claimed. */
export interface ClaimedEvent extends EventContent {
  claim_id: string;
  /** The span that caused it; while it is dispatched here, the span of that. */
  traceparent: string | null;
  attempts: number;
  max_attempts: number;
  /** How many of its attempts were interrupted and do not count. */
  interruptions: number;
  /** The subscribers that need not be called again. */
  delivered_to: string[];
}

/**
 * Claims the events that have been due for longest, for a living worker. No lock is held afterwards; the claim ends with
 * the outcome, or with the worker's lease. The columns that it sets are in no index (a HOT update).
 *
 * The commit does not wait for the disk: nothing is acknowledged by it. See the claim of jobs.
 */
export async function claimEvents(
  sql: Database,
  { workerId, token, want }: Pick<ClaimRequest, 'workerId' | 'token' | 'want'>,
): Promise<ClaimedEvent[]> {
  return sql<ClaimedEvent[]>`
    with claimed as (
      update outbox_event
      set attempts = attempts + 1,
          claim_id = ${token},
          worker_id = ${workerId}
      where ctid = any(array(
        select candidate.ctid
        from (select from workers where id = ${workerId} for key share) as alive
        cross join lateral (
          select ctid
          from outbox_event
          where status = 'pending'
            and next_attempt_at <= now()
            and claim_id is null
          order by next_attempt_at
          limit ${want}
          for update skip locked
        ) as candidate
      ))
      returning
        id, event_type, schema_version, aggregate_type, aggregate_id, payload, request_id, created_at, traceparent, claim_id,
        attempts, max_attempts, interruptions,
        -- Deliveries are recorded with the outcome of an attempt, so an event that is still pending has an error then. New
        -- events, which are almost all, are not looked up.
        case
          when error_message is not null
          then array(
            select subscriber
            from outbox_delivery
            where outbox_delivery.event_id = outbox_event.id and outbox_delivery.delivered_at is not null
          )
          else '{}'
        end as delivered_to
    )
    select claimed.*
    from claimed
    cross join (select set_config('synchronous_commit', 'off', true)) as durability`;
}

/** How an attempt at an event ended, and what becomes of the event. */
export interface Settlement {
  event: ClaimedEvent;
  /** The subscribers that were called. */
  calls: { subscriber: string; error: string | null }[];
  status: EventStatus;
  /** Seconds until the next attempt of an event that stays pending. */
  delaySeconds: number;
  error: string | null;
  /** 1 for an attempt that Nexus's own trouble cut short. */
  interruptions: 0 | 1;
  /** 1 for an event that was claimed and not begun. */
  released: 0 | 1;
}

/** Writes how attempts ended, in one statement. Returns the ids of those whose claim had ended. */
export async function settleEvents(sql: Database, settlements: Settlement[]): Promise<string[]> {
  const column = <T>(read: (settlement: Settlement) => T) => settlements.map(read);
  const ids = column(({ event }) => event.id);
  const calls = settlements.flatMap(({ event, calls: called }) =>
    called.map((call) => ({ ...call, event_id: event.id })),
  );
  const [{ kept }] = await sql<[{ kept: string[] | null }]>`
    with settled as (
      update outbox_event
      set status = outcome.status,
          delivered_at = case outcome.status when 'delivered' then now() end,
          next_attempt_at = case
            when outcome.released = 1 then outbox_event.next_attempt_at
            when outcome.status = 'pending' then now() + outcome.delay_seconds * interval '1 second'
          end,
          attempts = outbox_event.attempts - outcome.released,
          interruptions = outbox_event.interruptions + outcome.interruptions,
          error_message = coalesce(outcome.error, outbox_event.error_message),
          claim_id = null,
          worker_id = null,
          updated_at = now()
      from unnest(
        ${ids}::uuid[],
        ${column(({ event }) => event.claim_id)}::uuid[],
        ${column(({ status }) => status)}::text[],
        ${column(({ delaySeconds }) => delaySeconds)}::float8[],
        ${column(({ error }) => error)}::text[],
        ${column(({ interruptions }) => interruptions)}::smallint[],
        ${column(({ released }) => released)}::smallint[]
      ) as outcome (id, claim_id, status, delay_seconds, error, interruptions, released)
      where outbox_event.id = any(${ids})
        and outbox_event.id = outcome.id
        and outbox_event.claim_id = outcome.claim_id
      returning outbox_event.id
    ),
    recorded as (
      insert into outbox_delivery (event_id, subscriber, error_message, delivered_at)
      select call.event_id, call.subscriber, call.error, case when call.error is null then now() end
      from unnest(
        ${calls.map(({ event_id }) => event_id)}::uuid[],
        ${calls.map(({ subscriber }) => subscriber)}::text[],
        ${calls.map(({ error }) => error)}::text[]
      ) as call (event_id, subscriber, error)
      join settled on settled.id = call.event_id
      on conflict (event_id, subscriber) do update
      set attempts = outbox_delivery.attempts + 1,
          error_message = excluded.error_message,
          delivered_at = excluded.delivered_at
      where outbox_delivery.delivered_at is null
    )
    select case when count(*) < cardinality(${ids}) then coalesce(array_agg(id), '{}') end as kept
    from settled`;
  if (!kept) return [];
  const passed = new Set(kept);
  return ids.filter((id) => !passed.has(id));
}

/** Takes back the events of dead workers. Interrupted too often, an event has failed. Returns how many there were. */
export async function takeBackEvents(tx: Transaction, dead: DeadWorker[]): Promise<number> {
  const taken = await tx`
    update outbox_event
    set ${interruptedColumns(tx, tx`outbox_event`)},
        error_message = case
          when interruptions + 1 >= ${MAX_INTERRUPTIONS}
          then 'The workers that delivered it died ' || ${MAX_INTERRUPTIONS}::int || ' times; it is given up.'
          else error_message
        end
    where status = 'pending' and worker_id = any(${dead.map(({ id }) => id)})`;
  return taken.count;
}

/** Finds the next unclaimed event that is due later than `since`. */
export async function findNextEvent(sql: Database, since: Date | null): Promise<NextDue> {
  const [row] = await sql<[NextDue]>`
    select
      now() as asked_at,
      extract(epoch from min(next_attempt_at) - now())::float8 * 1000 as wait_ms
    from outbox_event
    where status = 'pending'
      and next_attempt_at > coalesce(${since}::timestamptz, '-infinity')
      and claim_id is null`;
  return row;
}
