// The targets of Nexus.
import { median } from './statistics.mjs';

const TIMES_OTHERS = 5;
const TIMES_BATCHED = 2;
const KEPT_UNDER_LOAD = 0.9;

/**
 * The median of what the runs say about two measurements in the same run, so that a machine that is slower for a while
 * is slower for both.
 */
export function ratioOf(runs, read, readBase) {
  return median(runs.map((run) => read(run) / readBase(run)));
}

/**
 * @param {object[]} runs One object per run: contender id → measurements.
 * @param {Record<string, { wholeTables: string[] }>} plans
 * @returns {{ bar: string, measured: string, holds: boolean }[]} Of those that what was measured can tell.
 */
export function checkBars(runs, plans, contenders) {
  const peers = contenders.filter(({ id }) => id !== 'nexus');
  const comparable = peers.filter(({ oneOutcomeForMany }) => !oneOutcomeForMany);
  const ids = contenders.map(({ id }) => id);
  if (!ids.includes('nexus')) return [];
  return [
    ...comparable.map((peer) => drainBar(runs, peer)),
    ...(peers.length > 0
      ? ['pickUpP50Ms', 'pickUpP99Ms'].map((metric) => pickUpBar(runs, peers, metric))
      : []),
    atLeast('two worker processes against one', variant(runs, 'twoWorkers'), 1),
    atLeast('drain with finished jobs against an empty table', variant(runs, 'finished'), KEPT_UNDER_LOAD),
    atLeast('drain with delayed jobs against an empty table', variant(runs, 'delayed'), KEPT_UNDER_LOAD),
    ...Object.entries(plans).map(([state, { wholeTables }]) => ({
      bar: `the claim reads no table as a whole (${state})`,
      measured: wholeTables.join(', ') || 'none',
      holds: wholeTables.length === 0,
    })),
  ];
}

function drainBar(runs, peer) {
  const ratio = ratioOf(
    runs,
    (run) => run.nexus.drainPerSecond,
    (run) => run[peer.id].drainPerSecond,
  );
  return peer.id === 'graphile-batched'
    ? atLeast(`drain against ${peer.title}`, ratio, TIMES_BATCHED)
    : atLeast(`drain against ${peer.title}`, ratio, TIMES_OTHERS);
}

/** The best peer is the best of that run. */
function pickUpBar(runs, peers, metric) {
  const ratio = ratioOf(
    runs,
    (run) => run.nexus[metric],
    (run) => Math.min(...peers.map(({ id }) => run[id][metric])),
  );
  const name = metric === 'pickUpP50Ms' ? 'p50' : 'p99';
  return {
    bar: `idle pick-up ${name} against the best peer's ≤ 1 ×`,
    measured: `${ratio.toFixed(2)} ×`,
    holds: ratio <= 1,
  };
}

function variant(runs, name) {
  return ratioOf(
    runs,
    (run) => run.nexus[name].drainPerSecond,
    (run) => run.nexus.drainPerSecond,
  );
}

function atLeast(bar, ratio, least) {
  return { bar: `${bar} ≥ ${least} ×`, measured: `${ratio.toFixed(2)} ×`, holds: ratio >= least };
}
