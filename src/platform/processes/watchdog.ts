import { Worker } from 'node:worker_threads';

export interface WatchdogOptions {
  /** The process that started this one. */
  parent: number;
  /** The resident memory that this process may use, buffers included. */
  memoryBytes: number;
}

export interface Watchdog {
  /** Kills the process after this time, unless `end` is called. */
  begin(milliseconds: number): void;
  end(): void;
}

/**
 * Starts a thread that kills this process when its parent has ended, when it uses too much memory, or when a task exceeds
 * its time. The main thread may be inside native code (`normalize`, a regular expression, zlib) that JavaScript cannot
 * interrupt, so the thread sends SIGKILL to its own process.
 */
export function startWatchdog({ parent, memoryBytes }: WatchdogOptions): Watchdog {
  // Shared by both threads: the deadline of the task on the monotonic clock; 0 between tasks.
  const deadline = new BigInt64Array(new SharedArrayBuffer(8));
  const watching = new Worker(`(${watch})(require('node:worker_threads').workerData)`, {
    eval: true,
    execArgv: [],
    workerData: { parent, memoryBytes, deadline },
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 },
  });
  watching.unref();
  const set = (time: bigint) => {
    Atomics.store(deadline, 0, time);
    Atomics.notify(deadline, 0);
  };
  return {
    begin: (milliseconds) => set(process.hrtime.bigint() + BigInt(Math.ceil(milliseconds)) * 1_000_000n),
    end: () => set(0n),
  };
}

/** Runs in a separate thread from its source text, so it must not use anything from this module. */
function watch({ parent, memoryBytes, deadline }: WatchdogOptions & { deadline: BigInt64Array }): void {
  const [whileIdleMs, whileBusyMs] = [1000, 25];
  for (;;) {
    const seen = Atomics.load(deadline, 0);
    Atomics.wait(deadline, 0, seen, seen === 0n ? whileIdleMs : whileBusyMs);
    const now = Atomics.load(deadline, 0);
    const isLate = now !== 0n && process.hrtime.bigint() > now;
    if (isLate || process.ppid !== parent || process.memoryUsage.rss() > memoryBytes) {
      process.kill(process.pid, 'SIGKILL');
    }
  }
}
