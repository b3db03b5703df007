import type { Logger } from '../telemetry/logger.ts';

/** Claims that may have been committed although their answer was lost. */
interface LostClaims {
  add(token: string): void;
  areLeft(): boolean;
  close(): void;
}

interface LostClaimsOptions {
  log: Logger;
  leaseSeconds: number;
  /** Releases the claim with this token. Returns how many items it held. */
  release(token: string): Promise<number>;
  onReleased(): void;
}

const FIRST_LOOK_MS = 500;

/**
 * When the connection breaks after a claim was sent, its items may belong to a living worker that does not know of them,
 * so that nobody takes them back. They are released as soon as the database answers, and once more a lease later: the
 * server may still have been executing the claim.
 */
export function createLostClaims({ log, leaseSeconds, release, onReleased }: LostClaimsOptions): LostClaims {
  const timers = new Set<NodeJS.Timeout>();
  let looking = 0;
  let isClosed = false;

  function lookIn(waitMs: number, token: string): void {
    if (isClosed) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      void look(token);
    }, waitMs);
    timers.add(timer);
  }

  async function look(token: string): Promise<void> {
    looking += 1;
    try {
      const count = await release(token);
      if (count === 0) return;
      log.warn({ count }, 'the answer to a claim was lost; what it claimed was released');
      onReleased();
    } catch (error) {
      log.debug({ err: error }, 'releasing a lost claim failed; trying again');
      lookIn(FIRST_LOOK_MS, token);
    } finally {
      looking -= 1;
    }
  }

  return {
    add(token) {
      lookIn(FIRST_LOOK_MS, token);
      lookIn(leaseSeconds * 1000, token);
    },
    areLeft: () => timers.size > 0 || looking > 0,
    close() {
      isClosed = true;
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
