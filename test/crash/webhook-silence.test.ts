import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Fleet, patiently, startFleet } from '../support/fleet.ts';
import { gate } from '../support/jobs.ts';
import { emit, someEvent } from '../support/outbox.ts';
import { type Receiver, type Reply, startReceiver } from '../support/webhook-receiver.ts';

const LEASE_SECONDS = 5;
/** Long enough for every claim of the dead to be freed. */
const WATCHED_MS = 2 * LEASE_SECONDS * 1000;
const EVERY_MS = 100;

let fleet: Fleet;
let receiver: Receiver;
let reply: Reply | Promise<Reply> = { status: 204 };
let arrivals: number[] = [];

beforeAll(async () => {
  receiver = await startReceiver(() => {
    arrivals.push(performance.now());
    return reply;
  });
  fleet = await startFleet({ workers: 1, leaseSeconds: LEASE_SECONDS });
  await fleet.createWebhook(receiver.site.url);
});
beforeEach(() => {
  arrivals = [];
  reply = { status: 204 };
});
afterAll(() => fleet.stop());

/** Emits events at a steady pace, and returns the longest time in which none arrived. */
async function longestSilence(since: number): Promise<number> {
  const until = performance.now() + WATCHED_MS;
  while (performance.now() < until) {
    await patiently(() => emit(fleet.sql, someEvent()));
    await pause(EVERY_MS);
  }
  const times = [since, ...arrivals.filter((time) => time > since), performance.now()];
  return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? 0)));
}

const delivered = () =>
  vi.waitFor(async () => {
    const left = await fleet.sql`select from webhook_deliveries where status <> 'delivered'`;
    expect(left).toHaveLength(0);
    const pending = await fleet.sql`select from outbox_event where status <> 'delivered'`;
    expect(pending).toHaveLength(0);
  }, 30_000);

test('a worker killed with ten deliveries in flight silences its webhook for less than one lease', async () => {
  await delivered();
  reply = 'hang';
  const before = receiver.received.length;
  for (let n = 0; n < 10; n++) await emit(fleet.sql, someEvent());
  await receiver.has(before + 10);
  const healthy = await fleet.startWorker();
  reply = { status: 204 };
  await fleet.workers[0]?.stop('SIGKILL');
  fleet.workers[0] = healthy;
  expect(await longestSilence(performance.now())).toBeLessThan(LEASE_SECONDS * 1000);
  await delivered();
});

test('answers that come while PostgreSQL is away are recorded when it is back, and the webhook is silent for less than one lease', async () => {
  await delivered();
  const answer = gate();
  reply = answer.opened.then(() => ({ status: 204 }));
  const before = receiver.received.length;
  for (let n = 0; n < 10; n++) await emit(fleet.sql, someEvent());
  await receiver.has(before + 10);
  await fleet.postgres.stop();
  answer.open();
  await fleet.postgres.start();
  expect(await longestSilence(performance.now())).toBeLessThan(LEASE_SECONDS * 1000);
  await delivered();
  const heard = receiver.received.map(({ id }) => id);
  expect(new Set(heard.slice(before)).size).toBe(heard.length - before);
});
