import type { EventStatus } from '../../contract/events.ts';
import type { Database, Queryable, Transaction } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';
import { interruptedColumns } from '../../platform/work/claimed-rows.ts';
import type { NextDue } from '../../platform/work/loop.ts';
import type { DeadWorker } from '../../platform/work/recovery.ts';

/** A delivery that a worker has claimed. */
export interface ClaimedDelivery {
  id: string;
  webhook_id: string;
  url: string;
  event_id: string;
  body: string;
  traceparent: string | null;
  attempts: number;
  /** How many of its attempts were interrupted and do not count. */
  interruptions: number;
  claim_id: string;
  /** The secrets to sign it with, the newest first. */
  secrets: string[];
}

/** How many deliveries a claim takes of each webhook. */
export interface Wants {
  ofOthers: number;
  byWebhook: Map<string, number>;
}

/**
 * Claims the deliveries of each webhook that have been due for longest, for a living worker. The claim ends with the
 * outcome, or with the worker's lease. The columns that it sets are in no index (a HOT update).
 *
 * The commit does not wait for the disk: a claim that a crash loses is made again, as is one that a crash interrupts.
 */
export async function claimDeliveries(
  sql: Database,
  { workerId, token, wants }: { workerId: string; token: string; wants: Wants },
): Promise<ClaimedDelivery[]> {
  const deliveries = await sql<ClaimedDelivery[]>`
    with claimed as (
      update webhook_deliveries
      set attempts = attempts + 1,
          claim_id = ${token},
          worker_id = ${workerId}
      where ctid = any(array(
        select next.ctid
        from (select from workers where id = ${workerId} for key share) as alive
        cross join webhooks
        left join unnest(${[...wants.byWebhook.keys()]}::uuid[], ${[...wants.byWebhook.values()]}::int[])
          as known (webhook_id, want) on known.webhook_id = webhooks.id
        cross join lateral (
          select delivery.ctid
          from webhook_deliveries as delivery
          where delivery.webhook_id = webhooks.id
            and delivery.status = 'pending'
            and delivery.next_attempt_at <= now()
            and delivery.claim_id is null
          order by delivery.next_attempt_at
          limit coalesce(known.want, ${wants.ofOthers})
          for update skip locked
        ) as next
        where webhooks.disabled_at is null
      ))
      returning id, webhook_id, event_id, body, traceparent, attempts, interruptions, claim_id
    )
    select
      claimed.*, webhooks.url,
      -- The oldest delivery of a webhook comes first, and brings the secrets.
      case row_number() over (partition by claimed.webhook_id order by claimed.id)
        when 1
        then array(
          select secret
          from webhook_secrets
          where webhook_secrets.webhook_id = claimed.webhook_id and coalesce(expires_at > now(), true)
          order by webhook_secrets.id desc
        )
      end as secrets
    from claimed
    join webhooks on webhooks.id = claimed.webhook_id
    cross join (select set_config('synchronous_commit', 'off', true)) as durability`;
  const secrets = new Map<string, string[]>();
  for (const delivery of deliveries) {
    if (delivery.secrets) secrets.set(delivery.webhook_id, delivery.secrets);
    else delivery.secrets = secrets.get(delivery.webhook_id) ?? [];
  }
  return deliveries;
}

/** A request that was made, for the log. */
export interface LoggedAttempt {
  requestHeaders: Record<string, string>;
  responseStatus: number | null;
  responseBody: string | null;
  durationMs: number;
  errorCode: string | null;
}

/** How an attempt at a delivery ended, and what becomes of the delivery. */
export interface Settlement {
  delivery: ClaimedDelivery;
  status: EventStatus;
  /** Seconds until the next attempt of a delivery that stays pending. */
  delaySeconds: number;
  /** Null when it was delivered. */
  error: string | null;
  /** Undefined for a delivery that was claimed and not begun. */
  attempt: LoggedAttempt | undefined;
}

interface Settled {
  /** Deliveries whose claim had ended; they leave a line in the log and nothing else. */
  dropped: string[];
  /** The webhooks of which deliveries failed, and for how many days they have done nothing but fail. */
  failing: { webhook_id: string; failing_days: number }[];
}

/**
 * Writes how attempts ended, in one statement: the deliveries, the log, and since when their webhooks fail. The deliveries
 * are locked first, so that one whose webhook is deleted at this moment is either waited for or gone.
 */
