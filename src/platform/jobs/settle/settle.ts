import type { Queryable, Transaction } from '../../database/database.ts';
import type { SqlFragment } from '../../database/statement.ts';
import { type Endings, endedBy, type Outcome } from './endings.ts';

type Ended = Extract<Outcome, { kind: 'succeeded' | 'failed' | 'cancelled' }>;
type Returned = Exclude<Outcome, Ended>;

/**
 * Writes outcomes. Jobs that are over leave the queue, the others go back into it, each fenced by token and attempt; only
 * what passes the fence is recorded as an attempt.
 *
 * Returns the jobs whose outcome was dropped, because they were no longer leased under their token and attempt.
 */
export async function settle(sql: Queryable, workerName: string, outcomes: Outcome[]): Promise<string[]> {
  const ended = outcomes.filter(isEnded);
  const returned = outcomes.filter((outcome) => !isEnded(outcome)) as Returned[];
  const dropped: string[] = [];
  if (ended.length > 0) dropped.push(...(await settleEnded(sql, workerName, ended)));
  if (returned.length > 0) dropped.push(...(await settleReturned(sql, workerName, returned)));
  return dropped;
}

/** Writes outcomes, and calls the listeners of the jobs that ended, in the same transaction. */
export async function settleAndNotify(
  tx: Transaction,
  workerName: string,
  outcomes: Outcome[],
  endings: Endings,
): Promise<string[]> {
  const dropped = new Set(await settle(tx, workerName, outcomes));
  const written = outcomes.filter(({ job }) => !dropped.has(job.id));
  await endings.notify(tx, written.flatMap(endedBy));
  return [...dropped];
}

const isEnded = (outcome: Outcome): outcome is Ended =>
  outcome.kind === 'succeeded' || outcome.kind === 'failed' || outcome.kind === 'cancelled';

/** True for an attempt that was interrupted; null for others, like every column without a value. */
const isInterrupted = (outcome: Ended) =>
  outcome.kind === 'cancelled' || ('isInterrupted' in outcome && outcome.isInterrupted) ? true : null;

/** There are thousands a second, so every column that is read, copied or compared here costs. */
async function settleEnded(sql: Queryable, workerName: string, outcomes: Ended[]): Promise<string[]> {
  const { ids, attempts, tokens, tokenPlaces, runtimes, errorTexts, errorCodes } = columnsOf(outcomes);
  const rows = await sql<[{ kept: string[] | null }]>`
    with ended as (
      delete from job_queue
      using unnest(
        ${ids}::uuid[],
        ${attempts}::smallint[],
        ${tokenPlaces}::int[],
        ${sparse(outcomes.map((outcome) => ('result' in outcome ? outcome.result : null)))}::jsonb[],
        ${errorTexts}::text[],
        ${errorCodes}::text[],
        ${sparse(outcomes.map(isInterrupted))}::bool[],
        ${runtimes}::int[]
      ) as outcome (job_id, attempt, token_place, result, error_text, error_code, is_interrupted, runtime_ms)
      where job_queue.job_id = any(${ids})
        and job_queue.job_id = outcome.job_id
        and job_queue.lease_token = (${tokens}::uuid[])[outcome.token_place]
        and job_queue.attempt_count = outcome.attempt
      returning outcome.*, job_queue.queue, job_queue.due_at, job_queue.started_at
    ),
    recorded as (
      ${recordAttempts(
        sql,
        workerName,
        sql`
          select
            *,
            case when error_text is null then 'succeeded' when is_interrupted then 'interrupted' else 'failed' end as status
          from ended`,
      )}
    )
    -- Outcomes are almost never dropped, and then nothing is listed.
    select case when count(*) < cardinality(${ids}) then coalesce(array_agg(job_id), '{}') end as kept
    from ended`;
  return droppedOf(ids, rows[0].kept);
}

