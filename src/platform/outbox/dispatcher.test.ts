import { afterEach, describe, expect, test, vi } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { gate, type StartedSource, silentLog, startSource } from '../../../test/support/jobs.ts';
import { emit, readEvent, someEvent } from '../../../test/support/outbox.ts';
import { transaction } from '../database/transaction.ts';
import { newId } from '../ids.ts';
import { deleteInBatches } from '../jobs/periodic/retention.ts';
import { MAX_INTERRUPTIONS } from '../work/interruption.ts';
import { recoverDeadWorkers } from '../work/recovery.ts';
import { retryDelay } from '../work/retry-policy.ts';
import { claimEvents } from './dispatch-store.ts';
import { createDispatcher, type DispatcherOptions, EVENT_RETRY } from './dispatcher.ts';
import { emitEvent } from './emit-event.ts';
import { eventRetention } from './maintenance.ts';
import { measureOutbox, retryEvent } from './store.ts';
import { defineSubscriber, type Subscriber } from './subscriber.ts';

const database = useDatabase();
const { sql } = database;
const started: StartedSource[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((source) => source.stop()));
  await sql`delete from outbox_event`;
});

function dispatch(subscribers: Subscriber<'library.created'>[], options: Partial<DispatcherOptions> = {}) {
  return createDispatcher({ sql, log: silentLog, subscribers, random: () => 0, ...options });
}

/** A subscriber that does what it is told, and remembers what it was told. */
function subscriber(name: string, work: (id: string) => Promise<void> | void = () => undefined) {
  const seen: string[] = [];
  const told = defineSubscriber(name, {
    eventTypes: ['library.created'],
    async handler({ aggregate_id }) {
      seen.push(aggregate_id);
      await work(aggregate_id);
    },
  });
  return { ...told, seen };
}

const fails = () => {
  throw new Error('out of order');
};
const makeDue = (id: string) => sql`update outbox_event set next_attempt_at = now() where id = ${id}`;

/** Lets every worker's lease be over, and takes back what they held. */
async function expireLeases(): Promise<void> {
  await sql`update workers set lease_expires_at = now() - interval '1 second'`;
  await recoverDeadWorkers(sql, silentLog, [dispatch([]).takeBack]);
}

/** Claims as a worker does that dies right afterwards. */
async function claimAndDie() {
  const workerId = newId();
  await sql`
    insert into workers (id, name, queues, concurrency, lease_expires_at)
    values (${workerId}, 'dead', '{}', 1, now())`;
  const claimed = await claimEvents(sql, { workerId, token: newId(), want: 10 });
  await expireLeases();
  return claimed;
}

describe('delivery', () => {
  test('starts when the transaction commits, and not before', async () => {
    const told = gate();
    const reader = subscriber('reader', () => told.open());
    // Polling alone would take an hour.
    started.push(await startSource(database, dispatch([reader])));
    const id = await transaction(sql, async (tx) => {
      const event = await emitEvent(tx, someEvent());
      await sql`select`;
      expect(reader.seen).toEqual([]);
      return event.id;
    });
    await told.opened;
    await vi.waitFor(
      async () => expect(await readEvent(sql, id)).toMatchObject({ status: 'delivered' }),
      30_000,
    );
  });

  test('without a hint is made by polling', async () => {
    const told = gate();
    const [elsewhere] = database.twoConnections();
    const reader = dispatch([subscriber('reader', () => told.open())], { sql: elsewhere });
    started.push(await startSource(database, reader, { sql: elsewhere, listen: false, pollSeconds: 0.1 }));
    await emit(sql, someEvent());
    await told.opened;
  });

  test('marks the event: when, and that it is not due again', async () => {
    const { id } = await emit(sql, someEvent());
    expect(await dispatch([subscriber('reader')]).deliverDue()).toBe(1);
    expect(await readEvent(sql, id)).toMatchObject({
      status: 'delivered',
      attempts: 1,
      delivered_at: expect.any(Date),
      next_attempt_at: null,
      claim_id: null,
    });
  });

  test('to nobody is done at once', async () => {
    const { id } = await emit(sql, someEvent());
    await dispatch([]).deliverDue();
    expect(await readEvent(sql, id)).toMatchObject({ status: 'delivered' });
  });

  test('takes only what is pending and due', async () => {
    const [due, later, done] = [
      await emit(sql, someEvent()),
      await emit(sql, someEvent()),
      await emit(sql, someEvent()),
    ];
    await sql`update outbox_event set next_attempt_at = now() + interval '1 hour' where id = ${later.id}`;
    await sql`update outbox_event set status = 'failed', next_attempt_at = null where id = ${done.id}`;
    const reader = subscriber('reader');
    await dispatch([reader]).deliverDue();
    expect(reader.seen).toEqual([due.aggregate_id]);
  });
});

