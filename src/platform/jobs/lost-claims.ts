import type { Database } from '../database/database.ts';
import type { Logger } from '../telemetry/logger.ts';
import { releaseClaim } from './claim.ts';

/** Claims that may have been committed although their answer never came. */
export interface LostClaims {
  add(token: string): void;
  /** Whether any may still be lost. */
  areLeft(): boolean;
  close(): void;
}

export interface LostClaimsOptions {
  sql: Database;
  log: Logger;
  leaseSeconds: number;
  onReleased(): void;
}

const FIRST_LOOK_MS = 500;

/**
 * When the connection breaks after a claim was sent, its jobs may be leased to a worker that does not know of them and
 * lives, so that nobody takes them back. They are given back as soon as the database answers, and once more later: the
 * server may have been at it still, not knowing that nobody waits any more.
 */
export function createLostClaims({ sql, log, leaseSeconds, onReleased }: LostClaimsOptions): LostClaims {
  const timers = new Set<NodeJS.Timeout>();

  function lookIn(waitMs: number, token: string): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      void look(token);
    }, waitMs);
    timers.add(timer);
  }

  async function look(token: string): Promise<void> {
    try {
      const count = await releaseClaim(sql, token);
      if (count === 0) return;
      log.warn({ jobs: count }, 'the answer to a claim was lost; its jobs were given back');
      onReleased();
    } catch (error) {
      log.debug({ err: error }, 'looking for the jobs of a lost claim failed; trying again');
      lookIn(FIRST_LOOK_MS, token);
    }
  }

  return {
    add(token) {
      lookIn(FIRST_LOOK_MS, token);
      lookIn(leaseSeconds * 1000, token);
    },
    areLeft: () => timers.size > 0,
    close() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