async function settleReturned(sql: Queryable, workerName: string, outcomes: Returned[]): Promise<string[]> {
  const { ids, attempts, tokens, tokenPlaces, runtimes, errorTexts, errorCodes } = columnsOf(outcomes);
  const rows = await sql<[{ kept: string[] | null }]>`
    with returned as (
      update job_queue
      set due_at = case
            when outcome.kind in ('retry', 'interrupted') then now() + outcome.delay_ms * interval '1 millisecond'
            else job_queue.due_at
          end,
          attempt_count = job_queue.attempt_count - (outcome.kind = 'released')::int,
          refunded_count = job_queue.refunded_count + (outcome.kind in ('interrupted', 'stopped'))::int,
          interrupted_count = job_queue.interrupted_count + (outcome.kind = 'interrupted')::int,
          lease_token = null,
          worker_id = null,
          started_at = null
      from
        unnest(
          ${ids}::uuid[],
          ${attempts}::smallint[],
          ${tokenPlaces}::int[],
          ${outcomes.map(({ kind }) => kind)}::text[],
          ${errorTexts}::text[],
          ${errorCodes}::text[],
          ${outcomes.map((outcome) => ('delayMs' in outcome ? outcome.delayMs : 0))}::float8[],
          ${runtimes}::int[]
        ) as outcome (job_id, attempt, token_place, kind, error_text, error_code, delay_ms, runtime_ms),
        job_queue as before
      where job_queue.job_id = any(${ids})
        and before.job_id = any(${ids})
        and job_queue.job_id = outcome.job_id
        and before.job_id = outcome.job_id
        and job_queue.lease_token = (${tokens}::uuid[])[outcome.token_place]
        and job_queue.attempt_count = outcome.attempt
      returning outcome.*, before.queue, before.due_at, before.started_at
    ),
    recorded as (
      ${recordAttempts(
        sql,
        workerName,
        sql`
          select *, null::jsonb as result, case kind when 'retry' then 'failed' else 'interrupted' end as status
          from returned
          where kind <> 'released'`,
      )}
    )
    select case when count(*) < cardinality(${ids}) then coalesce(array_agg(job_id), '{}') end as kept
    from returned`;
  return droppedOf(ids, rows[0].kept);
}

/** The one place where attempts are written. */
function recordAttempts(sql: Queryable, workerName: string, attempts: SqlFragment) {
  return sql`
    insert into job_attempts (
      job_id, attempt_number, status, result, error_text, error_code, worker, queue, due_at, started_at, runtime_ms
    )
    select
      job_id, attempt, status, result, error_text, error_code, ${workerName}, queue, due_at, started_at, runtime_ms
    from (${attempts}) as attempt`;
}

/** The columns that all outcomes have. Thousands of jobs are leased under few tokens, so each token is sent once. */
function columnsOf(outcomes: Outcome[]) {
  const places = new Map<string, number>();
  const tokenPlaces = outcomes.map(({ job }) => {
    const place = places.get(job.lease_token) ?? places.size + 1;
    places.set(job.lease_token, place);
    return place;
  });
  return {
    ids: outcomes.map(({ job }) => job.id),
    attempts: outcomes.map(({ job }) => job.attempt),
    tokens: [...places.keys()],
    tokenPlaces,
    runtimes: outcomes.map((outcome) => ('runtimeMs' in outcome ? outcome.runtimeMs : 0)),
    errorTexts: sparse(outcomes.map((outcome) => ('errorText' in outcome ? outcome.errorText : null))),
    errorCodes: sparse(outcomes.map((outcome) => ('errorCode' in outcome ? outcome.errorCode : null))),
  };
}

/** A column without any value is sent empty: `unnest` fills up the shorter arrays with nulls. */
function sparse<T>(column: (T | null)[]): (T | null)[] {
  return column.every((value) => value === null) ? [] : column;
}

/** `kept` is null when all were. */
function droppedOf(ids: string[], kept: string[] | null): string[] {
  if (!kept) return [];
  const passed = new Set(kept);
  return ids.filter((id) => !passed.has(id));
}