describe('a subscriber that fails', () => {
  test('leaves the event pending, with the error and the exact time of the next attempt', async () => {
    const { id } = await emit(sql, someEvent());
    const dispatcher = dispatch([subscriber('broken', fails)]);
    for (const [attempts, waits] of [
      [1, 60],
      [2, 120],
      [3, 240],
      [4, 480],
    ] as const) {
      await makeDue(id);
      await dispatcher.deliverDue();
      expect(await readEvent(sql, id)).toMatchObject({
        status: 'pending',
        attempts,
        waits_seconds: waits,
        error_message: 'broken: out of order',
      });
    }
    await makeDue(id);
    await dispatcher.deliverDue();
    expect(await readEvent(sql, id)).toMatchObject({
      status: 'failed',
      attempts: 5,
      next_attempt_at: null,
      delivered_at: null,
      error_message: 'broken: out of order',
    });
    expect(await dispatcher.deliverDue()).toBe(0);
  });

  test('waits at most an hour, and up to a tenth longer', () => {
    const delay = (attempts: number, random: number) => retryDelay(EVENT_RETRY, attempts, () => random);
    expect([1, 2, 6, 7, 50].map((attempts) => delay(attempts, 0))).toEqual([60, 120, 1920, 3600, 3600]);
    expect(delay(1, 1)).toBeCloseTo(66);
    expect(delay(50, 1)).toBeCloseTo(3960);
  });

  test('is called again; one that succeeded is not', async () => {
    let isBroken = true;
    const good = subscriber('good');
    const bad = subscriber('bad', () => (isBroken ? fails() : undefined));
    const dispatcher = dispatch([good, bad]);
    const event = await emit(sql, someEvent());
    await dispatcher.deliverDue();
    isBroken = false;
    await makeDue(event.id);
    await dispatcher.deliverDue();
    expect(await readEvent(sql, event.id)).toMatchObject({ status: 'delivered', attempts: 2 });
    expect([good.seen.length, bad.seen.length]).toEqual([1, 2]);
    expect([
      ...(await sql`select subscriber, attempts, error_message from outbox_delivery order by subscriber`),
    ]).toEqual([
      { subscriber: 'bad', attempts: 2, error_message: null },
      { subscriber: 'good', attempts: 1, error_message: null },
    ]);
  });

  test('spoils nothing for the rest of its batch', async () => {
    const poisoned = await emit(sql, someEvent());
    const others = await Promise.all(Array.from({ length: 20 }, () => emit(sql, someEvent())));
    const picky = subscriber('picky', (id) => (id === poisoned.aggregate_id ? fails() : undefined));
    await dispatch([picky]).deliverDue();
    const delivered = await sql`select id from outbox_event where status = 'delivered'`;
    expect(new Set(delivered.map(({ id }) => id))).toEqual(new Set(others.map(({ id }) => id)));
    expect(await readEvent(sql, poisoned.id)).toMatchObject({ status: 'pending', attempts: 1 });
  });

  test('by hanging delays nobody, and has failed when its time is over', async () => {
    const stuck = await emit(sql, someEvent());
    const begun = gate();
    const hangs = subscriber('hangs', (id) => {
      if (id !== stuck.aggregate_id) return;
      begun.open();
      return new Promise(() => undefined);
    });
    started.push(await startSource(database, dispatch([hangs], { handlerSeconds: 1 })));
    await begun.opened;
    const other = await emit(sql, someEvent());
    await vi.waitFor(
      async () => expect(await readEvent(sql, other.id)).toMatchObject({ status: 'delivered' }),
      30_000,
    );
    expect(await readEvent(sql, stuck.id)).toMatchObject({ status: 'pending', error_message: null });
    await vi.waitFor(
      async () =>
        expect(await readEvent(sql, stuck.id)).toMatchObject({
          status: 'pending',
          error_message: 'hangs: It took longer than 1 seconds.',
        }),
      30_000,
    );
  });
});

