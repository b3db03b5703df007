import { beforeAll, describe, expect, test, vi } from 'vitest';
import { createPerson, DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { openStream } from '../../../test/support/event-stream.ts';
import { gate } from '../../../test/support/jobs.ts';
import {
  createLibrary,
  createReader,
  join,
  type Reader,
  saveMedia,
} from '../../../test/support/libraries.ts';
import { emit, someEvent } from '../../../test/support/outbox.ts';
import { saveReady } from '../../../test/support/saved-media.ts';
import { useServer } from '../../../test/support/server.ts';
import type { CloudEvent } from '../../contract/events.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { emitEvent } from '../../platform/outbox/emit-event.ts';
import { writePosition } from '../../platform/outbox/position.ts';
import { addToDefaultLibrary } from '../libraries/closure/closure.ts';

const database = await useServer();
const { sql } = database;
const app = useApp(database, {}, { listen: true });

let owner: Reader;
let member: Reader;
let stranger: Reader;

beforeAll(async () => {
  [owner, member, stranger] = [await createReader(app), await createReader(app), await createReader(app)];
});

const read = async (
  key: string,
  cursor?: string,
  { limit = 200, types }: { limit?: number; types?: string } = {},
) => {
  const query = new URLSearchParams({
    limit: String(limit),
    ...(cursor !== undefined && { cursor }),
    ...(types !== undefined && { types }),
  });
  const { status, body } = await app.call('GET', `/api/v1/events?${query}`, { key });
  expect(status, JSON.stringify(body)).toBe(200);
  return body as {
    data: { id: string; type: string; cursor: string; data: Record<string, string> }[];
    page: { next_cursor: string; has_more: boolean };
  };
};

/** The cursor of the end of the feed. */
async function now(key: string): Promise<string> {
  for (let cursor: string | undefined; ; ) {
    const { page } = await read(key, cursor);
    cursor = page.next_cursor;
    if (!page.has_more) return cursor;
  }
}

describe('the feed', () => {
  test('returns CloudEvents, oldest first, page by page, each once', async () => {
    const start = await now(owner.key);
    const libraries = [];
    for (let n = 0; n < 5; n++) libraries.push(await createLibrary(owner, `Library ${n}`));
    const seen: string[] = [];
    let cursor = start;
    for (let pages = 0; ; pages++) {
      const { data: events, page } = await read(owner.key, cursor, { limit: 2 });
      seen.push(...events.map(({ data }) => data.library_id ?? ''));
      cursor = page.next_cursor;
      if (page.has_more) continue;
      expect(pages).toBe(2);
      break;
    }
    expect(seen).toEqual(libraries);
    expect((await read(owner.key, cursor)).data).toEqual([]);
    const [first] = (await read(owner.key, start)).data;
    expect(first).toEqual({
      specversion: '1.0',
      id: expect.any(String),
      source: '/nexus',
      type: 'library.created',
      subject: `library/${libraries[0]}`,
      time: expect.any(String),
      datacontenttype: 'application/json',
      schemaversion: 1,
      requestid: expect.any(String),
      cursor: expect.any(String),
      data: { library_id: libraries[0], name: 'Library 0', owner_user_id: owner.id },
    });
  });

  test.each(['nonsense', Buffer.from('1 not-an-id').toString('base64url'), 'a'.repeat(201)])(
    'refuses the cursor %s',
    async (cursor) => {
      for (const name of ['cursor', 'after']) {
        const answer = await app.call('GET', `/api/v1/events?${name}=${cursor}`, { key: owner.key });
        expect(answer).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
      }
    },
  );

  test('refuses a cursor of another database, which would hide events of this one', async () => {
    const cursor = writePosition({ transaction_id: '18446744073709551615', id: newId() });
    for (const name of ['cursor', 'after']) {
      const answer = await app.call('GET', `/api/v1/events?${name}=${cursor}`, { key: owner.key });
      expect(answer).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    }
  });

  test('takes its cursor also as `after`, as before', async () => {
    const start = await now(owner.key);
    const library = await createLibrary(owner);
    for (const name of ['cursor', 'after']) {
      const { status, body } = await app.call('GET', `/api/v1/events?${name}=${start}`, { key: owner.key });
      expect(status).toBe(200);
      expect(body.data).toMatchObject([{ type: 'library.created', data: { library_id: library } }]);
      expect(body.page).toEqual({ next_cursor: body.data[0].cursor, has_more: false });
    }
  });

  test('has 50 events on a page unless the request says otherwise', async () => {
    const reader = await createReader(app);
    const library = await createLibrary(reader);
    const start = await now(reader.key);
    const tell = () => ({
      ...someEvent({ aggregateId: library, idempotencyKey: newId() }),
      payload: { library_id: library, name: 'again', owner_user_id: reader.id },
    });
    await transaction(sql, async (tx) => {
      for (let n = 0; n < 51; n++) await emitEvent(tx, tell());
    });
    const { body } = await app.call('GET', `/api/v1/events?cursor=${start}`, { key: reader.key });
    expect(body.data).toHaveLength(50);
    expect(body.page).toEqual({ next_cursor: body.data[49].cursor, has_more: true });
    expect((await read(reader.key, body.page.next_cursor)).data).toHaveLength(1);
    for (const limit of [0, 201]) {
      expect(await app.call('GET', `/api/v1/events?limit=${limit}`, { key: reader.key })).toMatchObject(
        failure(400, 'E_INVALID_REQUEST'),
      );
    }
  });

  test('shows only the requested types, and its cursor moves past the others', async () => {
    const start = await now(owner.key);
    const library = await createLibrary(owner);
    await join(owner, library, member);
    await owner.patch(`/libraries/${library}`, { name: 'Renamed' });
    await owner.delete(`/libraries/${library}/members/${member.id}`);
    const types = 'library.renamed,library.created';
    const wanted = ['library.created', 'library.renamed'];
    const all = await read(owner.key, start, { types });
    expect(all.data.map(({ type }) => type)).toEqual(wanted);
    expect(all.page).toEqual({ next_cursor: await now(owner.key), has_more: false });
    expect((await read(owner.key, all.page.next_cursor)).data).toEqual([]);
    const first = await read(owner.key, start, { types, limit: 1 });
    expect(first.page.has_more).toBe(true);
    const second = await read(owner.key, first.page.next_cursor, { types, limit: 1 });
    expect([...first.data, ...second.data].map(({ type }) => type)).toEqual(wanted);
    expect(second.page).toEqual(all.page);
    expect((await read(owner.key, start, { types: 'library.member_removed' })).data).toMatchObject([
      { type: 'library.member_removed', data: { user_id: member.id } },
    ]);
  });

  test('shows nobody more for asking for a type', async () => {
    const start = await now(owner.key);
    await createLibrary(owner);
    expect((await read(stranger.key, start, { types: 'library.created' })).data).toEqual([]);
  });

  test.each(['no.such', 'library.created,no.such', 'library.created,', ''])(
    'and the stream refuse the types %j',
    async (types) => {
      for (const path of ['events', 'events/stream']) {
        const answer = await app.call('GET', `/api/v1/${path}?types=${types}`, { key: owner.key });
        expect(answer).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
        expect(answer.body.error.message).toContain('types');
      }
    },
  );

  test('waits for a transaction that began earlier and commits later, and skips nothing', async () => {
    const start = await now(DEV_KEYS.admin);
    const [slow] = database.twoConnections();
    const [begun, finish] = [gate(), gate()];
    const event = (aggregateId: string) => ({
      eventType: 'api_key.created' as const,
      aggregateType: 'api_key',
      aggregateId,
      payload: {
        api_key_id: aggregateId,
        user_id: owner.id,
        owner: 'x',
        prefix: 'x',
        role: 'viewer' as const,
      },
    });
    const late = transaction(slow, async (tx) => {
      const emitted = await emitEvent(tx, event(newId()));
      begun.open();
      await finish.opened;
      return emitted;
    });
    await begun.opened;
    const early = await emit(sql, event(newId()));
    const before = await read(DEV_KEYS.admin, start);
    expect(before.data).toEqual([]);
    finish.open();
    const { id } = await late;
    const { data: events } = await read(DEV_KEYS.admin, before.page.next_cursor ?? start);
    expect(events.map((seen) => seen.id)).toEqual([id, early.id]);
  });
});

describe('events are shown only to those who may see them at that moment', () => {
  const types = async (key: string, cursor: string) => (await read(key, cursor)).data.map(({ type }) => type);

  test('members of a library, while they are in it', async () => {
    const media_id = await saveMedia(sql, owner);
    const start = await now(owner.key);
    const library = await createLibrary(owner);
    await join(owner, library, member);
    await owner.post(`/libraries/${library}/media`, { media_id });
    const all = [
      'library.created',
      'invitation.created',
      'invitation.accepted',
      'library.member_added',
      'library.media_added',
    ];
    expect(await types(owner.key, start)).toEqual(all);
    expect(await types(member.key, start)).toEqual(all);
    expect(await types(stranger.key, start)).toEqual([]);
    await owner.delete(`/libraries/${library}/members/${member.id}`);
    const invited = ['invitation.created', 'invitation.accepted'];
    expect(await types(member.key, start)).toEqual([...invited, 'library.member_removed']);
    expect(await types(owner.key, start)).toEqual([...all, 'library.member_removed']);
    await owner.delete(`/libraries/${library}`);
    expect(await types(owner.key, start)).toEqual(['library.deleted']);
    expect(await types(member.key, start)).toEqual([...invited, 'library.member_removed']);
  });

  test('a deleted library: everybody who was a member, and nobody learns who the others were', async () => {
    const library = await createLibrary(owner);
    await join(owner, library, member);
    await join(owner, library, stranger);
    await owner.delete(`/libraries/${library}/members/${stranger.id}`);
    const start = await now(owner.key);
    await owner.delete(`/libraries/${library}`);
    for (const { key } of [owner, member]) {
      expect((await read(key, start)).data).toMatchObject([
        { type: 'library.deleted', data: { library_id: library, owner_user_id: owner.id } },
      ]);
    }
    expect((await read(member.key, start)).data[0]?.data).not.toHaveProperty('user_ids');
    expect(await types(stranger.key, start)).toEqual([]);
  });

  test('a new name and a new role: the members', async () => {
    const library = await createLibrary(owner);
    await join(owner, library, member);
    const start = await now(owner.key);
    await owner.patch(`/libraries/${library}`, { name: 'Renamed' });
    await owner.patch(`/libraries/${library}/members/${member.id}`, { role: 'admin' });
    expect((await read(member.key, start)).data).toMatchObject([
      { type: 'library.renamed', data: { library_id: library, name: 'Renamed' } },
      { type: 'library.member_role_changed', data: { user_id: member.id, role: 'admin' } },
    ]);
    expect(await types(stranger.key, start)).toEqual([]);
  });

  test('an invitation: the invited person, and the admins of the library', async () => {
    const library = await createLibrary(owner);
    await join(owner, library, stranger);
    const start = await now(owner.key);
    await owner.post(`/libraries/${library}/invites`, { invitee_user_id: member.id, role: 'member' });
    expect(await types(member.key, start)).toEqual(['invitation.created']);
    expect(await types(owner.key, start)).toEqual(['invitation.created']);
    expect(await types(stranger.key, start)).toEqual([]);
  });

  test('a media: whoever can read it; its creation: its saver; its deletion: admins', async () => {
    const media_id = await saveMedia(sql, owner);
    await transaction(sql, (tx) =>
      addToDefaultLibrary(tx, member.defaultLibraryId, [{ media_id }], { userId: member.id }),
    );
    const start = await now(owner.key);
    const payload = { media_id, kind: 'web_article' };
    const about = { aggregateType: 'media', aggregateId: media_id };
    const created = { ...payload, created_by_user_id: owner.id };
    await emit(sql, { ...about, eventType: 'media.created', payload: created });
    await emit(sql, { ...about, eventType: 'media.ready', payload });
    await emit(sql, { ...about, eventType: 'media.deleted', payload });
    const run = {
      analysis_run_id: newId(),
      media_id,
      layer_count: 9,
      created_by_user_id: owner.id,
    };
    await emit(sql, {
      eventType: 'analysis.completed',
      aggregateType: 'analysis',
      aggregateId: run.analysis_run_id,
      payload: run,
    });
    expect(await types(owner.key, start)).toEqual(['media.created', 'media.ready', 'analysis.completed']);
    expect(await types(member.key, start)).toEqual(['media.ready']);
    expect(await types(stranger.key, start)).toEqual([]);
    expect(await types(DEV_KEYS.admin, start)).toEqual(['media.deleted']);
  });

  test('an analysis of version 1, which names its document document_id: the same people', async () => {
    const document_id = await saveMedia(sql, owner);
    const start = await now(owner.key);
    const { id } = await emit(sql, {
      eventType: 'analysis.completed',
      aggregateType: 'analysis',
      aggregateId: newId(),
      payload: {
        analysis_run_id: newId(),
        media_id: document_id,
        layer_count: 9,
        created_by_user_id: owner.id,
      },
    });
    const [current] = (await read(owner.key, start)).data;
    expect(current).toMatchObject({ id, schemaversion: 2, data: { media_id: document_id } });
    await sql`
      update outbox_event
      set schema_version = 1, payload = payload - 'media_id' || jsonb_build_object('document_id', ${document_id}::text)
      where id = ${id}`;
    const [former] = (await read(owner.key, start)).data;
    expect(former).toMatchObject({ id, schemaversion: 1, data: { document_id } });
    expect(former?.data).not.toHaveProperty('media_id');
    expect(await types(stranger.key, start)).toEqual([]);
  });

  test('a job: its submitter and admins; a key: admins', async () => {
    const start = await now(DEV_KEYS.admin);
    const operator = await createPerson(app, { role: 'operator' });
    const viewer = await createPerson(app, { role: 'viewer' });
    const submitted = await app.call('POST', '/api/v1/jobs/submit', {
      key: operator.key,
      body: { job_type: 'integrity_audit', execution_mode: 'sync' },
    });
    expect(submitted.status).toBe(200);
    expect(await types(operator.key, start)).toEqual(['job.succeeded']);
    expect(await types(DEV_KEYS.operator, start)).toEqual([]);
    expect(await types(viewer.key, start)).toEqual([]);
    expect(await types(DEV_KEYS.admin, start)).toEqual([
      'api_key.created',
      'api_key.created',
      'job.succeeded',
    ]);
    await sql`update outbox_event set payload = payload || jsonb_build_object('created_by_user_id', ${viewer.user.id}::text)
      where event_type = 'job.succeeded'`;
    expect(await types(viewer.key, start)).toEqual(['job.succeeded']);
  });
});

describe('a stream', () => {
  test('sends events as they happen to those who may see them', async () => {
    await createLibrary(owner, 'Before');
    const [mine, theirs] = [await openStream(app.url, owner.key), await openStream(app.url, stranger.key)];
    expect(mine.response.headers['content-type']).toContain('text/event-stream');
    const library = await createLibrary(owner, 'During');
    const [streamed] = await mine.has(1);
    expect(streamed).toMatchObject({ type: 'library.created', event: { data: { library_id: library } } });
    // Its messages have no name, so that an EventSource gives all of them to `onmessage`.
    expect(streamed?.name).toBeUndefined();
    await createLibrary(stranger, 'Other');
    expect((await theirs.has(1)).map(({ event }) => event.data.name)).toEqual(['Other']);
    expect(mine.events).toHaveLength(1);
    mine.close();
    theirs.close();
  });

  test('is resumed with Last-Event-ID: nothing is missing, nothing is repeated', async () => {
    const start = await now(owner.key);
    const expected: string[] = [];
    for (let n = 0; n < 3; n++) expected.push(await createLibrary(owner));
    const seen: string[] = [];
    let last = start;
    for (let n = 0; n < 3; n++) {
      const stream = await openStream(app.url, owner.key, { 'last-event-id': last });
      const [first] = await stream.has(1);
      seen.push(first?.event.data.library_id);
      last = first?.cursor ?? '';
      stream.close();
    }
    expect(seen).toEqual(expected);
    const stream = await openStream(app.url, owner.key, { 'last-event-id': last });
    const next = await createLibrary(owner);
    expect((await stream.has(1)).map(({ event }) => event.data.library_id)).toEqual([next]);
    stream.close();
    const refused = await app.call('GET', '/api/v1/events/stream', {
      key: owner.key,
      headers: { 'last-event-id': 'nonsense' },
    });
    expect(refused).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test.each(['cursor', 'after'])('starts after the event that `%s` names', async (name) => {
    const start = await now(owner.key);
    const missed = await createLibrary(owner);
    const stream = await openStream(app.url, owner.key, {}, { [name]: start });
    expect(await stream.has(1)).toMatchObject([{ event: { data: { library_id: missed } } }]);
    const next = await createLibrary(owner);
    expect((await stream.has(2))[1]).toMatchObject({ event: { data: { library_id: next } } });
    stream.close();
    const refused = await app.call('GET', `/api/v1/events/stream?${name}=nonsense`, { key: owner.key });
    expect(refused).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test('prefers Last-Event-ID to its query, which a client keeps when it reconnects', async () => {
    const start = await now(owner.key);
    await createLibrary(owner);
    const last = await now(owner.key);
    const next = await createLibrary(owner);
    for (const name of ['cursor', 'after']) {
      const stream = await openStream(app.url, owner.key, { 'last-event-id': last }, { [name]: start });
      expect(await stream.has(1)).toMatchObject([{ event: { data: { library_id: next } } }]);
      stream.close();
    }
  });

  test('sends only the requested types, of past events and of new ones', async () => {
    const types = 'library.renamed,library.deleted';
    const start = await now(owner.key);
    const library = await createLibrary(owner);
    await owner.patch(`/libraries/${library}`, { name: 'Before' });
    const stream = await openStream(app.url, owner.key, {}, { cursor: start, types });
    const all = await openStream(app.url, owner.key, {}, { cursor: start });
    await stream.has(1);
    const other = await createLibrary(owner);
    await owner.patch(`/libraries/${other}`, { name: 'During' });
    await all.has(4);
    await owner.patch(`/libraries/${other}`, { name: 'The last one' });
    expect((await stream.has(3)).map(({ type, event }) => [type, event.data.name])).toEqual([
      ['library.renamed', 'Before'],
      ['library.renamed', 'During'],
      ['library.renamed', 'The last one'],
    ]);
    expect((await all.has(5)).map(({ type }) => type)).toEqual([
      'library.created',
      'library.renamed',
      'library.created',
      'library.renamed',
      'library.renamed',
    ]);
    const resumed = await openStream(
      app.url,
      owner.key,
      { 'last-event-id': stream.events[0]?.cursor ?? '' },
      { types },
    );
    expect((await resumed.has(2)).map(({ event }) => event.data.name)).toEqual(['During', 'The last one']);
    for (const one of [stream, all, resumed]) one.close();
  });

  test('is not opened by HEAD, which answers with the same headers', async () => {
    const { eventStreams } = app.services;
    await vi.waitFor(() => expect(eventStreams.count()).toBe(0), 30_000);
    const opened = vi.spyOn(eventStreams, 'open');
    const head = (query: string, headers: Record<string, string>) =>
      fetch(`${app.url}/api/v1/events/stream${query}`, { method: 'HEAD', headers });
    const answer = await head('?types=library.created', { 'x-nexus-api-key': owner.key });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.text()).toBe('');
    expect(opened).not.toHaveBeenCalled();
    expect(eventStreams.count()).toBe(0);
    const metrics = await app.call('GET', '/metrics/prometheus');
    expect(metrics.body).toMatch(/^nexus_event_streams_open(\{[^}]*\})? 0$/m);
    expect((await head('?types=no.such', { 'x-nexus-api-key': owner.key })).status).toBe(400);
    expect((await head('', {})).status).toBe(401);
    opened.mockRestore();
  });

  test('of a removed member ends with their removal, and shows nothing else of that library', async () => {
    const library = await createLibrary(owner);
    await join(owner, library, member);
    const stream = await openStream(app.url, member.key);
    const add = async () =>
      owner.post(`/libraries/${library}/media`, { media_id: await saveMedia(sql, owner) });
    await add();
    expect(await stream.has(1)).toMatchObject([{ type: 'library.media_added' }]);
    await owner.delete(`/libraries/${library}/members/${member.id}`);
    await add();
    const own = await createLibrary(member, 'All events before this one were read');
    expect((await stream.has(3)).slice(1)).toMatchObject([
      { type: 'library.member_removed', event: { data: { library_id: library, user_id: member.id } } },
      { type: 'library.created', event: { data: { library_id: own } } },
    ]);
    stream.close();
  });

  test('that is resumed after a removal, a deletion or leaving starts with it', async () => {
    const libraries = [await createLibrary(owner), await createLibrary(owner), await createLibrary(owner)];
    const [removedFrom, deleted, left] = libraries;
    for (const library of libraries) await join(owner, library, member);
    const stream = await openStream(app.url, member.key);
    await owner.patch(`/libraries/${removedFrom}`, { name: 'The last event before the connection is lost' });
    const [last] = await stream.has(1);
    stream.close();
    await owner.delete(`/libraries/${removedFrom}/members/${member.id}`);
    await owner.patch(`/libraries/${removedFrom}`, { name: 'Nothing to them any more' });
    await owner.delete(`/libraries/${deleted}`);
    await member.delete(`/libraries/${left}/members/${member.id}`);
    const resumed = await openStream(app.url, member.key, { 'last-event-id': last?.cursor ?? '' });
    const own = await createLibrary(member);
    expect(await resumed.has(4)).toMatchObject([
      { type: 'library.member_removed', event: { data: { library_id: removedFrom } } },
      { type: 'library.deleted', event: { data: { library_id: deleted } } },
      { type: 'library.member_removed', event: { data: { library_id: left } } },
      { type: 'library.created', event: { data: { library_id: own } } },
    ]);
    resumed.close();
  });

  test('begins with its position, so that a client without any event resumes there', async () => {
    const stream = await fetch(`${app.url}/api/v1/events/stream`, {
      headers: { 'x-nexus-api-key': owner.key },
    });
    const reader = stream.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    await reader?.cancel();
    const [, id = ''] = /^id: (\S+)$/m.exec(first) ?? [];
    const missed = await createLibrary(owner);
    const resumed = await openStream(app.url, owner.key, { 'last-event-id': id });
    expect(await resumed.has(1)).toMatchObject([{ event: { data: { library_id: missed } } }]);
    resumed.close();
  });

  test('closes when its client disconnects', async () => {
    const stream = await openStream(app.url, owner.key);
    await vi.waitFor(() => expect(app.services.eventStreams.count()).toBe(1), 30_000);
    stream.close();
    await vi.waitFor(() => expect(app.services.eventStreams.count()).toBe(0), 30_000);
  });

  test('waits for a slow transaction, too, and sends all events in order', async () => {
    const stream = await openStream(app.url, owner.key);
    const [slow] = database.twoConnections();
    const [begun, finish] = [gate(), gate()];
    const [first, second] = [await createLibrary(owner), await createLibrary(owner)];
    await stream.has(2);
    const tell = (library_id: string) => ({
      ...someEvent({ aggregateId: library_id, idempotencyKey: newId() }),
      payload: { library_id, name: 'again', owner_user_id: owner.id },
    });
    const late = transaction(slow, async (tx) => {
      await emitEvent(tx, tell(first));
      begun.open();
      await finish.opened;
    });
    await begun.opened;
    await emit(sql, tell(second));
    finish.open();
    await late;
    const told = (await stream.has(4)).slice(2).map(({ event }) => event.data.library_id);
    expect(told).toEqual([first, second]);
    stream.close();
  });
});

describe('of a saved search', () => {
  test('the feed and the stream have the events of media that match it now, for its owner alone', async () => {
    const start = await now(owner.key);
    const [tides, sand] = [
      await saveReady(sql, owner, { title: 'Tides' }),
      await saveReady(sql, owner, { title: 'Sand' }),
    ];
    const { body } = await owner.post('/api/v1/saved-searches', { name: 'Seas', query: 'tag:sea' });
    const saved_search_id: string = body.data.id;
    const stream = await openStream(app.url, owner.key, {}, { saved_search_id });
    const tag = async (mediaId: string, tags: string[]) => {
      expect((await owner.patch(`/api/v1/media/${mediaId}/mine`, { tags })).status).toBe(200);
    };
    await tag(sand, ['beach']);
    await createLibrary(owner, 'No media');
    await tag(tides, ['sea']);
    await stream.has(1);
    await tag(tides, []);
    await tag(sand, ['sea/shore']);
    await stream.has(2);
    expect(stream.events.map(({ type, event }) => [type, event.data.media_id])).toEqual([
      ['media.tagged', tides],
      ['media.tagged', sand],
    ]);

    const query = `saved_search_id=${saved_search_id}`;
    const feed = await owner.get(`/api/v1/events?cursor=${start}&${query}`);
    const told = feed.body.data.map(({ type, data }: CloudEvent) => [type, data.media_id]);
    // Tides no longer matches; the older events of Sand are about a media that matches now.
    expect(told).toEqual([
      ['library.media_added', sand],
      ['media.tagged', sand],
      ['media.tagged', sand],
    ]);
    expect(feed.body.page.next_cursor).toBe(await now(owner.key));
    const typed = await owner.get(`/api/v1/events?cursor=${start}&${query}&types=library.created`);
    expect(typed.body.data).toEqual([]);
    for (const path of [`events?${query}`, `events/stream?${query}`])
      expect(await stranger.get(`/api/v1/${path}`)).toMatchObject(failure(404, 'E_NOT_FOUND'));

    await owner.delete(`/api/v1/saved-searches/${saved_search_id}`);
    await tag(sand, ['sea']);
    await stream.ended;
    expect(stream.events).toHaveLength(2);
  });
});
