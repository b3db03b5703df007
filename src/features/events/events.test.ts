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
import { useServer } from '../../../test/support/server.ts';
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

const read = async (key: string, after?: string, limit = 200) => {
  const query = new URLSearchParams({ limit: String(limit), ...(after !== undefined && { after }) });
  const { status, body } = await app.call('GET', `/api/v1/events?${query}`, { key });
  expect(status, JSON.stringify(body)).toBe(200);
  return body as {
    events: { id: string; type: string; cursor: string; data: Record<string, string> }[];
    page: { next_cursor: string; has_more: boolean };
  };
};

/** Where the feed ends now. */
async function now(key: string): Promise<string> {
  for (let after: string | undefined; ; ) {
    const { page } = await read(key, after);
    after = page.next_cursor;
    if (!page.has_more) return after;
  }
}

describe('the feed', () => {
  test('holds what happened as CloudEvents, oldest first, page by page, each once', async () => {
    const start = await now(owner.key);
    const libraries = [];
    for (let n = 0; n < 5; n++) libraries.push(await createLibrary(owner, `Library ${n}`));
    const seen: string[] = [];
    let after = start;
    for (let pages = 0; ; pages++) {
      const { events, page } = await read(owner.key, after, 2);
      seen.push(...events.map(({ data }) => data.library_id ?? ''));
      after = page.next_cursor;
      if (page.has_more) continue;
      expect(pages).toBe(2);
      break;
    }
    expect(seen).toEqual(libraries);
    expect((await read(owner.key, after)).events).toEqual([]);
    const [first] = (await read(owner.key, start)).events;
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
    async (after) => {
      const answer = await app.call('GET', `/api/v1/events?after=${after}`, { key: owner.key });
      expect(answer).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    },
  );

  test('refuses a cursor of another database, which would hide what happens here', async () => {
    const after = writePosition({ transaction_id: '18446744073709551615', id: newId() });
    const answer = await app.call('GET', `/api/v1/events?after=${after}`, { key: owner.key });
    expect(answer).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test('waits for a transaction that began earlier and commits later, and then skips nothing', async () => {
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
    expect(before.events).toEqual([]);
    finish.open();
    const { id } = await late;
    const { events } = await read(DEV_KEYS.admin, before.page.next_cursor ?? start);
    expect(events.map((seen) => seen.id)).toEqual([id, early.id]);
  });
});

describe('everybody hears only what they may see at that moment', () => {
  const types = async (key: string, after: string) => (await read(key, after)).events.map(({ type }) => type);

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
    expect(await types(member.key, start)).toEqual(['invitation.created', 'invitation.accepted']);
    expect(await types(owner.key, start)).toEqual([...all, 'library.member_removed']);
    await owner.delete(`/libraries/${library}`);
    expect(await types(owner.key, start)).toEqual(['library.deleted']);
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

  test('a media: whoever can read it; that it was created: its saver; that it is gone: admins', async () => {
    const media_id = await saveMedia(sql, owner);
    await transaction(sql, (tx) => addToDefaultLibrary(tx, member.defaultLibraryId, media_id, member.id));
    const start = await now(owner.key);
    const payload = { media_id, kind: 'web_article' };
    const about = { aggregateType: 'media', aggregateId: media_id };
    const created = { ...payload, created_by_user_id: owner.id };
    await emit(sql, { ...about, eventType: 'media.created', payload: created });
    await emit(sql, { ...about, eventType: 'media.ready', payload });
    await emit(sql, { ...about, eventType: 'media.deleted', payload });
    const run = {
      analysis_run_id: newId(),
      document_id: media_id,
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
  test('tells what happens from now on, as it happens, to those who may hear it', async () => {
    await createLibrary(owner, 'Before');
    const [mine, theirs] = [await openStream(app.url, owner.key), await openStream(app.url, stranger.key)];
    expect(mine.response.headers['content-type']).toContain('text/event-stream');
    const library = await createLibrary(owner, 'During');
    const [streamed] = await mine.has(1);
    expect(streamed).toMatchObject({ type: 'library.created', event: { data: { library_id: library } } });
    await createLibrary(stranger, 'Other');
    expect((await theirs.has(1)).map(({ event }) => event.data.name)).toEqual(['Other']);
    expect(mine.events).toHaveLength(1);
    mine.close();
    theirs.close();
  });

  test('is taken up with Last-Event-ID: nothing is missing, nothing comes twice', async () => {
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

  test('of somebody who was removed shows nothing more from that library', async () => {
    const library = await createLibrary(owner);
    await join(owner, library, member);
    const stream = await openStream(app.url, member.key);
    const add = async () =>
      owner.post(`/libraries/${library}/media`, { media_id: await saveMedia(sql, owner) });
    await add();
    expect(await stream.has(1)).toMatchObject([{ type: 'library.media_added' }]);
    await owner.delete(`/libraries/${library}/members/${member.id}`);
    await add();
    const own = await createLibrary(member, 'A sign that all before it was looked at');
    expect((await stream.has(2)).slice(1)).toMatchObject([
      { type: 'library.created', event: { data: { library_id: own } } },
    ]);
    stream.close();
  });

  test('closes when its reader goes, and costs nothing any more', async () => {
    const stream = await openStream(app.url, owner.key);
    await vi.waitFor(() => expect(app.services.eventStreams.count()).toBe(1), 30_000);
    stream.close();
    await vi.waitFor(() => expect(app.services.eventStreams.count()).toBe(0), 30_000);
  });

  test('waits for a slow transaction, too, and then tells all in order', async () => {
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
