import { setTimeout as pause } from 'node:timers/promises';
import { oneAtATime } from '../jobs/one-at-a-time.ts';
import type { Logger } from '../telemetry/logger.ts';

export interface ClaimLoopOptions<Item> {
  /** How many are under way at once: one that hangs holds up none of the others. */
  slots: number;
  pollSeconds: number;
  /** Takes at most so many that are due. */
  claim(want: number): Promise<Item[]>;
  /** Does one, and writes what became of it. Never takes longer than its claim holds. */
  run(item: Item): Promise<void>;
  /** Milliseconds until the next one is due; null when none is. */
  untilNextDue(): Promise<number | null>;
  log: Logger;
}

export interface ClaimLoop {
  /** There may be something due. */
  wake(): void;
  /** Claims no more, and lets what is under way finish for so long. What does not is claimed again by somebody else. */
  stop(graceSeconds: number): Promise<void>;
}

/** Something may be due that somebody else holds at this moment. */
const SHORTEST_SLEEP_MS = 25;
/** The longest time that a timer of Node.js takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Claims what is due and does it, as much at once as there are slots; sleeps exactly until the next is due. */
export function startClaimLoop<Item>(options: ClaimLoopOptions<Item>): ClaimLoop {
  const { slots, claim, run, untilNextDue, log } = options;
  const running = new Set<Promise<void>>();
  let mayHaveWork = true;
  /** A hint that comes while a claim is under way speaks of what the claim may not have seen. */
  let wasHinted = false;
  let isStopping = false;
  let dueTimer: NodeJS.Timeout | undefined;

  const claims = oneAtATime(async () => {
    const want = slots - running.size;
    if (isStopping || !mayHaveWork || want === 0) return;
    wasHinted = false;
    try {
      const items = await claim(want);
      for (const item of items) begin(item);
      mayHaveWork = items.length === want || wasHinted;
      if (!mayHaveWork) await sleepUntilDue();
      else claims.ask();
    } catch (error) {
      log.error({ err: error }, 'claiming deliveries failed; trying again');
      await pause(200 + Math.random() * 300);
      claims.ask();
    }
  });

  function begin(item: Item): void {
    const done = run(item)
      .catch((error) => log.error({ err: error }, 'a delivery could not be recorded; it will be made again'))
      .finally(() => {
        running.delete(done);
        if (mayHaveWork) claims.ask();
      });
    running.add(done);
  }

  async function sleepUntilDue(): Promise<void> {
    const wait = await untilNextDue();
    clearTimeout(dueTimer);
    if (wait !== null && !isStopping)
      dueTimer = setTimeout(wake, Math.min(Math.max(wait, SHORTEST_SLEEP_MS) + 1, LONGEST_TIMER_MS));
  }

  function wake(): void {
    mayHaveWork = true;
    wasHinted = true;
    claims.ask();
  }

  const poll = setInterval(wake, options.pollSeconds * 1000);
  wake();
  return {
    wake,
    async stop(graceSeconds) {
      isStopping = true;
      clearInterval(poll);
      await claims.ended();
      clearTimeout(dueTimer);
      const over = new AbortController();
      await Promise.race([
        Promise.allSettled(running),
        pause(graceSeconds * 1000, undefined, { signal: over.signal }).catch(() => undefined),
      ]);
      over.abort();
    },
  };
}
