import PgBoss from 'pg-boss';

const QUEUE = 'noop';

/**
 * A batch is one call of the handler and one outcome: when it throws, all jobs of the batch have failed. The claim reads
 * and sorts all that waits, so the larger the batch, the better: of 1,000 jobs, a third of the throughput.
 */
export const pgBossBatched = contender('pg-boss-batched', 'pg-boss, batched', {
  workers: 2,
  batchSize: 5000,
  bulkSize: 5000,
});

/** Each job succeeds or fails by itself, as with all others. A shorter backlog, which is to its advantage. */
export const pgBoss = contender('pg-boss', 'pg-boss', {
  workers: 10,
  batchSize: 1,
  bulkSize: 5000,
  mostJobs: 2000,
});

function contender(id, title, settings) {
  const { workers, batchSize } = settings;
  return {
    id,
    title,
    package: 'pg-boss',
    settings,
    oneOutcomeForMany: batchSize > 1,
    keeps: {
      finishedJobs: true,
      results: batchSize === 1,
      attemptHistory: false,
      priorities: true,
      delayedJobs: true,
      idempotencyKeys: true,
      enqueueInTransaction: true,
    },
    unfinished: `
      select exists (select from pgboss.job where name = '${QUEUE}' and state < 'completed') as is_unfinished`,

    async install(connection) {
      const boss = await start(connection);
      await boss.createQueue(QUEUE);
      await boss.stop({ graceful: false });
    },

    async open(connection) {
      const boss = await start(connection);
      /** The shortest pause between two polls that it allows. */
      const options = { batchSize, pollingIntervalSeconds: 0.5 };
      return {
        async enqueueMany(payloads) {
          await boss.insert(payloads.map((data) => ({ name: QUEUE, data })));
        },
        async enqueueOne(payload) {
          await boss.send(QUEUE, payload);
        },
        async work(handler) {
          for (let count = 0; count < workers; count++) {
            const id = await boss.work(QUEUE, options, async (jobs) => {
              for (const { data } of jobs) handler(data);
              // After a full batch there is likely to be more: its own way to go without the pause.
              if (jobs.length === batchSize) boss.notifyWorker(id);
            });
          }
        },
        close: () => boss.stop({ timeout: 5000 }),
      };
    },
  };
}

async function start(connection) {
  const boss = new PgBoss({ ...connection, max: 12 });
  boss.on('error', (error) => process.stderr.write(`pg-boss: ${error.message}\n`));
  await boss.start();
  return boss;
}
