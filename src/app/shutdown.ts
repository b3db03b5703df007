/** SIGHUP: the terminal was closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ctrl-C under npm arrives twice: from the terminal, and forwarded by npm. Within this time they are one. */
const SAME_KEYSTROKE_MS = 1000;

/**
 * Resolves with the first signal that asks the process to stop. A later one means that somebody has run out of
 * patience, and calls `atOnce`.
 */
export function untilStopped(atOnce: () => void): Promise<NodeJS.Signals> {
  let first: number | undefined;
  return new Promise((resolve) => {
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (first === undefined) {
          first = performance.now();
          resolve(signal);
        } else if (performance.now() - first > SAME_KEYSTROKE_MS) {
          atOnce();
        }
      });
    }
  });
}

/** Lets a short command finish and clean up before a signal ends it. */
export async function finishDespiteSignals<T>(work: () => Promise<T>): Promise<T> {
  const note = () => {
    process.exitCode = INTERRUPTED;
  };
  for (const signal of SIGNALS) process.on(signal, note);
  try {
    return await work();
  } finally {
    for (const signal of SIGNALS) process.off(signal, note);
  }
}

/** What shells report of a command that Ctrl-C ended. */
const INTERRUPTED = 130;
