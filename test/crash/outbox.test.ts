import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Transaction } from '../../src/platform/database/database.ts';
import { transaction } from '../../src/platform/database/transaction.ts';
import { call, DEV_KEYS, useApp } from '../support/app.ts';
import { useDatabase } from '../support/database.ts';
import { gate } from '../support/jobs.ts';
import { startNexus } from '../support/nexus-process.ts';
import { emit, someEvent } from '../support/outbox.ts';
import { statementBlocked } from '../support/races.ts';
import { type Receiver, type Reply, startReceiver } from '../support/webhook-receiver.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database, { NEXUS_EGRESS_ALLOW: '127.0.0.1/32' });
const key = DEV_KEYS.admin;
const env = {
  NEXUS_DATABASE_URL: database.url,
  NEXUS_EGRESS_ALLOW: '127.0.0.1/32',
  NEXUS_WORKER_LEASE_SECONDS: '1',
};

let reply: Reply | Promise<Reply>;
let receiver: Receiver;

beforeEach(async () => {
  reply = { status: 204 };
  receiver = await startReceiver(() => reply);
  await app.call('POST', '/api/v1/webhooks', {
    key,
    body: { url: receiver.site.url, event_types: ['library.created'] },
  });
});
afterEach(async () => {
  await sql`delete from webhooks`;
  await sql`delete from outbox_event`;
});

const deliveredOnce = (attempts: number) =>
  vi.waitFor(
    async () =>
      expect([...(await sql`select status, attempts::int from webhook_deliveries`)]).toEqual([
        { status: 'delivered', attempts },
      ]),
    30_000,
  );

/** Holds a lock while `work` runs. */
async function holding(lock: (tx: Transaction) => PromiseLike<unknown>, work: () => Promise<void>) {
  const [held, release] = [gate(), gate()];
  const holder = transaction(database.twoConnections()[0], async (tx) => {
    await lock(tx);
    held.open();
    await release.opened;
  });
  await held.opened;
  await work();
  release.open();
  await holder;
}

test('killed between commit and delivery: another process delivers', async () => {
  const server = startNexus(['serve', '--no-worker'], { env });
  const made = await call(await server.ready(), 'POST', '/libraries', { key, body: { name: 'Survives' } });
  expect(made.status).toBe(201);
  await server.stop('SIGKILL');
  expect(receiver.received).toEqual([]);
  const worker = startNexus(['worker'], { env });
  const [received] = await receiver.has(1);
  expect(JSON.parse(received?.body ?? '').data.library_id).toBe(made.body.data.id);
  await deliveredOnce(1);
  expect(await worker.stop()).toBe(0);
});

test('killed during a call of a subscriber: the event is dispatched again, and its effect exists once', async () => {
  const { id } = await emit(sql, someEvent());
  await holding(
    (tx) => tx`lock table webhook_deliveries in exclusive mode`,
    async () => {
      const victim = startNexus(['worker'], { env });
      // Not the worker's claim of deliveries, which the lock blocks, too.
      await statementBlocked(sql, 'insert into webhook_deliveries');
      await victim.stop('SIGKILL');
    },
  );
  const [event] = await sql`select status, attempts::int, delivered_at from outbox_event where id = ${id}`;
  expect(event).toEqual({ status: 'pending', attempts: 1, delivered_at: null });
  const heir = startNexus(['worker'], { env });
  await deliveredOnce(1);
  expect((await receiver.has(1)).map((received) => received.id)).toEqual([id]);
  expect(await heir.stop()).toBe(0);
});

test('killed during a delivery to a webhook: it is delivered again', async () => {
  const { id } = await emit(sql, someEvent());
  reply = 'hang';
  const victim = startNexus(['worker'], { env });
  await receiver.has(1);
  await victim.stop('SIGKILL');
  reply = { status: 204 };
  const heir = startNexus(['worker'], { env });
  await deliveredOnce(2);
  expect(receiver.received.map((received) => received.id)).toEqual([id, id]);
  expect(await heir.stop()).toBe(0);
});

test('killed after the receiver answered and before that was recorded: it is delivered again with the same id', async () => {
  const { id } = await emit(sql, someEvent());
  const answer = gate();
  reply = answer.opened.then(() => ({ status: 204 }));
  const victim = startNexus(['worker'], { env });
  await receiver.has(1);
  await holding(
    (tx) => tx`select from webhook_deliveries for update`,
    async () => {
      answer.open();
      await statementBlocked(sql, 'with held as materialized');
      await victim.stop('SIGKILL');
      // The worker's connection died, too: its statement, which waits for the lock, must not run later.
      await sql`
        select pg_terminate_backend(pid, 5000)
        from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
    },
  );
  const [after] = await sql`select status, attempts::int from webhook_deliveries`;
  expect(after).toEqual({ status: 'pending', attempts: 1 });
  const heir = startNexus(['worker'], { env });
  await deliveredOnce(2);
  expect(receiver.received.map((received) => received.id)).toEqual([id, id]);
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  expect(await heir.stop()).toBe(0);
});
