export interface GateLimits {
  /** How many run at once. */
  running: number;
  /** How many may wait for their turn; whoever comes after them is refused. */
  waiting: number;
}

/** Runs work for a few at a time, in the order of arrival. `refuse` throws for whoever finds the queue full. */
export function createGate({ running, waiting }: GateLimits, refuse: () => never) {
  let free = running;
  const queue: (() => void)[] = [];

  async function enter(): Promise<void> {
    if (free > 0) {
      free -= 1;
      return;
    }
    if (queue.length >= waiting) refuse();
    await new Promise<void>((resolve) => queue.push(resolve));
  }

  /** The place goes to whoever waits longest, and is free only when nobody does. */
  function leave(): void {
    const next = queue.shift();
    if (next) next();
    else free += 1;
  }

  return async <T>(work: () => Promise<T>): Promise<T> => {
    await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
