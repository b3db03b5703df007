import { mkdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { ratioOf } from './bars.mjs';
import { METRICS, VARIANTS } from './metrics.mjs';
import { SETTINGS } from './server.mjs';
import { median } from './statistics.mjs';

const FILE = fileURLToPath(new URL('../results/jobs.json', import.meta.url));

/** Everything that was measured, with nothing in it that names the machine. */
export async function describeResults({ options, runs, contenders, plans, bars, postgresVersion }) {
  return {
    measuredOn: new Date().toISOString().slice(0, 10),
    machine: {
      cores: os.availableParallelism(),
      memoryGiB: Math.round(os.totalmem() / 2 ** 30),
      platform: `${process.platform} ${process.arch}`,
      node: process.version,
      postgresql: postgresVersion,
      settings: SETTINGS,
    },
    options,
    contenders: await Promise.all(contenders.map((contender) => describeContender(contender, runs))),
    nexusVariants: Object.fromEntries(VARIANTS.map(({ id }) => [id, describeVariant(id, runs)])),
    claimPlans: plans,
    bars,
  };
}

export async function writeResults(results) {
  await mkdir(fileURLToPath(new URL('../results/', import.meta.url)), { recursive: true });
  await writeFile(FILE, `${JSON.stringify(results, null, 2)}\n`);
}

async function describeContender(contender, runs) {
  const { id, title, settings, keeps } = contender;
  const metrics = METRICS.map((metric) => {
    const values = runs.map((run) => round(run[id][metric.id]));
    const nexusPerPeer = ratioOf(
      runs,
      (run) => run.nexus[metric.id],
      (run) => run[id][metric.id],
    );
    return [metric.id, { median: round(median(values)), runs: values, nexusPerPeer: round(nexusPerPeer) }];
  });
  return {
    id,
    title,
    version: await versionOf(contender),
    settings,
    keeps,
    metrics: Object.fromEntries(metrics),
  };
}

function describeVariant(id, runs) {
  const values = runs.map(({ nexus }) => round(nexus[id].drainPerSecond));
  const ratio = ratioOf(
    runs,
    ({ nexus }) => nexus[id].drainPerSecond,
    ({ nexus }) => nexus.drainPerSecond,
  );
  return { drainPerSecond: { median: round(median(values)), runs: values }, ratio: round(ratio) };
}

async function versionOf(contender) {
  const directory = contender.package ? `../node_modules/${contender.package}` : '../..';
  const manifest = await readFile(new URL(`${directory}/package.json`, import.meta.url), 'utf8');
  return JSON.parse(manifest).version;
}

function round(value) {
  return Number(value.toPrecision(4));
}
