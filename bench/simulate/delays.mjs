// Delays between the time at which a job is due and its claim.
import { percentile } from '../jobs/statistics.mjs';

/** Returns p50, p99 and mean of the delays of these attempts, and their number. */
export function delaysOf(attempts) {
  const delays = attempts.map(({ due, claimed }) => claimed - due);
  return {
    attempts: delays.length,
    p50_ms: percentile(delays, 0.5) ?? 0,
    p99_ms: percentile(delays, 0.99) ?? 0,
    mean_ms: delays.reduce((sum, delay) => sum + delay, 0) / Math.max(1, delays.length),
  };
}

/** Returns the mean of each figure over several runs. */
export function meanOf(runs) {
  const names = Object.keys(runs[0]);
  return Object.fromEntries(
    names.map((name) => [name, runs.reduce((sum, run) => sum + run[name], 0) / runs.length]),
  );
}
