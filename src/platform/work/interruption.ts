import { isDatabaseTrouble } from '../database/trouble.ts';
import { failureCause, ProcessStopped } from '../processes/stopped.ts';
import { retryDelay } from './retry-policy.ts';

/**
 * Attempts that Nexus's own trouble cut short: the database was lost, or the worker died. They cost time and no attempt.
 *
 * The limit ends work that kills every worker that takes it. With the delays below, 100 interruptions take at least 24
 * minutes of trouble that hits the same work every time; an outage is one interruption however long it lasts, because
 * nothing is claimed during it.
 */
export const MAX_INTERRUPTIONS = 100;

/** Seconds before the next attempt. The longest is short, so that all work goes on soon after the trouble is over. */
export const INTERRUPTION_DELAYS = [1, 2, 4, 8, 15] as const;

/**
 * Seconds before the next attempt at work whose type this process does not know: during an upgrade, a newer process submits
 * work that only newer processes can do. The limit of interruptions then leaves 50 minutes for the upgrade.
 */
export const UNKNOWN_TYPE_DELAY = 30;

/** Whether an error is Nexus's own trouble: the database failed, or this process had no room or no time left for a task. */
export function isOwnTrouble(error: unknown): boolean {
  if (error instanceof ProcessStopped) return failureCause(error) === undefined;
  return isDatabaseTrouble(error);
}

/** Seconds to wait after the nth interruption, from 1. */
export function interruptionDelay(nth: number): number {
  return retryDelay({ delays: INTERRUPTION_DELAYS, jitter: 0.1 }, nth);
}
