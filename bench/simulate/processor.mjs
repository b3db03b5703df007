// The cores of a simulated machine.
import { createHeap } from './clock.mjs';

/**
 * Cores that all tasks share equally (processor sharing), as an operating system divides them: with more tasks than cores,
 * each gets `cores / tasks` of one. `others` is the number of cores that other programs keep busy.
 */
export function createProcessor(clock, { cores, others = 0 }) {
  /** The work that each task has received since the beginning; a task ends when it reaches its target. */
  let received = 0;
  let updatedAt = 0;
  let plan = 0;
  let usedMs = 0;
  const tasks = createHeap((a, b) => a.target - b.target);

  const rate = () => (tasks.size() === 0 ? 0 : Math.min(1, cores / (tasks.size() + others)));

  function update() {
    const elapsed = clock.now() - updatedAt;
    received += elapsed * rate();
    usedMs += elapsed * rate() * tasks.size();
    updatedAt = clock.now();
  }

  /** Schedules the end of the next task. Later changes replace the plan. */
  function replan() {
    plan += 1;
    if (tasks.size() === 0) return;
    const current = plan;
    clock.at(clock.now() + Math.max(0, tasks.peek().target - received) / rate(), () => {
      if (current !== plan) return;
      update();
      const ended = [];
      // The first has ended by definition; rounding must not keep it.
      do ended.push(tasks.pop());
      while (tasks.size() > 0 && tasks.peek().target <= received + 1e-9);
      replan();
      for (const { done } of ended) done();
    });
  }

  return {
    /** Adds a task that needs so many milliseconds of a core. */
    add(demandMs, done = () => undefined) {
      if (demandMs <= 0) return done();
      update();
      tasks.push({ target: received + demandMs, done });
      replan();
    },
    /** Milliseconds of cores that were used. */
    used() {
      update();
      return usedMs;
    },
  };
}
