import type { Queryable } from '../database/database.ts';

/** The size of a token bucket and its refill rate. */
export interface Limit {
  capacity: number;
  perSecond: number;
}

/** Takes `min` to `max` tokens from a bucket that all processes share, or none. Its row lock serialises calls. */
export async function takeTokens(sql: Queryable, name: string, limit: Limit, { min = 1, max = 1 } = {}) {
  const { capacity, perSecond } = limit;
  const available = sql`least(
    ${capacity}::float8,
    bucket.tokens + greatest(0, extract(epoch from clock_timestamp() - bucket.refilled_at)) * ${perSecond}::float8
  )`;
  const grant = sql`case when ${available} >= ${min}::float8 then least(floor(${available}), ${max}::float8) else 0 end`;
  const [bucket] = await sql<[{ tokens: number; granted: number }]>`
    insert into rate_limit_buckets as bucket (name, tokens, granted, refilled_at)
    values (
      ${name},
      ${capacity}::float8 - least(floor(${capacity}::float8), ${max}::float8),
      least(floor(${capacity}::float8), ${max}::float8),
      clock_timestamp()
    )
    on conflict (name) do update
    set tokens = ${available} - ${grant},
        granted = ${grant},
        refilled_at = clock_timestamp()
    returning tokens, granted`;
  const missing = Math.max(0, min - bucket.tokens);
  return {
    granted: bucket.granted,
    left: bucket.tokens,
    retryAfterSeconds: bucket.granted > 0 ? 0 : Math.max(1, Math.ceil(missing / perSecond)),
  };
}

/** Returns tokens of requests that do not count after all. */
export async function returnTokens(sql: Queryable, name: string, { capacity }: Limit, tokens = 1) {
  await sql`
    update rate_limit_buckets
    set tokens = least(${capacity}::float8, tokens + ${tokens}::float8)
    where name = ${name}`;
}

export async function fillBucket(sql: Queryable, name: string): Promise<void> {
  await sql`delete from rate_limit_buckets where name = ${name}`;
}

/** Deletes buckets that were not used for an hour. They are full again, and a missing bucket counts as full. */
export async function deleteIdleBuckets(sql: Queryable): Promise<number> {
  const deleted = await sql`delete from rate_limit_buckets where refilled_at < now() - interval '1 hour'`;
  return deleted.count;
}
