// Measures events from commit to delivery, in this process and over a webhook; what emitting adds to a transaction; and
// what a million delivered events change. On a PostgreSQL of its own with its usual settings. Writes
// bench/results/outbox.json, and exits with 1 when a target is missed; `--quick` only shows that everything works.
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { findLibrary, insertLibrary } from '../src/features/libraries/store.ts';
import { createSender } from '../src/features/webhooks/sender.ts';
import { subscribeWebhooks } from '../src/features/webhooks/webhooks.ts';
import { recordAudit } from '../src/platform/audit/audit.ts';
import { openDatabase } from '../src/platform/database/database.ts';
import { findPackagedServer } from '../src/platform/database/embedded/binaries.ts';
import { prepareCluster, startCluster, stopCluster } from '../src/platform/database/embedded/cluster.ts';
import { createListener } from '../src/platform/database/listener.ts';
import { migrate, readMigrations } from '../src/platform/database/migrator.ts';
import { transaction } from '../src/platform/database/transaction.ts';
import { createEgress } from '../src/platform/egress/egress.ts';
import { newId } from '../src/platform/ids.ts';
import { createDispatcher } from '../src/platform/outbox/dispatcher.ts';
import { emitEvent, emitEvents } from '../src/platform/outbox/emit-event.ts';
import { createLogger } from '../src/platform/telemetry/logger.ts';
import { register } from '../src/platform/work/registration.ts';
import { median, percentile } from './jobs/statistics.mjs';

const isQuick = process.argv.includes('--quick');
const SIZES = isQuick
  ? { events: 2000, webhooks: 1000, pickUps: 50, transactions: 100, delivered: 20_000 }
  : { events: 20_000, webhooks: 20_000, pickUps: 400, transactions: 1500, delivered: 1_000_000 };
const TURNS = 5;

const RESULTS = new URL('results/outbox.json', import.meta.url);
const log = createLogger({ level: 'silent', format: 'json' });
const atMost = (target, value) => ({ value, target: `at most ${target}`, holds: value <= target });
const atLeast = (target, value) => ({ value, target: `at least ${target}`, holds: value >= target });
const rounded = (value, digits = 1) => Number(value.toFixed(digits));
const say = (line) => process.stdout.write(`${line}\n`);

async function timed(work) {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

async function withCluster(work) {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'nexus-bench-'));
  await chmod(directory, 0o711);
  const cluster = await prepareCluster(await findPackagedServer(), path.join(directory, 'postgres'));
  await startCluster(cluster);
  const options = {
    poolSize: 10,
    statementTimeoutSeconds: 600,
    idleTransactionTimeoutSeconds: 600,
    applicationName: 'nexus bench',
  };
  const target = { ...cluster.connection, database: 'postgres' };
  const sql = openDatabase(target, options);
  try {
    await migrate(sql, await readMigrations());
    await work(sql, target);
  } finally {
    await sql.end();
    await stopCluster(cluster);
    await rm(directory, { recursive: true, force: true });
  }
}

function someEvent(library_id = newId()) {
  return {
    eventType: 'library.created',
    aggregateType: 'library',
    aggregateId: library_id,
    payload: { library_id, name: 'Shared', owner_user_id: library_id },
  };
}

async function emitMany(sql, count) {
  for (let left = count; left > 0; left -= 500) {
    const events = Array.from({ length: Math.min(left, 500) }, () => someEvent());
    await transaction(sql, (tx) => emitEvents(tx, events));
  }
}

/** Runs sources of work under one registration, as a worker does. */
async function startWorker(sql, target, sources) {
  const listener = createListener({ sql, log, listenAt: target });
  const registration = await register({
    sql,
    log,
    queues: ['default'],
    concurrency: 1,
    leaseSeconds: 30,
    runningCount: () => 0,
  });
  const worker = { registration, listener, leaseSeconds: 30, pollSeconds: 1 };
  const running = sources.map((source) => source.start(worker));
  return {
    async stop() {
      const held = await Promise.all(running.map((source) => source.stop(10)));
      await registration.close(held.some(Boolean));
      await listener.close();
    },
  };
}

/** Events a second through one dispatcher, all of them waiting when it begins. */
async function inProcess(sql, count) {
  await emitMany(sql, count);
  const told = { name: 'bench', eventTypes: ['library.created'], handler: async () => undefined };
  const dispatcher = createDispatcher({ sql, log, subscribers: [told] });
  return count / ((await timed(() => dispatcher.deliverDue())) / 1000);
}

/** Milliseconds from the end of a commit to the handler, with nothing else to do. */
async function pickUps(sql, target, count) {
  let arrived = () => undefined;
  const told = { name: 'bench', eventTypes: ['library.created'], handler: async () => arrived() };
  const worker = await startWorker(sql, target, [createDispatcher({ sql, log, subscribers: [told] })]);
  const waits = [];
  for (let n = 0; n < count; n++) {
    // Long enough for the loop to be asleep again.
    await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 20));
    const handled = new Promise((resolve) => {
      arrived = () => resolve(performance.now());
    });
    await transaction(sql, (tx) => emitEvent(tx, someEvent()));
    const committed = performance.now();
    waits.push(Math.max(0, (await handled) - committed));
  }
  await worker.stop();
  return { p50_ms: rounded(percentile(waits, 0.5), 2), p99_ms: rounded(percentile(waits, 0.99), 2) };
}

