import type { Run, RunOptions } from './pool.ts';
import type { Work } from './serve-tasks.ts';

/**
 * The maximum cost of a task that runs on the event loop: about a millisecond. A step is one character in one pass over a
 * text. Sending a task to a process takes as long, so it does not pay for cheaper ones.
 */
const MAX_INLINE_STEPS = 20_000;

/** Runs a task on the event loop if it is cheap, otherwise in a process. `cost` is the number of steps in the worst case. */
export type RunByCost<Tasks extends Work> = <Name extends keyof Tasks & string>(
  name: Name,
  input: Parameters<Tasks[Name]>[0],
  options: RunOptions & { cost: number },
) => Promise<Awaited<ReturnType<Tasks[Name]>>>;

export function runByCost<Tasks extends Work>(tasks: Tasks, pool: { run: Run<Tasks> }): RunByCost<Tasks> {
  const run = async (name: string, input: never, { cost, signal }: RunOptions & { cost: number }) => {
    signal?.throwIfAborted();
    return cost <= MAX_INLINE_STEPS ? tasks[name]?.(input) : pool.run(name, input, { signal });
  };
  return run as RunByCost<Tasks>;
}
