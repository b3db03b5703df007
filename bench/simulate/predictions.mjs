// Predicts what was measured, and what cannot be measured on one machine.
import { oneOf } from '../random.mjs';
import { delaysOf, meanOf } from './delays.mjs';
import { manyWorkers, workersNeeded } from './extrapolate.mjs';
import { fitModel, KINDS } from './model.mjs';
import { simulate } from './simulation.mjs';

const RUNS = 20;
/** Settings of the workers: two processes for extraction, polling, claims ahead, combined notifications. */
const SETTINGS = { processes: 2, pollMs: 2000, aheadMs: 100, gatherMs: 5 };
const MANY = { perSecond: 30, databaseCores: 8 };

/** `notified`: how long notifications took, of which each takes one at random. */
const simulationOf = (kinds, claim, notified) => ({
  ...SETTINGS,
  kinds,
  claim,
  first: 'ingest_media',
  notifyMs: (random) => oneOf(random, notified),
});

/** The arrivals of a measured run: the times at which its pages were saved. */
function arrivalsOf({ attempts }) {
  return attempts
    .filter(({ kind, attempt }) => kind === 'ingest_media' && attempt === 1)
    .map(({ due, number }) => ({ at: due, number }));
}

/** How long notifications took while nothing had to wait for a slot: the delays of the calibration. */
function notifiedIn({ attempts }) {
  return attempts.filter(({ kind }) => kind === 'ingest_media').map(({ due, claimed }) => claimed - due);
}

/** Fits the model to the calibration. Returns functions that predict from it. */
export function createPredictions({ calibration, claim, cores, seed }) {
  const fitTo = (cpu) => fitModel({ ...calibration, cores, cpu_ms_per_page: cpu });
  const cpu = withoutClaims();
  const here = fitTo(cpu);

  /** Simulates a measured run on this machine, with the same arrivals, several times. */
  function repeat({ kinds, slowdownPerThread }, point, runs = RUNS) {
    const { workers, concurrency } = point;
    const others = point.threads_of_others * slowdownPerThread;
    const machines = { workersEach: workers, cores, others };
    const model = simulationOf(kinds, claim, notifiedIn(calibration));
    const pages = arrivalsOf(point);
    return Array.from({ length: runs }, (_, n) =>
      simulate({ ...model, pages, machines, workers, concurrency, seed: seed + n }),
    );
  }

  /** The CPU time of a page without that of claims, which the simulation adds itself. */
  function withoutClaims() {
    const { postgresql, ...others } = calibration.cpu_ms_per_page;
    const [{ claims, attempts }] = repeat(fitTo(calibration.cpu_ms_per_page), calibration, 1);
    const claimsMs = (claims * claim.fixedMs + attempts.length * claim.perJobMs) / calibration.pages;
    return { ...others, postgresql: Math.max(1, postgresql - claimsMs) };
  }

  return {
    cpu,
    /** Predicts the delays of a measured run and compares them. */
    check(point) {
      const measured = delaysOf(point.attempts.filter(({ kind }) => KINDS.includes(kind)));
      const predicted = meanOf(repeat(here, point).map(({ attempts }) => delaysOf(attempts)));
      return {
        measured,
        predicted,
        predicted_per_measured: {
          p50: predicted.p50_ms / measured.p50_ms,
          p99: predicted.p99_ms / measured.p99_ms,
          mean: predicted.mean_ms / measured.mean_ms,
        },
      };
    },
    /** Predicts loads beyond this machine, where a notification takes so long, and saves and sites are elsewhere. */
    extrapolate(notifyMs) {
      const { kinds, slotMsPerPage } = fitTo({ ...cpu, others: 0 });
      const model = simulationOf(kinds, claim, [notifyMs]);
      return {
        slotMsPerPage,
        needed: workersNeeded({ model, databaseMsPerPage: cpu.postgresql, slotMsPerPage, seed }),
        many: manyWorkers({ model, ...MANY, seed }),
      };
    },
  };
}
