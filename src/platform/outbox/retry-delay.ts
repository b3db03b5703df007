const FIRST_SECONDS = 60;
const LONGEST_SECONDS = 3600;
/** So that what failed together does not come back together. */
const MOST_JITTER = 0.1;

/** How long an event waits after this many attempts have failed. `chance` is from 0 to 1. */
export function retryDelaySeconds(attempts: number, chance: number): number {
  const delay = Math.min(FIRST_SECONDS * 2 ** (attempts - 1), LONGEST_SECONDS);
  return delay * (1 + MOST_JITTER * chance);
}
