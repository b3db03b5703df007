import { Logger, makeWorkerUtils, run, runMigrations } from 'graphile-worker';
import pg from 'pg';

const TASK = 'noop';

const keeps = {
  finishedJobs: false,
  results: false,
  attemptHistory: false,
  priorities: true,
  delayedJobs: true,
  idempotencyKeys: true,
  enqueueInTransaction: true,
};

const unfinished = 'select exists (select from graphile_worker._private_jobs) as is_unfinished';

/** Every job is claimed and completed by statements of its own. With 10 and 24 at once it drains a little less. */
export const graphile = contender('graphile', 'graphile-worker', {
  concurrentJobs: 50,
  maxPoolSize: 51,
  bulkSize: 5000,
  mostJobs: 50_000,
});

/**
 * The configuration that its documentation gives for the highest throughput, but with a local queue of 5,000 where it
 * says 500: that drains a third to a half more here. 10,000 gains nothing over it, nor do 200 jobs at once.
 */
export const graphileBatched = contender('graphile-batched', 'graphile-worker, batched', {
  concurrentJobs: 24,
  maxPoolSize: 25,
  localQueue: { size: 5000 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
  bulkSize: 5000,
});

function contender(id, title, settings) {
  const { bulkSize: _, mostJobs: __, ...worker } = settings;
  return {
    id,
    title,
    package: 'graphile-worker',
    settings,
    keeps,
    unfinished,

    async install(connection) {
      const pgPool = openPool(connection);
      await runMigrations({ pgPool, logger });
      await pgPool.end();
    },

    async open(connection) {
      const pgPool = openPool({ ...connection, max: worker.maxPoolSize });
      const utils = await makeWorkerUtils({ pgPool, logger });
      let runner;
      return {
        async enqueueMany(payloads) {
          await utils.addJobs(payloads.map((payload) => ({ identifier: TASK, payload })));
        },
        async enqueueOne(payload) {
          await utils.addJob(TASK, payload);
        },
        async work(handler) {
          runner = await run({
            pgPool,
            logger,
            noHandleSignals: true,
            taskList: { [TASK]: async (payload) => handler(payload) },
            preset: { worker },
          });
        },
        async close() {
          await runner?.stop();
          await utils.release();
          await pgPool.end();
        },
      };
    },
  };
}

/** A pool with the listeners that it asks for. */
function openPool(config) {
  const report = (error) => process.stderr.write(`graphile-worker: ${error.message}\n`);
  const pool = new pg.Pool(config);
  pool.on('error', report);
  pool.on('connect', (client) => client.on('error', report));
  return pool;
}

/** Its logger writes a line for every job, which would be measured too. */
const logger = new Logger(() => (level, message) => {
  if (level === 'error') process.stderr.write(`graphile-worker: ${message}\n`);
});
