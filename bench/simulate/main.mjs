// Measures real workers at several loads, predicts the same delays with a simulation, prints both, and then predicts far
// larger loads. Writes bench/results/simulate.json. `--quick` measures briefly and writes nothing. `--data FILE` keeps what was
// measured in the file; if it exists, everything is predicted from it, without measuring.
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { withDatabase } from '../database.mjs';
import { describeMachine } from '../machine.mjs';
import { addressOf, startNexus } from '../nexus.mjs';
import { measureClaims } from './claim-cost.mjs';
import { delaysOf } from './delays.mjs';
import { WANTED_P99_MS } from './extrapolate.mjs';
import { measurePoint } from './measure.mjs';
import { createPredictions } from './predictions.mjs';
import { SITE, startSite } from './site.mjs';

const { quick: isQuick, data: file } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, data: { type: 'string' } },
}).values;
const RESULTS = new URL('../results/simulate.json', import.meta.url);
const JOBS = new URL('../results/jobs.json', import.meta.url);
const KEY = 'a-key-for-the-simulation';
const SEED = 18;
const SECONDS = isQuick ? 5 : 45;
const CALIBRATION = { workers: 1, concurrency: 10, perSecond: 1, seconds: isQuick ? 8 : 60, seed: SEED };
const POINTS = [
  { workers: 1, concurrency: 4, perSecond: 1.5 },
  { workers: 1, concurrency: 4, perSecond: 2.5 },
  { workers: 1, concurrency: 4, perSecond: 3 },
  { workers: 2, concurrency: 4, perSecond: 3 },
  { workers: 2, concurrency: 4, perSecond: 5 },
  { workers: 2, concurrency: 2, perSecond: 3 },
].slice(0, isQuick ? 1 : undefined);

const say = (line) => process.stdout.write(`${line}\n`);

/** Measures claims, the calibration and all points on a database of its own. */
async function measure() {
  const measured = { machine: describeMachine(), measured_at: new Date().toISOString(), points: [] };
  await withDatabase(
    { poolSize: 4, statementTimeoutSeconds: 600, idleTransactionTimeoutSeconds: 600 },
    async (sql, target) => {
      const database = addressOf(target);
      const server = await startNexus(database, { NEXUS_BOOTSTRAP_RESEARCHER_KEY: KEY });
      const site = await startSite();
      try {
        const [{ postmaster }] = await sql`
          select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int as postmaster`;
        const world = { sql, server, site, database, postmaster, key: KEY };
        measured.claim = await measureClaims(world, isQuick ? 20 : 200);
        measured.calibration = await measurePoint(world, CALIBRATION);
        for (const [index, point] of POINTS.entries()) {
          say(`measuring ${point.workers} × ${point.concurrency} slots with ${point.perSecond} pages/s …`);
          const times = { seconds: SECONDS, seed: SEED + index + 1 };
          measured.points.push(await measurePoint(world, { ...point, ...times }));
        }
      } finally {
        site.stop();
        await server.stop();
      }
    },
  );
  return measured;
}

const isMeasured = file !== undefined && existsSync(file);
const measured = isMeasured ? JSON.parse(await readFile(file, 'utf8')) : await measure();
if (file !== undefined && !isMeasured) await writeFile(file, JSON.stringify(measured));

const { claim, calibration, points, machine, measured_at } = measured;
const predictions = createPredictions({ calibration, claim, cores: machine.cores, seed: SEED });
const checks = points.map((point) => ({
  workers: point.workers,
  concurrency: point.concurrency,
  pages_per_second: point.per_second,
  cores_of_others: point.cores_of_others,
  threads_of_others: point.threads_of_others,
  ...predictions.check(point),
}));
const jobs = JSON.parse(await readFile(JOBS, 'utf8'));
const { drainPerSecond, pickUpP50Ms } = jobs.contenders.find(({ id }) => id === 'nexus').metrics;
const { slotMsPerPage, needed, many } = predictions.extrapolate(pickUpP50Ms.median);
const report = rounded({
  command: 'npm run bench -- simulate',
  measured_at,
  machine,
  seed: SEED,
  site: SITE,
  claim_cpu: claim,
  calibration: {
    ...CALIBRATION,
    pages: calibration.pages,
    cores_of_others: calibration.cores_of_others,
    threads_of_others: calibration.threads_of_others,
    cpu_ms_per_page: predictions.cpu,
    slot_ms_per_page: slotMsPerPage,
    delays: delaysOf(calibration.attempts),
  },
  checks,
  jobs_per_second_of_one_database: {
    one_worker: drainPerSecond.median,
    two_workers: jobs.nexusVariants.twoWorkers.drainPerSecond.median,
    source: 'bench/results/jobs.json',
  },
  wanted_p99_ms: WANTED_P99_MS,
  workers_needed: needed,
  many_workers: many,
});
print(report);
if (!isQuick) await writeFile(RESULTS, `${JSON.stringify(report, null, 2)}\n`);

function print({ claim_cpu, calibration: { cpu_ms_per_page: cpu }, ...rest }) {
  say(`a claim: ${claim_cpu.fixedMs} ms of CPU, and ${claim_cpu.perJobMs} ms for each job`);
  say(`CPU per page: workers ${cpu.workers} ms, PostgreSQL ${cpu.postgresql} ms`);
  for (const { workers, concurrency, pages_per_second, ...check } of rest.checks) {
    const compared = (name) => {
      const figure = `${name}_ms`;
      return `${name} ${check.measured[figure]} ms measured, ${check.predicted[figure]} predicted (${check.predicted_per_measured[name]})`;
    };
    say(
      `${workers} × ${concurrency} slots, ${pages_per_second} pages/s: ${['p50', 'p99', 'mean'].map(compared).join('; ')}`,
    );
  }
  for (const row of [...rest.workers_needed, ...rest.many_workers])
    say(
      `${row.pages_per_second} pages/s, ${row.workers} workers, ${row.database_cores} cores for PostgreSQL, ${row.database_cores_used} used: p50 ${row.p50_ms} ms, p99 ${row.p99_ms} ms; ${row.claims_per_second} claims/s, empty ${row.empty_claims_share}`,
    );
}

/** Rounds all numbers to four digits. */
function rounded(value) {
  if (typeof value === 'number') return Number.isInteger(value) ? value : Number(value.toPrecision(4));
  if (Array.isArray(value)) return value.map(rounded);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, rounded(inner)]));
}
