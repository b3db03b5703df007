import { type RetryPolicy, retryDelay } from '../../platform/work/retry-policy.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** The schedule that Standard Webhooks recommends. After the last delay there is one more attempt. */
const DELAYS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];

const DELIVERY_RETRY: RetryPolicy = { delays: DELAYS, jitter: 0.1 };

/** Seconds until a delivery is tried again; undefined when no attempt is left. */
export function deliveryDelay(
  failedAttempts: number,
  retryAfterSeconds = 0,
  random?: () => number,
): number | undefined {
  if (failedAttempts > DELAYS.length) return undefined;
  return Math.max(retryDelay(DELIVERY_RETRY, failedAttempts, random), retryAfterSeconds);
}
