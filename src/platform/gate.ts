/** Limits how much work runs in parallel, in order of arrival. When the queue is full, `refuse` throws. */
export function createGate({ running, waiting }: { running: number; waiting: number }, refuse: () => never) {
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

  /** Passes the slot to the first in the queue, or frees it. */
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
