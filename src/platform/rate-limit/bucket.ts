import type { Queryable } from '../database/database.ts';

/** How much a bucket holds when it is full, and how fast it fills. */
export interface Limit {
  capacity: number;
  perSecond: number;
}

export interface Taken {
  granted: number;
  /** With nothing granted: when the bucket will hold `least` again. */
  retryAfterSeconds: number;
}

/**
 * Takes tokens out of a bucket that all processes share: as many as there are, between `least` and `most`, or none. The
 * row's lock makes takers wait for one another, so together they never get more than there was.
 */
export async function takeTokens(
  sql: Queryable,
  name: string,
  { capacity, perSecond }: Limit,
  { least = 1, most = 1 } = {},
): Promise<Taken> {
  const available = sql`least(
    ${capacity}::float8,
    bucket.tokens + greatest(0, extract(epoch from clock_timestamp() - bucket.refilled_at)) * ${perSecond}::float8
  )`;
  const grant = sql`case when ${available} >= ${least}::float8 then least(floor(${available}), ${most}::float8) else 0 end`;
  const [bucket] = await sql<[{ tokens: number; granted: number }]>`
    insert into rate_limit_buckets as bucket (name, tokens, granted, refilled_at)
    values (
      ${name},
      ${capacity}::float8 - least(floor(${capacity}::float8), ${most}::float8),
      least(floor(${capacity}::float8), ${most}::float8),
      clock_timestamp()
    )
    on conflict (name) do update
    set tokens = ${available} - ${grant},
        granted = ${grant},
        refilled_at = clock_timestamp()
    returning tokens, granted`;
  const missing = Math.max(0, least - bucket.tokens);
  return {
    granted: bucket.granted,
    retryAfterSeconds: bucket.granted > 0 ? 0 : Math.max(1, Math.ceil(missing / perSecond)),
  };
}

/** Gives back what was taken and turned out not to count. */
export async function returnTokens(
  sql: Queryable,
  name: string,
  { capacity }: Limit,
  tokens = 1,
): Promise<void> {
  await sql`
    update rate_limit_buckets
    set tokens = least(${capacity}::float8, tokens + ${tokens}::float8)
    where name = ${name}`;
}

export async function fillBucket(sql: Queryable, name: string): Promise<void> {
  await sql`delete from rate_limit_buckets where name = ${name}`;
}

/** A bucket that nobody has touched for an hour is as good as a full one that was never made. */
export async function deleteIdleBuckets(sql: Queryable): Promise<number> {
  const deleted = await sql`delete from rate_limit_buckets where refilled_at < now() - interval '1 hour'`;
  return deleted.count;
}