/** A receiver in a thread of its own, which says its port, and when so many requests have arrived. */
const RECEIVER = `
  const { parentPort, workerData } = require('node:worker_threads');
  let received = 0;
  const server = require('node:http').createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
    received += 1;
    if (received === workerData) parentPort.postMessage('all');
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;

/** Events a second through a worker to a receiver on this machine, all of them waiting when it begins. */
async function toWebhook(sql, target, count) {
  const receiver = new Worker(RECEIVER, { eval: true, workerData: count });
  const [port] = await once(receiver, 'message');
  const [id, url] = [newId(), `http://127.0.0.1:${port}/`];
  await sql`insert into webhooks (id, url) values (${id}, ${url})`;
  await sql`
    insert into webhook_secrets (id, webhook_id, secret)
    values (${newId()}, ${id}, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')`;
  const egress = createEgress({ allow: ['127.0.0.1/32'] });
  await emitMany(sql, count);
  const begin = performance.now();
  const worker = await startWorker(sql, target, [
    createDispatcher({ sql, log, subscribers: [subscribeWebhooks(sql)] }),
    createSender({ sql, log, egress }),
  ]);
  await once(receiver, 'message');
  const ms = performance.now() - begin;
  await worker.stop();
  await receiver.terminate();
  await sql`delete from webhooks`;
  return count / (ms / 1000);
}

/** Measures creating a library with and without its event, in turns, so that both see the same machine. */
async function emitting(sql, count) {
  const owner = newId();
  const home = newId();
  await sql`
    with person as (
      insert into users (id, username, display_name, default_library_id) values (${owner}, 'bench', 'Bench', ${home})
    )
    insert into libraries (id, name, owner_user_id, is_default) values (${home}, 'Mine', ${owner}, true)`;
  const make = (isTold) =>
    transaction(sql, async (tx) => {
      const id = newId();
      await insertLibrary(tx, { id, name: 'Shared', owner_user_id: owner, is_default: false });
      await recordAudit(tx, {
        action: 'library.created',
        actor: { name: 'bench' },
        details: { library_id: id },
      });
      if (isTold) await emitEvent(tx, someEvent(id));
      await findLibrary(tx, owner, id);
    });
  const samples = { silent: [], told: [] };
  for (let n = 0; n < count; n++) {
    samples.silent.push(await timed(() => make(false)));
    samples.told.push(await timed(() => make(true)));
  }
  return { silent_ms: median(samples.silent.slice(50)), told_ms: median(samples.told.slice(50)) };
}

/** Milliseconds for one event, emitted and delivered. */
async function cost(sql) {
  const turns = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const events = SIZES.events / 4;
    const emitted = await timed(() => emitMany(sql, events));
    const told = { name: 'bench', eventTypes: ['library.created'], handler: async () => undefined };
    const dispatcher = createDispatcher({ sql, log, subscribers: [told] });
    turns.push((emitted + (await timed(() => dispatcher.deliverDue()))) / events);
  }
  return median(turns);
}

await withCluster(async (sql, target) => {
  await cost(sql);
  await sql`truncate outbox_event cascade`;
  const empty = await cost(sql);
  await sql`truncate outbox_event cascade`;

  const rates = [];
  for (let turn = 0; turn < 3; turn++) rates.push(await inProcess(sql, SIZES.events));
  say(`in process: ${rates.map((rate) => Math.round(rate)).join(', ')} events/s`);
  const idle = await pickUps(sql, target, SIZES.pickUps);
  say(`idle: ${JSON.stringify(idle)}`);
  const webhook = [];
  for (let turn = 0; turn < 3; turn++) webhook.push(await toWebhook(sql, target, SIZES.webhooks));
  say(`webhook: ${webhook.map((rate) => Math.round(rate)).join(', ')} events/s`);
  const { silent_ms, told_ms } = await emitting(sql, SIZES.transactions);
  say(`a transaction: ${rounded(silent_ms, 2)} ms, told ${rounded(told_ms, 2)} ms`);

  await sql`truncate outbox_event cascade`;
  for (let left = SIZES.delivered; left > 0; left -= 20_000) {
    await sql`
      insert into outbox_event (
        id, event_type, schema_version, aggregate_type, aggregate_id, payload, idempotency_key, status,
        next_attempt_at, delivered_at
      )
      select
        gen_random_uuid(), 'library.created', 1, 'library', gen_random_uuid(), '{"name": "Shared"}', gen_random_uuid(),
        'delivered', null, now()
      from generate_series(1, ${Math.min(left, 20_000)}::int)`;
  }
  await sql`vacuum analyze outbox_event`;
  const full = await cost(sql);
  say(
    `an event: ${rounded(empty, 4)} ms on an empty table, ${rounded(full, 4)} ms beside the delivered ones`,
  );

  const [{ server_version }] = await sql`select current_setting('server_version') as server_version`;
  const result = {
    measured_with: { node: process.version, postgresql: server_version, cpus: os.cpus().length },
    targets: {
      transaction_with_an_event_against_without: atMost(1.3, rounded(told_ms / silent_ms, 2)),
      cost_with_a_million_delivered_against_none: atMost(1.1, rounded(full / empty, 2)),
      in_process_events_per_second: atLeast(15_000, Math.round(median(rates))),
      webhook_events_per_second: atLeast(3000, Math.round(median(webhook))),
    },
    commit_to_handler_when_idle: idle,
    transaction_ms: { without: rounded(silent_ms, 3), with_an_event: rounded(told_ms, 3) },
    event_ms: { empty: rounded(empty, 4), beside_a_million_delivered: rounded(full, 4) },
  };
  say(JSON.stringify(result, null, 2));
  if (isQuick) return;
  await mkdir(new URL('.', RESULTS), { recursive: true });
  await writeFile(RESULTS, `${JSON.stringify(result, null, 2)}\n`);
  if (!Object.values(result.targets).every(({ holds }) => holds)) process.exitCode = 1;
});
