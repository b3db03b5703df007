import type { ProcessPool } from './pool.ts';
import type { RunOptions, Work } from './work.ts';

/**
 * The steps that may run on the event loop: about a millisecond. A step is one character in one pass over a text.
 * Starting a task in a process takes as long, so cheaper work gains nothing from it.
 */
export const CHEAP = 20_000;

/** Runs a task on the event loop when it is cheap, and in a process otherwise. `cost` counts steps, at their worst. */
export type RunByCost<Tasks extends Work> = <Name extends keyof Tasks & string>(
  name: Name,
  input: Parameters<Tasks[Name]>[0],
  options: RunOptions & { cost: number },
) => Promise<Awaited<ReturnType<Tasks[Name]>>>;

export function runByCost<Tasks extends Work>(
  tasks: Tasks,
  pool: Pick<ProcessPool<Tasks>, 'run'>,
): RunByCost<Tasks> {
  const run = async (name: string, input: never, { cost, signal }: RunOptions & { cost: number }) => {
    signal?.throwIfAborted();
    return cost <= CHEAP ? tasks[name]?.(input) : pool.run(name, input, { signal });
  };
  return run as RunByCost<Tasks>;
}
