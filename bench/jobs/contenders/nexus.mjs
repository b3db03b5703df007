import { importNexus } from '../import-nexus.mjs';

/** The product's defaults, except for the concurrency, which is 10; that drains almost as much. */
const settings = {
  concurrency: 50,
  poolSize: 10,
  leaseSeconds: 30,
  pollSeconds: 2,
  graceSeconds: 25,
  retentionDays: 30,
  bulkSize: 2500,
};

export const nexus = {
  id: 'nexus',
  title: 'Nexus',
  settings,
  keeps: {
    finishedJobs: true,
    results: true,
    attemptHistory: true,
    priorities: true,
    delayedJobs: true,
    idempotencyKeys: true,
    enqueueInTransaction: true,
  },
  unfinished: 'select exists (select from job_queue where due_at <= now()) as is_unfinished',

  async install(connection) {
    const { migrate, readMigrations } = await importNexus('platform/database/migrator.ts');
    const sql = await openPool(connection);
    await migrate(sql, await readMigrations());
    await sql.end();
  },

  async open(connection) {
    const { z } = await importNexus('../node_modules/zod/index.js');
    const { transaction } = await importNexus('platform/database/transaction.ts');
    const { createListener } = await importNexus('platform/database/listener.ts');
    const { createJobEngine } = await importNexus('platform/jobs/engine.ts');
    const { createJobQueue } = await importNexus('platform/jobs/queue.ts');
    const { enqueue, enqueueMany } = await importNexus('platform/jobs/submit/enqueue.ts');
    const { defineJobType } = await importNexus('platform/jobs/job-type.ts');
    const { createLogger } = await importNexus('platform/telemetry/logger.ts');
    const sql = await openPool(connection);
    let handle = () => undefined;
    const type = defineJobType('noop', {
      payload: z.looseObject({}),
      handler: async (payload) => handle(payload),
    });
    const log = createLogger({ level: 'warn', format: 'json' });
    const listener = createListener({ sql, log, listenAt: targetOf(connection) });
    const queue = createJobQueue({ sql, log, listener, leaseSeconds: settings.leaseSeconds });
    const engine = createJobEngine({ queue, types: [type], retentionDays: settings.retentionDays });
    let worker;

    return {
      async enqueueMany(payloads, options = {}) {
        const jobs = payloads.map((payload) => ({ type, payload, ...options }));
        await transaction(sql, (tx) => enqueueMany(tx, jobs));
      },
      async enqueueOne(payload) {
        await transaction(sql, (tx) => enqueue(tx, { type, payload }));
      },
      async work(handler) {
        handle = handler;
        const { concurrency, pollSeconds, graceSeconds } = settings;
        worker = await engine.work({ concurrency, pollSeconds, graceSeconds });
      },
      async close() {
        await worker?.stop();
        await queue.close();
        await listener.close();
        await sql.end();
      },
    };
  },
};

function targetOf({ host, port, user, password, database }) {
  return { host, port, database, username: user, password };
}

async function openPool(connection) {
  const { openDatabase } = await importNexus('platform/database/database.ts');
  return openDatabase(targetOf(connection), {
    poolSize: settings.poolSize,
    statementTimeoutSeconds: 60,
    idleTransactionTimeoutSeconds: 60,
    applicationName: 'nexus bench',
  });
}
