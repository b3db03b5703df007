// The measurements. Each has a new database of its own.
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { now } from './clock.mjs';
import { startProcess } from './processes.mjs';
import { percentile } from './statistics.mjs';

const LONGEST_DRAIN_MS = 15 * 60_000;
const LONGEST_ENDING_MS = 30_000;
const WARM_UP_COUNT = 50;

/**
 * Enqueues `jobCount` jobs in bulk, and then drains them with `workerCount` worker processes.
 *
 * A drain begins when the worker processes, started and connected, are told to work; what a worker claims ahead of its
 * first job is part of it. It ends when the contender's tables, read from another connection, say that no job is left:
 * all completions are committed.
 */
export async function measureThroughput(server, contender, { template, jobCount, workerCount = 1 }) {
  return withDatabase(server, template, async (connection, client) => {
    const start = await walPosition(client);
    const producer = await startProcess(contender, connection);
    const enqueueSeconds = await producer.ask('enqueueBulk', { count: jobCount });
    await producer.stop();
    const enqueued = await walPosition(client);
    // In a database that has been in use for some minutes, autovacuum has done this. Without it, some peers' statements
    // are planned for an empty table.
    await client.query('analyze');
    const drainSeconds = await drain(contender, connection, client, { jobCount, workerCount });
    const drained = await walPosition(client);
    return {
      enqueuePerSecond: jobCount / enqueueSeconds,
      drainPerSecond: jobCount / drainSeconds,
      walBytesPerJob: (drained - start) / jobCount,
      walBytesPerJobEnqueued: (enqueued - start) / jobCount,
    };
  });
}

/**
 * The drain of jobs that are enqueued behind the back of a worker that has been idle on an empty, freshly vacuumed queue:
 * its statements are planned, and were planned for that. From the first bulk call to the last completion.
 */
export async function measureBurst(server, contender, { template, jobCount }) {
  return withDatabase(server, template, async (connection, client) => {
    const producer = await startProcess(contender, connection);
    const worker = await startProcess(contender, connection);
    await worker.ask('work');
    await client.query('vacuum (analyze)');
    await producer.ask('enqueuePaced', { count: WARM_UP_COUNT });
    await untilBegun([worker], WARM_UP_COUNT);
    const begin = now();
    await producer.ask('enqueueBulk', { count: jobCount });
    await untilBegun([worker], WARM_UP_COUNT + jobCount);
    const end = await untilFinished(contender, client);
    await producer.stop();
    await worker.stop();
    return { drainPerSecond: jobCount / ((end - begin) / 1000) };
  });
}

/** Latency of a single enqueue, and of its pick-up by an idle worker in another process, in milliseconds. */
export async function measureLatency(server, contender, { template, enqueueCount, pickUpCount }) {
  return withDatabase(server, template, async (connection) => {
    const producer = await startProcess(contender, connection);
    await producer.ask('enqueueSingly', { count: WARM_UP_COUNT });
    const enqueueMs = await producer.ask('enqueueSingly', { count: enqueueCount });

    const worker = await startProcess(contender, connection);
    await worker.ask('work');
    await untilBegun([worker], WARM_UP_COUNT + enqueueCount);
    await pause(1000);
    await producer.ask('enqueuePaced', { count: WARM_UP_COUNT + pickUpCount });
    await untilBegun([worker], WARM_UP_COUNT + enqueueCount + WARM_UP_COUNT + pickUpCount);
    const pickUpMs = (await worker.ask('pickUpMs')).slice(WARM_UP_COUNT);
    await producer.stop();
    await worker.stop();
    return {
      enqueueP50Ms: percentile(enqueueMs, 0.5),
      enqueueP99Ms: percentile(enqueueMs, 0.99),
      pickUpP50Ms: percentile(pickUpMs, 0.5),
      pickUpP99Ms: percentile(pickUpMs, 0.99),
    };
  });
}

/** Leaves `count` finished jobs in a database by doing them. */
export async function finishJobs(contender, connection, count) {
  await withClient(connection, async (client) => {
    await enqueueBulk(contender, connection, count);
    await drain(contender, connection, client, { jobCount: count, workerCount: 1 });
    await client.query('vacuum (analyze)');
  });
}

/** Leaves `count` jobs in a database that are not due for a day. */
export async function delayJobs(contender, connection, count) {
  await withClient(connection, async (client) => {
    await enqueueBulk(contender, connection, count, { delaySeconds: 86_400 });
    await client.query('vacuum (analyze)');
  });
}

/** Enqueues and drains a few jobs without taking the time. */
export async function exercise(contender, connection, jobCount) {
  await withClient(connection, async (client) => {
    await enqueueBulk(contender, connection, jobCount);
    await drain(contender, connection, client, { jobCount, workerCount: 1 });
  });
}

async function enqueueBulk(contender, connection, count, options) {
  const producer = await startProcess(contender, connection);
  await producer.ask('enqueueBulk', { count, options });
  await producer.stop();
}

/** Returns the seconds it took. */
async function drain(contender, connection, client, { jobCount, workerCount }) {
  const workers = await Promise.all(
    Array.from({ length: workerCount }, () => startProcess(contender, connection)),
  );
  const begin = now();
  await Promise.all(workers.map((worker) => worker.ask('work')));
  await untilBegun(workers, jobCount);
  const end = await untilFinished(contender, client);
  const begunCount = await begunBy(workers);
  await Promise.all(workers.map((worker) => worker.stop()));
  if (begunCount !== jobCount) {
    throw new Error(`${contender.title} began ${begunCount} jobs where ${jobCount} were enqueued.`);
  }
  return (end - begin) / 1000;
}

async function untilBegun(workers, count) {
  const deadline = now() + LONGEST_DRAIN_MS;
  for (;;) {
    const begunCount = await begunBy(workers);
    if (begunCount >= count) return;
    if (now() > deadline) throw new Error(`Only ${begunCount} of ${count} jobs were begun in time.`);
    await pause(10);
  }
}

async function begunBy(workers) {
  const counts = await Promise.all(workers.map((worker) => worker.ask('begunCount')));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Returns the moment. */
async function untilFinished(contender, client) {
  const deadline = now() + LONGEST_ENDING_MS;
  for (;;) {
    const { rows } = await client.query(contender.unfinished);
    const moment = now();
    if (!rows[0].is_unfinished) return moment;
    if (moment > deadline) throw new Error(`${contender.title} began all jobs and did not complete them.`);
    await pause(2);
  }
}

async function walPosition(client) {
  const { rows } = await client.query("select pg_current_wal_insert_lsn() - '0/0' as position");
  return Number(rows[0].position);
}

async function withDatabase(server, template, use) {
  const name = await server.makeDatabase(template);
  const connection = server.connectionTo(name);
  const result = await withClient(connection, (client) => use(connection, client));
  await server.dropDatabase(name);
  return result;
}

async function withClient(connection, use) {
  const client = new pg.Client(connection);
  // When the server stops under it, the statement under way says so; without a listener, the process would end here.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
