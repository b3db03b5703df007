/**
 * Compares the simulation of the job queue (bench/simulate) with queueing theory.
 *
 * @module-tag slow
 */
import { expect, test } from 'vitest';
import { exponential, seeded } from '../../bench/random.mjs';
import { poissonArrivals } from '../../bench/simulate/arrivals.mjs';
import { createClock } from '../../bench/simulate/clock.mjs';
import { createProcessor } from '../../bench/simulate/processor.mjs';
import { simulate, TEXTBOOK } from '../../bench/simulate/simulation.mjs';

type Sample = (page: unknown, attempt: number, random: () => number) => { waitMs: number; retryMs?: number };

const MEAN_MS = 100;
const expiring: Sample = (_, __, random) => ({ waitMs: exponential(random, MEAN_MS) });

/** Simulates jobs that only wait, so that slots are all they need. */
function run(
  sample: Sample,
  shape: { workers: number; concurrency: number; perSecond: number },
  { arrivals = 60_000, ...more }: { arrivals?: number; [option: string]: unknown } = {},
) {
  const pages = poissonArrivals({ perSecond: shape.perSecond, seconds: arrivals / shape.perSecond, seed: 7 });
  const kinds = { job: { sample } };
  return simulate({ ...TEXTBOOK, ...shape, kinds, first: 'job', pages, seed: 1, ...more });
}

function meanWait({ attempts }: ReturnType<typeof simulate>): number {
  return attempts.reduce((sum, { due, began }) => sum + began - due, 0) / attempts.length;
}

/** The mean wait in an M/M/c queue (Erlang C). `load` is the arrival rate times the mean service time. */
function erlangWait(servers: number, load: number): number {
  let blocked = 1;
  for (let n = 1; n <= servers; n++) blocked = (load * blocked) / (n + load * blocked);
  const delayed = blocked / (1 - (load / servers) * (1 - blocked));
  return (delayed * MEAN_MS) / (servers - load);
}

test.each([
  { workers: 1, concurrency: 1, utilization: 0.7 },
  { workers: 1, concurrency: 10, utilization: 0.85 },
  { workers: 5, concurrency: 2, utilization: 0.85 },
])('waits of $workers × $concurrency slots at $utilization agree with Erlang C', (shape) => {
  const slots = shape.workers * shape.concurrency;
  const load = slots * shape.utilization;
  const ratio =
    meanWait(run(expiring, { ...shape, perSecond: (load / MEAN_MS) * 1000 })) / erlangWait(slots, load);
  expect(ratio).toBeGreaterThan(0.95);
  expect(ratio).toBeLessThan(1.05);
});

test('waits for jobs of equal length agree with Pollaczek and Khinchine', () => {
  const utilization = 0.8;
  const mean = meanWait(
    run(() => ({ waitMs: MEAN_MS }), {
      workers: 1,
      concurrency: 1,
      perSecond: (utilization / MEAN_MS) * 1000,
    }),
  );
  const expected = (utilization * MEAN_MS) / (2 * (1 - utilization));
  expect(mean / expected).toBeGreaterThan(0.95);
  expect(mean / expected).toBeLessThan(1.05);
});

test('tasks that share a core take as long as in an M/M/1 queue with processor sharing', () => {
  const random = seeded(3);
  const clock = createClock();
  const core = createProcessor(clock, { cores: 1 });
  const pages = poissonArrivals({ perSecond: 7, seconds: 15_000, seed: 5 });
  let demand = 0;
  let total = 0;
  for (const { at } of pages)
    clock.at(at, () => {
      const needed = exponential(random, MEAN_MS);
      demand += needed;
      core.add(needed, () => {
        total += clock.now() - at;
      });
    });
  clock.run();
  expect(core.used()).toBeCloseTo(demand, 3);
  const expected = MEAN_MS / (1 - 0.7);
  expect(total / pages.length / expected).toBeGreaterThan(0.95);
  expect(total / pages.length / expected).toBeLessThan(1.05);
});

test('a failed attempt comes back after its delay, every job ends, and a seed repeats the run', () => {
  const shape = { workers: 3, concurrency: 4, perSecond: 60 };
  const sample: Sample = (_, attempt, random) => ({
    waitMs: exponential(random, MEAN_MS),
    ...(attempt === 1 && random() < 0.25 && { retryMs: 5000 }),
  });
  const first = run(sample, shape, { arrivals: 6000 });
  expect(first.unfinished).toBe(0);
  const pages = poissonArrivals({ perSecond: 60, seconds: 100, seed: 7 }).length;
  expect(first.attempts.length / pages).toBeGreaterThan(1.23);
  expect(first.attempts.length / pages).toBeLessThan(1.27);
  expect(first.attempts.every(({ due, claimed, began }) => due <= claimed && claimed <= began)).toBe(true);
  expect(run(sample, shape, { arrivals: 6000 })).toEqual(first);
  expect(run(sample, shape, { arrivals: 6000, seed: 2 }).attempts).not.toEqual(first.attempts);
});

test('claims limit the throughput of any number of workers to the cores of the database', () => {
  const { durationMs, attempts, databaseCpuMs } = run(
    () => ({ waitMs: 0 }),
    { workers: 20, concurrency: 10, perSecond: 100_000 },
    {
      databaseCores: 2,
      claim: { fixedMs: 1, perJobMs: 0.1, roundTripMs: 0.5 },
      notifyMs: () => 2,
      gatherMs: 5,
      aheadMs: 100,
    },
  );
  expect(databaseCpuMs).toBeLessThanOrEqual(2 * durationMs);
  expect(attempts.length / durationMs).toBeLessThan(2 / 0.1);
  // One job per claim would be 2 / 1.1 jobs in a millisecond: claims are large when the database is slow.
  expect(attempts.length / durationMs).toBeGreaterThan(10);
});
