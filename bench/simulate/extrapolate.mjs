// Predicts queue delays for loads and numbers of workers far beyond one machine.
import { poissonArrivals } from './arrivals.mjs';
import { delaysOf } from './delays.mjs';
import { simulate } from './simulation.mjs';

export const LOADS = [1, 3, 10, 30, 100, 300, 1000];
export const WORKERS = [10, 20, 50, 100, 200];
/** Wanted: of a hundred jobs, 99 begin within this time. */
export const WANTED_P99_MS = 1000;
const CONCURRENCY = 10;
const CORES_PER_WORKER = 2;
/** The share of the cores of the database that is used. */
const DATABASE_LOAD = 0.6;
/** The first number of workers that is tried, of what all slots busy all the time would need, and the step to the next. */
const FIRST_TRY = 0.75;
const GROWTH = 1.05;
const WARM_UP_SHARE = 0.2;
const FEWEST_PAGES = 6000;
const SHORTEST_SECONDS = 30;
/** After the last arrival, a queue that does not grow is empty within this time, in spite of retries and slow sites. */
const PATIENCE_MS = 60_000;

/** Simulates one load with so many workers, each on a machine of its own, beside a database with so many cores. */
export function predict({ model, workers, perSecond, databaseCores, seed }) {
  const seconds = Math.max(SHORTEST_SECONDS, FEWEST_PAGES / perSecond);
  const pages = poissonArrivals({ perSecond, seconds, seed });
  const machines = { workersEach: 1, cores: CORES_PER_WORKER };
  const untilMs = seconds * 1000 + PATIENCE_MS;
  const size = { workers, concurrency: CONCURRENCY, machines, databaseCores };
  const run = simulate({ ...model, ...size, pages, seed, untilMs });
  const used = run.whileArriving;
  const from = seconds * 1000 * WARM_UP_SHARE;
  const measured = run.attempts.filter(({ due }) => due > from && due < seconds * 1000);
  return {
    ...delaysOf(measured),
    claims_per_second: (used.claims * 1000) / used.durationMs,
    empty_claims_share: used.emptyClaims / used.claims,
    database_cores_used: used.databaseCpuMs / used.durationMs,
    worker_cores_used: used.workerCpuMs / used.durationMs / workers,
    is_stable: run.unfinished === 0,
  };
}

/** Returns for each load the fewest workers that begin jobs in the wanted time, with enough cores for the database. */
export function workersNeeded({ model, databaseMsPerPage, slotMsPerPage, seed }) {
  return LOADS.map((perSecond) => {
    const databaseCores = Math.max(2, Math.ceil((perSecond * databaseMsPerPage) / 1000 / DATABASE_LOAD));
    const holds = (workers) => {
      const predicted = predict({ model, workers, perSecond, databaseCores, seed });
      return { workers, predicted, isEnough: predicted.is_stable && predicted.p99_ms <= WANTED_P99_MS };
    };
    const busySlots = (perSecond * slotMsPerPage) / 1000;
    let enough = holds(Math.max(1, Math.floor((busySlots / CONCURRENCY) * FIRST_TRY)));
    while (!enough.isEnough) enough = holds(Math.ceil(enough.workers * GROWTH));
    return {
      pages_per_second: perSecond,
      workers: enough.workers,
      database_cores: databaseCores,
      ...enough.predicted,
    };
  });
}

/** Returns the cost of notifying many workers of one load: each with a free slot claims, and most find nothing. */
export function manyWorkers({ model, perSecond, databaseCores, seed }) {
  return WORKERS.map((workers) => ({
    workers,
    pages_per_second: perSecond,
    database_cores: databaseCores,
    ...predict({ model, workers, perSecond, databaseCores, seed }),
  }));
}
