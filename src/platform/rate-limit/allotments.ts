import type { Queryable } from '../database/database.ts';
import { type Limit, takeTokens } from './bucket.ts';

/** How much of a full bucket a process takes at once. */
const SHARE = 1 / 50;
/** What was taken and not used for so long is given up. */
const KEPT_MS = 60_000;
const MOST_REMEMBERED = 50_000;

interface Allotment {
  tokens: number;
  takenAt: number;
  /** Until then, the shared bucket is known to be empty. */
  emptyUntil: number;
  /** The one who asks the database; everybody else of this process waits for the answer. */
  asking: Promise<void> | undefined;
}

export interface AllotmentsOptions {
  sql: Queryable;
  now?: () => number;
}

export type Allotments = ReturnType<typeof createAllotments>;

/**
 * Limits that hold across processes without asking the database for each request. A bucket in the database, which is
 * exact, is shared by all; each process takes a fiftieth of a full one from it at a time and counts requests against that. So
 * a caller who makes n requests costs one statement for every capacity / 50 of them, at most one a minute when they are
 * few, and none while the bucket is empty.
 *
 * Of all processes together, no more requests pass in any time than the bucket held and was filled with in that time, and
 * what they had taken in the minute before: a fiftieth for each process. What a process takes and does not use is lost to
 * the caller, never gained.
 */
export function createAllotments({ sql, now = Date.now }: AllotmentsOptions) {
  const allotments = new Map<string, Allotment>();

  function allotmentOf(name: string): Allotment {
    const known = allotments.get(name);
    if (known) return known;
    if (allotments.size >= MOST_REMEMBERED) forgetOldest();
    const made = { tokens: 0, takenAt: 0, emptyUntil: 0, asking: undefined };
    allotments.set(name, made);
    return made;
  }

  /** Takes no longer however many there are: strangers can invent names. What is forgotten is asked for again. */
  function forgetOldest(): void {
    const [oldest] = allotments.keys();
    if (oldest !== undefined) allotments.delete(oldest);
  }

  async function refill(allotment: Allotment, name: string, limit: Limit): Promise<void> {
    const most = Math.max(1, Math.floor(limit.capacity * SHARE));
    const { granted, retryAfterSeconds } = await takeTokens(sql, name, limit, { most });
    allotment.tokens = granted;
    allotment.takenAt = now();
    if (granted === 0) allotment.emptyUntil = now() + retryAfterSeconds * 1000;
  }

  return {
    /** Zero when the request may pass; otherwise in how many seconds to try again. */
    async take(name: string, limit: Limit): Promise<number> {
      const allotment = allotmentOf(name);
      for (;;) {
        if (now() - allotment.takenAt > KEPT_MS) allotment.tokens = 0;
        if (allotment.tokens >= 1) {
          allotment.tokens -= 1;
          return 0;
        }
        const wait = allotment.emptyUntil - now();
        if (wait > 0) return Math.ceil(wait / 1000);
        allotment.asking ??= refill(allotment, name, limit).finally(() => {
          allotment.asking = undefined;
        });
        await allotment.asking;
      }
    },
  };
}
