/** Work to ask for, of which at most one is under way. */
export interface OneAtATime {
  ask(): void;
  /** Resolves when none is under way. */
  ended(): Promise<void>;
}

/**
 * Asked for while it is under way, the work runs once more after that. What gathers meanwhile is one batch: an idle
 * system answers at once and a loaded one batches, without a timer. `work` must not throw.
 */
export function oneAtATime(work: () => Promise<void>): OneAtATime {
  let isAsked = false;
  let underWay: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (isAsked) {
      isAsked = false;
      await work();
    }
    underWay = undefined;
  }

  return {
    ask() {
      isAsked = true;
      underWay ??= run();
    },
    ended: async () => underWay,
  };
}
