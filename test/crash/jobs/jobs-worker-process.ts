// A worker process for the crash tests: runs the engine on the database in DATABASE, until it is told to stop.
import { z } from 'zod';
import { openDatabase } from '../../../src/platform/database/database.ts';
import { createListener } from '../../../src/platform/database/listener.ts';
import { transaction } from '../../../src/platform/database/transaction.ts';
import { collectJobTypes, defineJobType } from '../../../src/platform/jobs/job-type.ts';
import { createEndings } from '../../../src/platform/jobs/settle/endings.ts';
import { startWorker } from '../../../src/platform/jobs/worker.ts';
import { createLogger } from '../../../src/platform/telemetry/logger.ts';

const { DATABASE = '{}', LEASE_SECONDS = '2', CONCURRENCY = '10', GRACE_SECONDS = '20' } = process.env;
const target = JSON.parse(DATABASE);
const sql = openDatabase(target, {
  poolSize: 12,
  statementTimeoutSeconds: 30,
  idleTransactionTimeoutSeconds: 30,
  applicationName: 'nexus crash test worker',
});
const log = createLogger({ level: 'warn', format: 'json' });
const payload = z.looseObject({});
const retry = { delays: [0.05] };

const types = collectJobTypes([
  defineJobType('effect', {
    payload,
    retry,
    handler: async (_payload, context) => {
      await transaction(sql, async (tx) => {
        await tx`insert into effects (job_id, attempt, pid) values (${context.jobId}, ${context.attempt}, ${process.pid})`;
        await context.complete(tx);
      });
    },
  }),
  defineJobType('plain', {
    payload,
    retry,
    handler: async (_payload, context) => {
      await sql`insert into runs (job_id, attempt) values (${context.jobId}, ${context.attempt})`;
    },
  }),
  defineJobType('slow', {
    payload,
    retry,
    handler: async (_payload, context) => {
      process.stdout.write(`began ${context.jobId} ${context.attempt}\n`);
      await sql`select pg_sleep(1)`;
      process.stdout.write(`ended ${context.jobId} ${context.attempt}\n`);
    },
  }),
]);

const listener = createListener({ sql, log, listenAt: target });
const worker = await startWorker({
  sql,
  types,
  listener,
  endings: createEndings(types),
  log,
  queues: ['default'],
  concurrency: Number(CONCURRENCY),
  leaseSeconds: Number(LEASE_SECONDS),
  pollSeconds: 0.5,
  graceSeconds: Number(GRACE_SECONDS),
});
process.on('SIGTERM', async () => {
  await worker.stop();
  await listener.close();
  await sql.end();
  process.stdout.write(`stopped after ${worker.begun()}\n`);
});
// Last, because the signal may follow at once.
process.stdout.write(`ready ${worker.name}\n`);