describe('claims', () => {
  test('hold no lock while a handler runs', async () => {
    const [running, finish] = [gate(), gate()];
    const { id } = await emit(sql, someEvent());
    const slow = subscriber('slow', async () => {
      running.open();
      await finish.opened;
    });
    const delivering = dispatch([slow]).deliverDue();
    await running.opened;
    await sql`select from outbox_event where id = ${id} for update nowait`;
    finish.open();
    await delivering;
  });

  test('of two dispatchers are never of the same event', async () => {
    const [a, b] = database.twoConnections();
    await Promise.all(Array.from({ length: 500 }, () => emit(sql, someEvent())));
    const [one, two] = [subscriber('reader'), subscriber('reader')];
    await Promise.all([dispatch([one], { sql: a }).deliverDue(), dispatch([two], { sql: b }).deliverDue()]);
    expect(one.seen.length + two.seen.length).toBe(500);
    expect(new Set([...one.seen, ...two.seen]).size).toBe(500);
  });

  test('end with the lease of their worker: another delivers, and the outcome of the first is dropped', async () => {
    const event = await emit(sql, someEvent());
    const [running, finish] = [gate(), gate()];
    const slow = subscriber('reader', async () => {
      running.open();
      await finish.opened;
    });
    const first = dispatch([slow]).deliverDue();
    await running.opened;
    await expireLeases();
    await makeDue(event.id);
    await dispatch([subscriber('reader', fails)]).deliverDue();
    const before = await readEvent(sql, event.id);
    expect(before).toMatchObject({
      attempts: 2,
      interruptions: 1,
      waits_seconds: 60,
      error_message: 'reader: out of order',
    });
    finish.open();
    await first;
    expect(await readEvent(sql, event.id)).toEqual(before);
  });

  test('of dead workers cost time and no attempt: an event that kills five workers is delivered by the sixth', async () => {
    const { id } = await emit(sql, someEvent());
    for (let dead = 1; dead <= 5; dead++) {
      expect(await claimAndDie()).toHaveLength(1);
      expect(await readEvent(sql, id)).toMatchObject({
        status: 'pending',
        attempts: dead,
        interruptions: dead,
      });
      await makeDue(id);
    }
    const reader = subscriber('reader');
    expect(await dispatch([reader]).deliverDue()).toBe(1);
    expect(await readEvent(sql, id)).toMatchObject({ status: 'delivered', attempts: 6, interruptions: 5 });
  });

  test('of dead workers are bounded: an event that kills every worker has failed in the end', async () => {
    const { id } = await emit(sql, someEvent());
    const almost = MAX_INTERRUPTIONS - 1;
    await sql`update outbox_event set attempts = ${almost}, interruptions = ${almost} where id = ${id}`;
    await claimAndDie();
    const reader = subscriber('reader');
    expect(await dispatch([reader]).deliverDue()).toBe(0);
    expect(reader.seen).toEqual([]);
    expect(await readEvent(sql, id)).toMatchObject({
      status: 'failed',
      next_attempt_at: null,
      error_message: expect.stringContaining('died 100 times'),
    });
  });
});

test('a subscriber that the database fails is called again, at the cost of no attempt', async () => {
  const { id } = await emit(sql, someEvent());
  let failures = 0;
  const unlucky = subscriber('unlucky', async () => {
    failures += 1;
    if (failures > 6) return;
    const [victim] = database.twoConnections();
    await victim`select pg_terminate_backend(pg_backend_pid())`;
  });
  const dispatcher = dispatch([unlucky]);
  for (let n = 0; n < 7; n++) {
    await makeDue(id);
    await dispatcher.deliverDue();
  }
  expect(await readEvent(sql, id)).toMatchObject({ status: 'delivered', attempts: 7, interruptions: 6 });
});

