import { afterAll, expect, test, vi } from 'vitest';
import { random } from '../../../test/crash/jobs/crew.ts';
import { createPerson, DEV_KEYS, useApp } from '../../../test/support/app.ts';
import { openStream, type StreamReader } from '../../../test/support/event-stream.ts';
import { gate, silentLog } from '../../../test/support/jobs.ts';
import { createLibrary, createReader, type Reader } from '../../../test/support/libraries.ts';
import { emit, someEvent } from '../../../test/support/outbox.ts';
import { useServer } from '../../../test/support/server.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { emitEvent } from '../../platform/outbox/emit-event.ts';
import { createSearchedEvents } from './searched-events.ts';
import { lastPosition } from './store.ts';
import { createEventStreams } from './streams.ts';

const database = await useServer();
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
      where datname = current_database() and application_name = 'nexus listener'`
  ).length;

test('two hundred streams of twenty people cost one connection that listens, and all are told', {
  tags: 'slow',
}, async () => {
  const readers = await Promise.all(Array.from({ length: 20 }, () => createReader(app)));
  const streams = new Map<Reader, StreamReader[]>();
  for (const reader of readers) {
    streams.set(reader, await Promise.all(Array.from({ length: 10 }, () => openStream(app.url, reader.key))));
  }
  open.push(...[...streams.values()].flat());
  expect(app.services.eventStreams.count()).toBe(200);
  for (const reader of readers) {
    const library = await createLibrary(reader);
    for (const stream of streams.get(reader) ?? []) {
      expect(await stream.has(1)).toMatchObject([{ event: { data: { library_id: library } } }]);
    }
  }
  expect(await listeners()).toBe(1);
  for (const stream of open.splice(0)) stream.close();
  await vi.waitFor(() => expect(app.services.eventStreams.count()).toBe(0), 30_000);
});

test('300 streams of one person end one another, and do not delay what others hear', {
  tags: 'slow',
  timeout: 240_000,
}, async () => {
  const [greedy, other] = [await createReader(app), await createReader(app)];
  for (let n = 0; n < 3; n++) {
    open.push(...(await Promise.all(Array.from({ length: 100 }, () => openStream(app.url, greedy.key)))));
  }
  const last = open.slice(-1);
  await vi.waitFor(() => expect(app.services.eventStreams.count()).toBe(10), 30_000);
  const heard = await openStream(app.url, other.key);
  open.push(heard);
  const began = performance.now();
  const libraries = [];
  for (let n = 0; n < 20; n++) libraries.push(await createLibrary(other), await createLibrary(greedy));
  await heard.has(20);
  expect(performance.now() - began).toBeLessThan(20_000);
  expect(heard.events.map(({ event }) => event.data.library_id)).toEqual(
    libraries.filter((_, index) => index % 2 === 0),
  );
  // The newest is still open, and hears everything.
  await last[0]?.has(20);
  for (const stream of open.splice(0)) stream.close();
  await vi.waitFor(() => expect(app.services.eventStreams.count()).toBe(0), 30_000);
});

test('the reader of a stream that a newer one replaced is told to wait', async () => {
  const reader = await createReader(app);
  const principal = await app.services.authentication.withApiKey(reader.key, { requestId: 'x', address: '' });
  const { eventStreams } = app.services;
  const oldest = await eventStreams.open(principal);
  let text = '';
  oldest.on('data', (chunk) => {
    text += chunk;
  });
  const ended = new Promise((resolve) => oldest.once('close', resolve));
  const newer = [];
  for (let n = 0; n < 10; n++) newer.push(await eventStreams.open(principal));
  await ended;
  expect(text).toMatch(/retry: 60000\n\n$/);
  expect(eventStreams.count()).toBe(10);
  for (const stream of newer) stream.destroy();
  await vi.waitFor(() => expect(eventStreams.count()).toBe(0), 30_000);
});

test('a process refuses a stream beyond its limit', async () => {
  const searched = createSearchedEvents({ sql, ...app.services });
  const streams = createEventStreams({
    sql,
    log: silentLog,
    listener: app.nexus.listener,
    mostStreams: 2,
    searched,
  });
  const open = async () => {
    const { key } = await createPerson(app);
    const principal = await app.services.authentication.withApiKey(key, { requestId: 'x', address: '' });
    return streams.open(principal);
  };
  const [one, two] = [await open(), await open()];
  await expect(open()).rejects.toMatchObject({ code: 'E_TOO_MANY_STREAMS', retryAfterSeconds: 30 });
  one.destroy();
  await vi.waitFor(() => expect(streams.count()).toBe(1), 30_000);
  const third = await open();
  for (const stream of [two, third]) stream.destroy();
  await vi.waitFor(() => expect(streams.count()).toBe(0), 30_000);
});

test('a stream that opens after the last one closed does not make the process read what happened meanwhile', async () => {
  const [sending, goOn, sent] = [gate(), gate(), gate()];
  const read: string[] = [];
  /** Holds the first batch that is sent, and notes the events of all. */
  const watched = async (...statement: Parameters<typeof sql>) => {
    read.push(...(statement.slice(1).filter(Array.isArray).at(-1) ?? []));
    sending.open();
    await goOn.opened;
    const visible = await sql(...statement);
    sent.open();
    return visible;
  };
  const statements = (...statement: Parameters<typeof sql>) =>
    String(statement[0]).includes('with person as materialized') ? watched(...statement) : sql(...statement);
  const streams = createEventStreams({
    sql: Object.assign(statements, sql) as unknown as typeof sql,
    log: silentLog,
    listener: app.nexus.listener,
    pollSeconds: 0.05,
    searched: createSearchedEvents({ sql, ...app.services }),
  });
  const { key } = await createPerson(app);
  const principal = await app.services.authentication.withApiKey(key, { requestId: 'x', address: '' });
  const first = await streams.open(principal);
  await emit(sql, someEvent());
  await sending.opened;
  first.destroy();
  await vi.waitFor(() => expect(streams.count()).toBe(0), 30_000);
  goOn.open();
  await sent.opened;

  const meanwhile = await emit(sql, someEvent());
  await vi.waitFor(async () => expect((await lastPosition(sql)).id).toBe(meanwhile.id), 30_000);
  const second = await streams.open(principal);
  const later = await emit(sql, someEvent());
  await vi.waitFor(() => expect(read).toContain(later.id), 30_000);
  expect(read).not.toContain(meanwhile.id);
  second.destroy();
  await vi.waitFor(() => expect(streams.count()).toBe(0), 30_000);
});

const SEED = Number(process.env.FEED_SEED ?? 20261115);
const WRITERS = 8;
const TRANSACTIONS = 40;

test(`eight writers that commit in any order (seed ${SEED}): the feed and the stream show every event once`, {
  tags: 'slow',
}, async () => {
  const chance = random(SEED);
  const emitted: string[] = [];
  const key = DEV_KEYS.admin;
  const stream = await openStream(app.url, key);
  const first = await app.call('GET', '/api/v1/events?limit=200', { key });
  let cursor: string = first.body.page.next_cursor;
  for (let page = first; page.body.page.has_more; cursor = page.body.page.next_cursor) {
    page = await app.call('GET', `/api/v1/events?limit=200&cursor=${cursor}`, { key });
  }
  const seen: string[] = [];
  let isOver = false;

  async function follow(): Promise<void> {
    for (;;) {
      const wasOver = isOver;
      const { body } = await app.call('GET', `/api/v1/events?limit=7&cursor=${cursor}`, { key });
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.page.next_cursor;
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
});

test('a stream beats while nothing happens, and ends when its key is disabled', async () => {
  const person = await createPerson(app);
  const streams = createEventStreams({
    sql,
    log: silentLog,
    listener: app.nexus.listener,
    heartbeatSeconds: 0.05,
    searched: createSearchedEvents({ sql, ...app.services }),
  });
  const principal = await app.services.authentication.withApiKey(person.key, { requestId: 'x', address: '' });
  const stream = await streams.open(principal);
  let text = '';
  stream.on('data', (chunk) => {
    text += chunk;
  });
  const ended = new Promise((resolve) => stream.once('close', resolve));
  await vi.waitFor(() => expect(text).toContain(': still here\n\n: still here\n\n'), 30_000);
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
