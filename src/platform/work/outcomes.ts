import { setTimeout as pause } from 'node:timers/promises';
import { isDatabaseTrouble } from '../database/trouble.ts';
import type { Logger } from '../telemetry/logger.ts';
import { oneAtATime } from './one-at-a-time.ts';

/** Writes outcomes in batches, each again until it is written or its claim has ended. */
interface Outcomes<Outcome> {
  /** `written` is called when the outcome is in the database, or never will be. */
  add(outcome: Outcome, written?: () => void): void;
  /** Whether everything is written. */
  isIdle(): boolean;
  /** From now on, outcomes that cannot be written are dropped. */
  giveUp(): void;
}

interface OutcomesOptions<Outcome> {
  log: Logger;
  /** Writes outcomes in one transaction. Those whose claim has ended are dropped by it. */
  write(outcomes: Outcome[]): Promise<void>;
  /** The outcome in place of one that PostgreSQL cannot store. */
  unwritable(outcome: Outcome, error: unknown): Outcome;
  /** Called whenever a batch has been written, or dropped. */
  onWritten(): void;
}

interface Waiting<Outcome> {
  outcome: Outcome;
  written?: (() => void) | undefined;
}

export function createOutcomes<Outcome>(options: OutcomesOptions<Outcome>): Outcomes<Outcome> {
  const { log, write, unwritable, onWritten } = options;
  let waiting: Waiting<Outcome>[] = [];
  let isWriting = false;
  let isGivenUp = false;
  let hasFailed = false;

  const writing = oneAtATime(async () => {
    // Everything that ends in this turn of the event loop goes together.
    await new Promise(setImmediate);
    const batch = waiting;
    waiting = [];
    isWriting = true;
    hasFailed = false;
    if (batch.length > 0) await writeBatch(batch);
    if (hasFailed) await pause(200 + Math.random() * 300);
    isWriting = false;
    if (waiting.length > 0) writing.ask();
    onWritten();
  });

  async function writeBatch(batch: Waiting<Outcome>[]): Promise<void> {
    const [only, ...others] = batch;
    try {
      await write(batch.map(({ outcome }) => outcome));
      for (const { written } of batch) written?.();
    } catch (error) {
      if (isGivenUp) {
        log.warn({ err: error, count: batch.length }, 'outcomes were not written; the work is done again');
        for (const { written } of batch) written?.();
      } else if (isDatabaseTrouble(error)) {
        later(batch, error);
      } else if (others.length > 0) {
        // One outcome that PostgreSQL refuses must not hold up the others.
        for (const one of batch) await writeBatch([one]);
      } else if (only && isAboutData(error)) {
        await writeBatch([{ ...only, outcome: unwritable(only.outcome, error) }]);
      } else {
        later(batch, error);
      }
    }
  }

  function later(batch: Waiting<Outcome>[], error: unknown): void {
    log.error({ err: error, count: batch.length }, 'writing outcomes failed; trying again');
    waiting = batch.concat(waiting);
    hasFailed = true;
  }

  return {
    add(outcome, written) {
      waiting.push({ outcome, written });
      writing.ask();
    },
    isIdle: () => waiting.length === 0 && !isWriting,
    giveUp() {
      isGivenUp = true;
    },
  };
}

/** Class 22: a value that PostgreSQL cannot store, such as a NUL character in a text. */
function isAboutData(error: unknown): boolean {
  return /^22/.test(String((error as { code?: unknown }).code ?? ''));
}
