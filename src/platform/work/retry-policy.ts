/** The time between attempts, as data: it can be read, compared in a test and shown. */
export interface RetryPolicy {
  /** Seconds after the first, second, … failed attempt; the last one repeats. Or a function of the attempt, from 1. */
  delays: readonly number[] | ((attempt: number) => number);
  /** Up to this share is added at random, so that work that failed together does not return together. */
  jitter?: number;
  /** Seconds that no delay exceeds. */
  maximum?: number;
}

export const DEFAULT_RETRY: RetryPolicy = { delays: [2, 10, 30] };

/** Seconds to wait after `attempt` failed. */
export function retryDelay(policy: RetryPolicy, attempt: number, random: () => number = Math.random): number {
  const base =
    typeof policy.delays === 'function'
      ? policy.delays(attempt)
      : (policy.delays[Math.min(attempt, policy.delays.length) - 1] ?? 0);
  const delay = base * (1 + (policy.jitter ?? 0) * random());
  return Math.min(delay, policy.maximum ?? Number.POSITIVE_INFINITY);
}

/** An error that no retry can mend. */
export class PermanentError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PermanentError';
    this.code = code;
  }
}

/** An error that knows when to try again. */
export class RetryLater extends Error {
  readonly delaySeconds: number;
  readonly code: string;

  constructor(delaySeconds: number, code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RetryLater';
    this.delaySeconds = delaySeconds;
    this.code = code;
  }
}
