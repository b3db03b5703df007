import { afterAll, expect, test, vi } from 'vitest';
import { createEventStreams } from '../../src/features/events/streams.ts';
import { transaction } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/ids.ts';
import { emitEvent } from '../../src/platform/outbox/emit-event.ts';
import { createPerson, DEV_KEYS, useApp } from '../app.ts';
import { useDatabase } from '../database.ts';
import { openStream, type StreamReader } from '../event-stream.ts';
import { silentLog } from '../jobs.ts';
import { random } from '../jobs-crash/crew.ts';
import { createLibrary, createReader } from '../libraries.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database, {}, { listen: true });
const open: StreamReader[] = [];
afterAll(() => {
  for (const stream of open) stream.close();
});

const listeners = async () =>
  (
    await sql`
      select from pg_stat_activity
      where datname = current_database() and application_name = 'nexus outbox listener'`
  ).length;

test('a thousand streams cost one connection that listens, and all are told', async () => {
  const reader = await createReader(app);
  for (let n = 0; n < 10; n++) {
    open.push(...(await Promise.all(Array.from({ length: 100 }, () => openStream(app.url, reader.key)))));
  }
  expect(app.services.eventStreams.count()).toBe(1000);
  const library = await createLibrary(reader);
  for (const stream of open) {
    expect(await stream.has(1)).toMatchObject([{ event: { data: { library_id: library } } }]);
  }
  expect(await listeners()).toBe(1);
  for (const stream of open.splice(0)) stream.close();
  await vi.waitFor(() => expect(app.services.eventStreams.count()).toBe(0), 10_000);
}, 120_000);

const SEED = Number(process.env.FEED_SEED ?? 20261115);
const WRITERS = 8;
const TRANSACTIONS = 40;

test(`eight writers that commit in any order (seed ${SEED}): the feed and the stream show every event once`, async () => {
  const chance = random(SEED);
  const emitted: string[] = [];
  const key = DEV_KEYS.admin;
  const stream = await openStream(app.url, key);
  const first = await app.call('GET', '/api/v1/events?limit=200', { key });
  let after: string = first.body.page.next_cursor;
  for (let page = first; page.body.page.has_more; after = page.body.page.next_cursor) {
    page = await app.call('GET', `/api/v1/events?limit=200&after=${after}`, { key });
  }
  const seen: string[] = [];
  let isOver = false;

  async function follow(): Promise<void> {
    for (;;) {
      const wasOver = isOver;
      const { body } = await app.call('GET', `/api/v1/events?limit=7&after=${after}`, { key });
      seen.push(...body.events.map(({ id }: { id: string }) => id));
      after = body.page.next_cursor;
      if (wasOver && !body.page.has_more) return;
    }
  }

  const about = (id: string) => ({
    eventType: 'api_key.created' as const,
    aggregateType: 'api_key',
    aggregateId: id,
    payload: { api_key_id: id, user_id: id, owner: 'x', prefix: 'x', role: 'viewer' as const },
  });

  async function write(): Promise<void> {
    const [pool] = database.twoConnections();
    for (let n = 0; n < TRANSACTIONS; n++) {
      const [before, between, isKept] = [chance() * 0.02, chance() * 0.02, chance() > 0.2];
      await transaction(pool, async (tx) => {
        const one = await emitEvent(tx, about(newId()));
        await tx`select pg_sleep(${before})`;
        const two = await emitEvent(tx, about(newId()));
        await tx`select pg_sleep(${between})`;
        if (!isKept) throw new Error('rolled back');
        return [one.id, two.id];
      }).then(
        (ids) => emitted.push(...ids),
        () => undefined,
      );
    }
  }

  const following = follow();
  await Promise.all(Array.from({ length: WRITERS }, write));
  isOver = true;
  await following;
  expect(emitted.length).toBeGreaterThan(WRITERS * TRANSACTIONS);
  expect(new Set(seen)).toEqual(new Set(emitted));
  expect(seen).toHaveLength(emitted.length);
  await stream.has(emitted.length);
  expect(stream.events.map(({ event }) => event.id)).toEqual(seen);
  stream.close();
}, 120_000);

test('a stream beats while nothing happens, and ends when its key is disabled', async () => {
  const person = await createPerson(app);
  const streams = createEventStreams({
    sql,
    log: silentLog,
    hints: app.engine.hints,
    heartbeatSeconds: 0.05,
  });
  const principal = await app.services.authentication.withApiKey(person.key, { requestId: 'x', address: '' });
  const stream = await streams.open(principal, undefined);
  let text = '';
  stream.on('data', (chunk) => {
    text += chunk;
  });
  const ended = new Promise((resolve) => stream.once('close', resolve));
  await vi.waitFor(() => expect(text).toContain(': still here\n\n: still here\n\n'));
  await app.services.apiKeys.disable(person.apiKey.id, { name: 'test' });
  await ended;
  expect(streams.count()).toBe(0);
});

test('draining ends open streams, and their readers go on elsewhere with the last id', async () => {
  const reader = await createReader(app);
  const stream = await openStream(app.url, reader.key);
  const seen = await createLibrary(reader);
  await stream.has(1);
  await app.shell.drain.start(10_000);
  await stream.ended;
  expect(stream.events).toMatchObject([{ event: { data: { library_id: seen } } }]);
});
