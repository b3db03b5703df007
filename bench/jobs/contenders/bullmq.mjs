import { createRequire } from 'node:module';
import pg from 'pg';

// Its ESM build cannot load the driver by itself, and would have to share a pool with its listening connection.
const { createPostgresBackend, Queue, runMigrations, Worker } = createRequire(import.meta.url)('bullmq');

const QUEUE = 'noop';
/** 8 and 64 at once drain no more, nor does removing what is completed. */
const settings = { concurrency: 32, max: 32, bulkSize: 2500, mostJobs: 50_000 };

export const bullmq = {
  id: 'bullmq',
  title: 'BullMQ on PostgreSQL',
  package: 'bullmq',
  settings,
  keeps: {
    finishedJobs: true,
    results: true,
    attemptHistory: false,
    priorities: true,
    delayedJobs: true,
    idempotencyKeys: true,
    enqueueInTransaction: false,
  },
  unfinished: `select exists (select from bullmq.job where state not in ('completed')) as is_unfinished`,

  async install(connection) {
    const client = new pg.Client(connection);
    await client.connect();
    await runMigrations(client);
    await client.end();
  },

  async open(connection) {
    const options = { connection: { ...connection, max: settings.max } };
    const queue = new Queue(QUEUE, options, createPostgresBackend);
    await queue.waitUntilReady();
    let worker;
    return {
      async enqueueMany(payloads) {
        await queue.addBulk(payloads.map((data) => ({ name: QUEUE, data })));
      },
      async enqueueOne(payload) {
        await queue.add(QUEUE, payload);
      },
      async work(handler) {
        worker = new Worker(
          QUEUE,
          async ({ data }) => handler(data),
          { ...options, concurrency: settings.concurrency },
          createPostgresBackend,
        );
        worker.on('error', (error) => process.stderr.write(`BullMQ: ${error.message}\n`));
        await worker.waitUntilReady();
      },
      async close() {
        await worker?.close();
        await queue.close();
      },
    };
  },
};
