import type { Queryable } from '../database/database.ts';
import { type Limit, takeTokens } from './bucket.ts';

/** The share of a full bucket that a process takes at a time. */
const SHARE = 1 / 50;
/** Tokens that were not used for this long are dropped. */
const MAX_TOKEN_AGE_MS = 60_000;
const MAX_CACHED_NAMES = 50_000;

/** The tokens that this process has taken from a shared bucket. */
interface LocalTokens {
  count: number;
  takenAt: number;
  /** Until then, the shared bucket is known to be empty. */
  emptyUntil: number;
  /** The tokens that were left in the shared bucket when some were last taken. */
  leftInBucket: number;
  /** The pending request to the database. All callers of this process wait for the same one. */
  refill: Promise<void> | undefined;
}

/**
 * Rate limits that all processes share, without a statement for each request. All processes share an exact bucket in the
 * database. Each process takes a fiftieth of a full bucket at a time and counts requests against that. So a caller costs
 * one statement per capacity / 50 requests, at most one a minute when requests are few, and none while the bucket is empty.
 *
 * In any period, all processes together allow at most what the bucket held and gained in that period, plus what they took
 * in the minute before: a fiftieth per process. Tokens that a process takes and does not use are lost.
 */
export function createRateLimiter({ sql, now = Date.now }: { sql: Queryable; now?: () => number }) {
  const cache = new Map<string, LocalTokens>();

  function tokensOf(name: string): LocalTokens {
    const cached = cache.get(name);
    if (cached) return cached;
    if (cache.size >= MAX_CACHED_NAMES) evictOldest();
    const created = { count: 0, takenAt: 0, emptyUntil: 0, leftInBucket: 0, refill: undefined };
    cache.set(name, created);
    return created;
  }

  /** Runs in constant time, because unauthenticated callers can create any number of names. */
  function evictOldest(): void {
    const [oldest] = cache.keys();
    if (oldest !== undefined) cache.delete(oldest);
  }

  async function refill(tokens: LocalTokens, name: string, limit: Limit): Promise<void> {
    const max = Math.max(1, Math.floor(limit.capacity * SHARE));
    const { granted, left, retryAfterSeconds } = await takeTokens(sql, name, limit, { max });
    tokens.count = granted;
    tokens.leftInBucket = left;
    tokens.takenAt = now();
    if (granted === 0) tokens.emptyUntil = now() + retryAfterSeconds * 1000;
  }

  return {
    /** Takes a token. `wait` is zero when the request is allowed, otherwise the number of seconds to wait. */
    async take(name: string, limit: Limit) {
      const tokens = tokensOf(name);
      for (;;) {
        if (now() - tokens.takenAt > MAX_TOKEN_AGE_MS) tokens.count = 0;
        if (tokens.count >= 1) {
          tokens.count -= 1;
          return { wait: 0, ...estimate(tokens, limit, now()) };
        }
        const wait = tokens.emptyUntil - now();
        if (wait > 0) return { wait: Math.ceil(wait / 1000), ...estimate(tokens, limit, now()) };
        tokens.refill ??= refill(tokens, name, limit).finally(() => {
          tokens.refill = undefined;
        });
        await tokens.refill;
      }
    },
  };
}

/** Estimates the tokens that are left in a bucket. Other processes may have taken more. */
function estimate(
  { count, leftInBucket, takenAt }: LocalTokens,
  { capacity, perSecond }: Limit,
  now: number,
) {
  const gained = ((now - takenAt) / 1000) * perSecond;
  const remaining = Math.floor(Math.min(capacity, leftInBucket + gained + count));
  return { remaining, resetSeconds: Math.ceil((capacity - remaining) / perSecond) };
}
