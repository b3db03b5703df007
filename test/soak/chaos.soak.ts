import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { random } from '../crash/jobs/crew.ts';
import { type Fleet, patiently, startFleet } from '../support/fleet.ts';
import type { NexusProcess } from '../support/nexus-process.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const SEED = Number(process.env.SOAK_SEED ?? 20261117);
const MINUTES = Number(process.env.SOAK_MINUTES ?? 10);
const PAGES = Number(process.env.SOAK_PAGES ?? 2000);
const LEASE_SECONDS = 5;
const CALM_MS = 60_000;

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet({ workers: 3, leaseSeconds: LEASE_SECONDS });
});
afterAll(() => fleet.stop());

const say = (line: string) => process.stdout.write(`${line}\n`);

test(`${PAGES} good pages are ready, and every event is delivered, after ${MINUTES} minutes of chaos`, async () => {
  const chance = random(SEED);
  const happened = new Map<string, number>();
  const receiver = await startReceiver();
  await fleet.createWebhook(receiver.site.url);

  const anyone = () => Math.floor(chance() * fleet.workers.length);
  async function kill(): Promise<void> {
    const index = anyone();
    const worker = fleet.workers[index] as NexusProcess;
    worker.child.kill('SIGCONT');
    await worker.stop('SIGKILL');
    fleet.workers[index] = await patiently(() => fleet.startWorker());
  }
  async function freeze(): Promise<void> {
    const { child } = fleet.workers[anyone()] as NexusProcess;
    child.kill('SIGSTOP');
    await pause((0.5 + chance() * 2) * LEASE_SECONDS * 1000);
    child.kill('SIGCONT');
  }
  async function outage(): Promise<void> {
    await fleet.postgres.stop();
    await pause(500 + chance() * 4500);
    await fleet.postgres.start();
  }
  const trouble: [name: string, weight: number, happen: () => Promise<unknown>][] = [
    ['a worker was killed', 8, kill],
    ['a worker was frozen', 4, freeze],
    ['PostgreSQL was restarted', 2, () => fleet.postgres.restart('fast')],
    ['PostgreSQL crashed', 2, () => fleet.postgres.restart('immediate')],
    ['PostgreSQL was away for seconds', 3, outage],
    [
      'all connections were ended',
      3,
      () =>
        patiently(async () => {
          await fleet.sql`
            select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname is not null`;
        }),
    ],
  ];
  const tickets = trouble.flatMap((entry) => Array<typeof entry>(entry[1]).fill(entry));

  say(`seed ${SEED}, ${PAGES} pages, ${MINUTES} minutes`);
  const end = performance.now() + MINUTES * 60_000;
  const saving = (async () => {
    for (let page = 0; page < PAGES; page++) {
      await fleet.save(page);
      await pause(Math.max(0, (end - 30_000 - performance.now()) / (PAGES - page)));
    }
  })();
  while (performance.now() < end) {
    const [name, , happen] = tickets[Math.floor(chance() * tickets.length)] as (typeof trouble)[number];
    await happen();
    happened.set(name, (happened.get(name) ?? 0) + 1);
    await pause(1000 + chance() * 3000);
  }
  await saving;
  for (const { child } of fleet.workers) child.kill('SIGCONT');

  say(`calm; ${JSON.stringify(await fleet.states())}`);
  const calmSince = performance.now();
  await patiently(async () => {
    expect(await fleet.states()).toEqual({ ready: PAGES });
    const [left] = await fleet.sql`
      select
        (select count(*) from outbox_event where status <> 'delivered') as events,
        (select count(*) from webhook_deliveries where status <> 'delivered') as deliveries`;
    expect(left).toEqual({ events: 0, deliveries: 0 });
  }, CALM_MS);
  say(`at rest after ${Math.round((performance.now() - calmSince) / 1000)} seconds`);
  const [{ events }] = await fleet.sql<[{ events: string[] }]>`
    select array_agg(outbox_event.id) as events
    from outbox_event
    join webhooks on webhooks.created_at < outbox_event.created_at`;
  const heard = new Set(receiver.received.map(({ id }) => id));
  expect(events.filter((id) => !heard.has(id))).toEqual([]);
  for (const [name] of trouble) say(`${String(happened.get(name) ?? 0).padStart(6)}  ${name}`);
});
