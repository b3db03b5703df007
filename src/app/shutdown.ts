/** SIGHUP: the terminal was closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ctrl-C under npm arrives twice: from the terminal, and forwarded by npm. Signals within this time count as one. */
const SAME_KEYSTROKE_MS = 1000;

/** Resolves with the first signal that asks the process to stop. A later one calls `atOnce`. */
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

/** Runs a long command that a signal interrupts: it cleans up and fails. A second signal ends the process. */
export async function abortOnSignals<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const abort = (signal: NodeJS.Signals) => {
    if (stop.signal.aborted) process.exit(INTERRUPTED);
    stop.abort(new Error(`Interrupted by ${signal}.`));
  };
  for (const signal of SIGNALS) process.on(signal, abort);
  try {
    return await work(stop.signal);
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, abort);
  }
}

/** The exit code that shells use for a command that was ended by Ctrl-C. */
const INTERRUPTED = 130;
