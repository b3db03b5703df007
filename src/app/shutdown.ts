import type { Logger } from '../platform/telemetry/logger.ts';
import type { Config } from './config.ts';
import type { OpenDatabase } from './database.ts';

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

/**
 * Waits for the database, unless a signal comes first: a long migration or a restore may keep others waiting for hours. Then the
 * process ends. The embedded server is stopped first; nobody but Nexus keeps it from opening, so it opens soon.
 */
export async function openUnlessStopped(
  opening: Promise<OpenDatabase>,
  { stopped, config, log }: { stopped: Promise<NodeJS.Signals>; config: Config; log: Logger },
): Promise<OpenDatabase> {
  const first = await Promise.race([opening, stopped]);
  if (typeof first === 'object') return first;
  log.info(`${first}: stopping before the database is open`);
  if (config.databaseUrl === undefined) await opening.then((database) => database.close());
  log.info('stopped');
  process.exit();
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