test('an event of a type that only a newer release knows waits for it, at the cost of no attempt', async () => {
  const { id } = await emit(sql, someEvent());
  await sql`update outbox_event set event_type = 'library.invented' where id = ${id}`;
  const dispatcher = dispatch([subscriber('reader')]);
  await dispatcher.deliverDue();
  expect(await readEvent(sql, id)).toMatchObject({
    status: 'pending',
    attempts: 1,
    interruptions: 1,
    waits_seconds: 30,
    error_message: 'This process knows no event type library.invented.',
  });
  const almost = MAX_INTERRUPTIONS - 1;
  await sql`update outbox_event set attempts = ${almost}, interruptions = ${almost} where id = ${id}`;
  await makeDue(id);
  await dispatcher.deliverDue();
  expect(await readEvent(sql, id)).toMatchObject({ status: 'failed', next_attempt_at: null });
});

test('a subscriber that takes batches gets many events in one call; one that it cannot handle fails alone', async () => {
  const events = await Promise.all(Array.from({ length: 20 }, () => emit(sql, someEvent())));
  const [poisoned] = events;
  const sizes: number[] = [];
  const batches = defineSubscriber('batches', {
    eventTypes: ['library.created'],
    async batchHandler(batch) {
      sizes.push(batch.length);
      if (batch.some(({ id }) => id === poisoned?.id)) fails();
    },
  });
  await dispatch([batches]).deliverDue();
  expect(Math.max(...sizes)).toBeGreaterThan(1);
  const pending = await sql`select id from outbox_event where status = 'pending'`;
  expect(pending.map(({ id }) => id)).toEqual([poisoned?.id]);
});

test('cleanup deletes what has been over for long enough, in batches, and nothing that is pending', async () => {
  await sql`
    insert into outbox_event (
      id, event_type, schema_version, aggregate_type, aggregate_id, payload, idempotency_key, status,
      next_attempt_at, delivered_at, created_at, updated_at
    )
    select
      ('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'library.created', 1, 'library', n, '{}', n,
      case when n <= 1500 then 'delivered' when n <= 1600 then 'failed' else 'pending' end,
      case when n > 1600 then now() end, case when n <= 1500 then now() end, now(),
      case when n % 10 = 0 then now() else now() - interval '3 hours' end
    from generate_series(1, 1700) as n`;
  const young = await emit(sql, someEvent());
  await sql`update outbox_event set status = 'failed', next_attempt_at = null where id = ${young.id}`;
  const batches: number[] = [];
  for await (const count of deleteInBatches(eventRetention(sql, 2))) batches.push(count);
  expect(batches).toEqual([900, 540]);
  expect([
    ...(await sql`select status, count(*) as n from outbox_event group by status order by status`),
  ]).toEqual([
    { status: 'delivered', n: 150 },
    { status: 'failed', n: 11 },
    { status: 'pending', n: 100 },
  ]);
});

test('an operator who retries a failed event reaches only the subscribers that failed', async () => {
  let isBroken = true;
  const good = subscriber('good');
  const bad = subscriber('bad', () => (isBroken ? fails() : undefined));
  const dispatcher = dispatch([good, bad]);
  const { id } = await emit(sql, someEvent());
  await sql`update outbox_event set max_attempts = 1 where id = ${id}`;
  await dispatcher.deliverDue();
  expect(await readEvent(sql, id)).toMatchObject({ status: 'failed' });
  isBroken = false;
  await transaction(sql, (tx) => retryEvent(tx, id));
  await dispatcher.deliverDue();
  expect(await readEvent(sql, id)).toMatchObject({ status: 'delivered' });
  expect([good.seen.length, bad.seen.length]).toEqual([1, 2]);
});

test('an operator gives a failed event all its attempts back, and only a failed one', async () => {
  const { id } = await emit(sql, someEvent());
  expect(await transaction(sql, (tx) => retryEvent(tx, id))).toBe(false);
  await sql`update outbox_event set status = 'failed', next_attempt_at = null, attempts = 5 where id = ${id}`;
  expect(await measureOutbox(sql)).toMatchObject({ pending_count: 0, failed_count: 1 });
  expect(await transaction(sql, (tx) => retryEvent(tx, id))).toBe(true);
  expect(await readEvent(sql, id)).toMatchObject({ status: 'pending', attempts: 0 });
  expect(await measureOutbox(sql)).toMatchObject({ pending_count: 1, due_count: 1, failed_count: 0 });
  await dispatch([]).deliverDue();
  expect(await readEvent(sql, id)).toMatchObject({ status: 'delivered', attempts: 1 });
});
