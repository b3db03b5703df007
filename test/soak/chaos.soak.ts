import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { test } from 'vitest';
import { random } from '../crash/jobs/crew.ts';
import { type Fleet, startFleet, startFleetOn } from '../support/fleet.ts';
import { startServer } from '../support/server.ts';
import { type Reply, startReceiver } from '../support/webhook-receiver.ts';
import { atFileEnd } from '../support/workspace.ts';
import { startTransactionPooler } from '../system/pooler/transaction-pooler.ts';
import { actions } from './chaos/actions.ts';
import { checkEvents, checkHistory, checkIntegrity, checkRights, comeToRest } from './chaos/checks.ts';
import { follow } from './chaos/events.ts';
import { createFaults } from './chaos/faults.ts';
import { pickByWeight } from './chaos/pick.ts';
import { type Person, World } from './chaos/world.ts';

const SEED = Number(process.env.SOAK_SEED ?? 20261117);
const MINUTES = Number(process.env.SOAK_MINUTES ?? 10);
const PEOPLE = Number(process.env.SOAK_PEOPLE ?? 12);
const LEASE_SECONDS = 5;
const THINKING_MS = 300;
/** The longest time until everything is done after the last fault. A failed backfill waits a minute. */
const CALM_MS = 150_000;

const FLEET = { servers: 2, workers: 3, leaseSeconds: LEASE_SECONDS };
const CONNECTIONS_OF_POOLER = 20;

async function startPooledFleet(): Promise<Fleet> {
  const postgres = await startServer({ max_connections: '100' });
  const pooler = await startTransactionPooler(postgres.target, CONNECTIONS_OF_POOLER);
  atFileEnd(() => pooler.close());
  const url = `postgres://anybody@127.0.0.1:${pooler.port}/anything`;
  return startFleetOn({ ...postgres, url }, { ...FLEET, env: { NEXUS_DATABASE_POOLED: 'true' } });
}

const say = (line: string) => process.stdout.write(`${line}\n`);

function report(counts: Map<string, number>): void {
  for (const [name, count] of [...counts].sort(([, a], [, b]) => b - a))
    say(`${String(count).padStart(7)}  ${name}`);
}

test.each([
  { to: 'PostgreSQL', minutes: MINUTES, start: () => startFleet(FLEET) },
  { to: 'a transaction pooler', minutes: MINUTES / 5, start: startPooledFleet },
])(
  `${PEOPLE} people lose nothing in $minutes minutes of faults of two servers and three workers, connected to $to`,
  async ({ minutes, start }) => {
    const fleet = await start();
    let reply: Reply = { status: 204 };
    const answered = new Set<string>();
    const receiver = await startReceiver(({ id, body, headers }) => {
      new Webhook(webhook.secret).verify(body, headers as Record<string, string>);
      if (typeof reply === 'object' && reply.status === 204) answered.add(id);
      return reply;
    });
    const webhook = await fleet.createWebhook(receiver.site.url);
    const world = new World(fleet);
    await world.populate(PEOPLE, SEED);
    const followers = await Promise.all(
      world.people.map((person, n) => follow(world, person, random(SEED + 1000 + n))),
    );
    const faults = createFaults({
      fleet,
      leaseSeconds: LEASE_SECONDS,
      seed: SEED,
      answerWith: (next) => {
        reply = next;
      },
    });

    say(`seed ${SEED}, ${PEOPLE} people, ${minutes} minutes`);
    const done = new Map<string, number>();
    const end = performance.now() + minutes * 60_000;
    async function live(person: Person): Promise<void> {
      while (performance.now() < end) {
        const [name, , act] = pickByWeight(actions, person.chance);
        await act(world, person);
        done.set(name, (done.get(name) ?? 0) + 1);
        await pause(person.chance() * THINKING_MS);
      }
    }
    await Promise.all([faults.until(end), ...world.people.map(live)]);

    report(faults.happened);
    report(done);
    report(world.outcomes);
    say(`calm; ${JSON.stringify(await fleet.states())}`);
    const calmSince = performance.now();
    await comeToRest(fleet, webhook.id, CALM_MS);
    say(`at rest after ${Math.round((performance.now() - calmSince) / 1000)} seconds`);

    await checkHistory(world);
    const { writes, uncertain, reads } = world.history.count();
    say(`${writes} acknowledged writes, ${uncertain} uncertain ones and ${reads} reads agree`);
    const facts = await checkRights(world);
    await checkEvents(world, { facts, followers, answered });
    const reconnections = followers.reduce((sum, follower) => sum + follower.reconnections, 0);
    say(
      `${answered.size} events delivered; ${followers.length} streams without gaps, ${reconnections} connections`,
    );
    await checkIntegrity(fleet);
    say('the integrity audit finds nothing');
    await Promise.all(followers.map((follower) => follower.stop()));
    await fleet.stop();
  },
);
