const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** How long a delivery waits after each failed attempt; after the last it has failed. */
export const RETRY_DELAYS_SECONDS = [
  5,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

const MOST_JITTER = 0.1;

/** Undefined when no attempt is left. `chance` is from 0 to 1. */
export function retryDelaySeconds(
  failedAttempts: number,
  chance: number,
  retryAfterSeconds = 0,
): number | undefined {
  const delay = RETRY_DELAYS_SECONDS[failedAttempts - 1];
  if (delay === undefined) return undefined;
  return Math.max(delay * (1 + MOST_JITTER * chance), retryAfterSeconds);
}
