// `npm run bench -- jobs`: Nexus's job engine and its peers side by side. README.md says what is measured and why so.
import { checkBars } from './bars.mjs';
import { claimScans } from './claim-plan.mjs';
import { nexus } from './contenders/nexus.mjs';
import { delayJobs, finishJobs, measureBurst, measureLatency, measureThroughput } from './measure.mjs';
import { readOptions } from './options.mjs';
import { endProcesses } from './processes.mjs';
import { describeResults, writeResults } from './results.mjs';
import { startServer } from './server.mjs';
import { barTable, contenderTable, variantTable } from './table.mjs';

const FINISHED = 'template_nexus_finished';
const DELAYED = 'template_nexus_delayed';

const options = readOptions(process.argv.slice(2));
const { contenders } = options;
const hasNexus = contenders.includes(nexus);
const server = await startServer();
const interrupted = new Promise((_, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => reject(new Error('Interrupted.')));
});

try {
  process.exitCode = (await Promise.race([compare(), interrupted])) ? 0 : 1;
} finally {
  await endProcesses();
  await server.stop();
}

/** Whether every bar holds. */
async function compare() {
  await makeTemplates();
  const runs = [];
  for (let number = 1; number <= options.runs; number++) runs.push(await runAll(number));
  const plans = hasNexus ? await claimPlans() : {};
  const bars = checkBars(runs, plans, contenders);

  say(`\nmedian of ${options.runs}; in brackets, Nexus's for each of the peer's\n`);
  say(contenderTable(runs, contenders));
  if (hasNexus) {
    say(`\n${variantTable(runs, { finished: options.finished, delayed: options.delayed })}`);
    say(`\n${barTable(bars)}`);
  }
  if (options.isComplete) {
    const { contenders: _, isComplete: __, ...sizes } = options;
    const postgresVersion = await server.version();
    await writeResults(
      await describeResults({ options: sizes, runs, contenders, plans, bars, postgresVersion }),
    );
    say('\nwritten to bench/results/jobs.json');
  }
  return bars.every(({ holds }) => holds);
}

async function makeTemplates() {
  say('preparing the databases …');
  for (const contender of contenders) {
    await server.makeTemplate(templateOf(contender), contender.install);
  }
  if (!hasNexus) return;
  await server.makeTemplate(FINISHED, async (connection) => {
    await nexus.install(connection);
    await finishJobs(nexus, connection, options.finished);
  });
  await server.makeTemplate(DELAYED, async (connection) => {
    await nexus.install(connection);
    await delayJobs(nexus, connection, options.delayed);
  });
}

/** One measurement of everything. Nexus's drains come one after the other, because they are compared closely. */
async function runAll(number) {
  const run = {};
  for (const contender of contenders) {
    const template = templateOf(contender);
    const { singleEnqueues: enqueueCount, pickUps: pickUpCount } = options;
    const jobCount = Math.min(options.jobs, contender.settings.mostJobs ?? options.jobs);
    run[contender.id] = await measureThroughput(server, contender, { template, jobCount });
    if (contender === nexus) Object.assign(run.nexus, await measureVariants(jobCount));
    Object.assign(
      run[contender.id],
      await measureLatency(server, contender, { template, enqueueCount, pickUpCount }),
    );
    const { drainPerSecond, pickUpP50Ms, pickUpP99Ms } = run[contender.id];
    say(
      `run ${number}: ${contender.title} drains ${drainPerSecond.toFixed(0)} jobs/s, ` +
        `picks up within ${pickUpP50Ms.toFixed(2)} ms (p50), ${pickUpP99Ms.toFixed(2)} ms (p99)`,
    );
  }
  return run;
}

async function measureVariants(jobCount) {
  const template = templateOf(nexus);
  return {
    twoWorkers: await measureThroughput(server, nexus, { template, jobCount, workerCount: 2 }),
    finished: await measureThroughput(server, nexus, { template: FINISHED, jobCount }),
    delayed: await measureThroughput(server, nexus, { template: DELAYED, jobCount }),
    burst: await measureBurst(server, nexus, { template, jobCount }),
  };
}

async function claimPlans() {
  return {
    empty: await claimScans(server, nexus, templateOf(nexus)),
    finished: await claimScans(server, nexus, FINISHED),
    delayed: await claimScans(server, nexus, DELAYED),
  };
}

function templateOf(contender) {
  return `template_${contender.id.replaceAll('-', '_')}`;
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