export async function settleDeliveries(sql: Queryable, settlements: Settlement[]): Promise<Settled> {
  const column = <T>(read: (settlement: Settlement) => T) => settlements.map(read);
  const ids = column(({ delivery }) => delivery.id);
  const [{ kept, failing }] = await sql<[{ kept: string[] | null; failing: Settled['failing'] | null }]>`
    with held as materialized (
      select outcome.*, delivery.claim_id = outcome.claim_id as is_held
      from unnest(
        ${ids}::uuid[],
        ${column(({ delivery }) => delivery.claim_id)}::uuid[],
        ${column(({ delivery }) => delivery.url)}::text[],
        ${column(({ status }) => status)}::text[],
        ${column(({ delaySeconds }) => delaySeconds)}::float8[],
        ${column(({ error }) => error)}::text[],
        ${column(({ attempt }) => (attempt ? newId() : null))}::uuid[],
        ${column(({ attempt }) => JSON.stringify(attempt?.requestHeaders ?? {}))}::jsonb[],
        ${column(({ attempt }) => attempt?.responseStatus ?? null)}::smallint[],
        ${column(({ attempt }) => attempt?.responseBody ?? null)}::text[],
        ${column(({ attempt }) => Math.round(attempt?.durationMs ?? 0))}::int[],
        ${column(({ attempt }) => attempt?.errorCode ?? null)}::text[]
      ) as outcome (
        id, claim_id, url, status, delay_seconds, error, attempt_id, request_headers, response_status, response_body,
        duration_ms, error_code
      )
      join webhook_deliveries as delivery on delivery.id = outcome.id
      where delivery.id = any(${ids})
      for update of delivery
    ),
    settled as (
      update webhook_deliveries as delivery
      set status = held.status,
          attempts = delivery.attempts - (held.attempt_id is null)::int,
          delivered_at = case held.status when 'delivered' then now() end,
          next_attempt_at = case
            when held.attempt_id is null then delivery.next_attempt_at
            when held.status = 'pending' then now() + held.delay_seconds * interval '1 second'
          end,
          error_message = case when held.attempt_id is null then delivery.error_message else held.error end,
          claim_id = null,
          worker_id = null,
          updated_at = now()
      from held
      where delivery.id = any(${ids}) and delivery.id = held.id and held.is_held
      returning delivery.id, delivery.webhook_id, held.attempt_id, held.status = 'delivered' as is_delivered
    ),
    logged as (
      insert into webhook_attempts (
        id, delivery_id, url, request_headers, response_status, response_body, error_code, error_message, duration_ms
      )
      select
        attempt_id, id, url, request_headers, response_status, response_body, error_code, error, duration_ms
      from held
      where attempt_id is not null
    ),
    attempted as (
      select webhook_id, bool_or(is_delivered) as is_delivered
      from settled
      where attempt_id is not null
      group by webhook_id
    ),
    turned as (
      -- Most attempts end like the one before, and need not write this.
      update webhooks
      set failing_since = case when attempted.is_delivered then null else now() end
      from attempted
      where webhooks.id = attempted.webhook_id and (webhooks.failing_since is null) <> attempted.is_delivered
    )
    select
      (
        select case when count(*) < cardinality(${ids}) then coalesce(array_agg(id), '{}') end from settled
      ) as kept,
      (
        select
          json_agg(
            json_build_object(
              'webhook_id', webhooks.id,
              'failing_days', coalesce(extract(epoch from now() - webhooks.failing_since) / 86400, 0)
            )
          )
        from attempted
        join webhooks on webhooks.id = attempted.webhook_id
        where not attempted.is_delivered
      ) as failing`;
  const passed = kept && new Set(kept);
  return { dropped: passed ? ids.filter((id) => !passed.has(id)) : [], failing: failing ?? [] };
}

/**
 * Takes back the deliveries of dead workers. Whether the receiver got them is not known, so the log says that the attempt
 * was interrupted. Interrupted too often, a delivery has failed. Returns how many there were.
 */
export async function takeBackDeliveries(tx: Transaction, dead: DeadWorker[]): Promise<number> {
  const taken = await tx<{ id: string; url: string }[]>`
    update webhook_deliveries as delivery
    set ${interruptedColumns(tx, tx`delivery`)},
        error_message = ${INTERRUPTED}
    from webhooks
    where webhooks.id = delivery.webhook_id
      and delivery.status = 'pending'
      and delivery.worker_id = any(${dead.map(({ id }) => id)})
    returning delivery.id, webhooks.url`;
  await tx`
    insert into webhook_attempts (id, delivery_id, url, request_headers, error_code, error_message, duration_ms)
    select attempt_id, delivery_id, url, '{}', 'E_LEASE_EXPIRED', ${INTERRUPTED}, 0
    from unnest(
      ${taken.map(() => newId())}::uuid[],
      ${taken.map(({ id }) => id)}::uuid[],
      ${taken.map(({ url }) => url)}::text[]
    ) as interrupted (attempt_id, delivery_id, url)`;
  return taken.length;
}

const INTERRUPTED = 'The worker died during this attempt, which does not count.';

/** Finds the next unclaimed delivery that is due later than `since`. */
export async function findNextDelivery(sql: Database, since: Date | null): Promise<NextDue> {
  const [row] = await sql<[NextDue]>`
    select
      now() as asked_at,
      extract(epoch from min(next.next_attempt_at) - now())::float8 * 1000 as wait_ms
    from webhooks
    cross join lateral (
      select next_attempt_at
      from webhook_deliveries
      where webhook_id = webhooks.id
        and status = 'pending'
        and next_attempt_at > coalesce(${since}::timestamptz, '-infinity')
        and claim_id is null
      order by next_attempt_at
      limit 1
    ) as next
    where webhooks.disabled_at is null`;
  return row;
}
