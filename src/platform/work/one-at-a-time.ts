import { outsideSpans } from '../telemetry/tracing.ts';

/** Work that can be asked for at any time and runs once at a time. */
interface OneAtATime {
  ask(): void;
  /** Resolves when it does not run. */
  ended(): Promise<void>;
}

/**
 * Runs `work` when it is asked for; asked for while it runs, it runs once more afterwards. So an idle system answers at
 * once and a loaded one batches, without a timer. `work` must not throw.
 */
export function oneAtATime(work: () => Promise<void>): OneAtATime {
  let isAsked = false;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (isAsked) {
      isAsked = false;
      await work();
    }
    running = undefined;
  }

  return {
    ask() {
      isAsked = true;
      running ??= outsideSpans(run);
    },
    ended: async () => running,
  };
}
