import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { openStream } from '../../../test/support/event-stream.ts';
import { createLibrary, createReader, join, type Reader } from '../../../test/support/libraries.ts';
import { saveReady } from '../../../test/support/saved-media.ts';
import { subscribeWebhooks } from '../webhooks/webhooks.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

const SELECTOR = [{ type: 'TextPositionSelector', start: 0, end: 4 }];
const target = { fragment_idx: 0, selector: SELECTOR };

let ana: Reader;
let ben: Reader;
let eve: Reader;
let libraryId: string;
let mediaId: string;

beforeAll(async () => {
  [ana, ben, eve] = [await createReader(app), await createReader(app), await createReader(app)];
  libraryId = await createLibrary(ana);
  mediaId = await saveReady(sql, ana, { texts: ['Some text.'] });
  await ana.post(`/libraries/${libraryId}/media`, { media_id: mediaId });
  await join(ana, libraryId, ben);
});

/** The events of highlights and replies that a person sees now, as the feed shows them. */
async function eventsOf(reader: Reader, highlightId: string): Promise<string[]> {
  const { body } = await reader.get('/api/v1/events?limit=200');
  return body.data
    .filter((event: { data: { highlight_id?: string } }) => event.data.highlight_id === highlightId)
    .map(({ type }: { type: string }) => type);
}

/** Waits until the author sees these events. The feed shows an event once all older transactions of the server have ended. */
const untilSeen = (highlightId: string, types: string[]) =>
  expect.poll(() => eventsOf(ana, highlightId), { timeout: 20_000 }).toEqual(types);

test('events are shown to those who see the highlight now', async () => {
  const made = await ana.post(`/api/v1/media/${mediaId}/highlights`, { target });
  const id: string = made.body.data.id;
  const visibility = { library_ids: [libraryId] };
  await untilSeen(id, ['highlight.created']);
  expect(await eventsOf(ben, id)).toEqual([]);

  await ana.patch(`/api/v1/highlights/${id}`, { visibility });
  await ben.post(`/api/v1/highlights/${id}/replies`, { body: `Hm, @${ana.user.username}` });
  const all = ['highlight.created', 'highlight.shared', 'reply.created'];
  await untilSeen(id, all);
  expect(await eventsOf(ben, id)).toEqual(all);
  expect(await eventsOf(eve, id)).toEqual([]);

  // Those who no longer see it see that it was changed, as its last event.
  await ana.patch(`/api/v1/highlights/${id}`, { visibility: 'private' });
  await ana.patch(`/api/v1/highlights/${id}`, { color: 'pink' });
  await untilSeen(id, ['highlight.created', 'highlight.shared', 'highlight.updated', 'highlight.updated']);
  expect(await eventsOf(ben, id)).toEqual(['reply.created', 'highlight.updated']);
});

test('the members of a library see that a shared highlight was deleted', async () => {
  const visibility = { library_ids: [libraryId] };
  const made = await ana.post(`/api/v1/media/${mediaId}/highlights`, { target, visibility });
  const id: string = made.body.data.id;
  await ana.delete(`/api/v1/highlights/${id}`);
  await untilSeen(id, ['highlight.created', 'highlight.deleted']);
  expect(await eventsOf(ben, id)).toEqual(['highlight.deleted']);
  expect(await eventsOf(eve, id)).toEqual([]);
});

describe('in several libraries', () => {
  let cyd: Reader;
  let other: string;
  let sharedId: string;
  let both: string[];

  beforeAll(async () => {
    cyd = await createReader(app);
    other = await createLibrary(ana);
    await join(ana, other, cyd);
    both = [libraryId, other];
    sharedId = await saveReady(sql, ana, { texts: ['Some text.'] });
    for (const id of both) await ana.post(`/libraries/${id}/media`, { media_id: sharedId });
  });

  const shareWithBoth = async (): Promise<string> =>
    (await ana.post(`/api/v1/media/${sharedId}/highlights`, { target, visibility: { library_ids: both } }))
      .body.data.id;
  const mentionAll = (id: string) =>
    ana.post(`/api/v1/highlights/${id}/replies`, {
      body: `@${ana.user.username} @${ben.user.username} @${cyd.user.username}`,
    });
  const unshare = (id: string) => ana.patch(`/api/v1/highlights/${id}`, { visibility: 'private' });

  type Data = Record<'library_ids' | 'former_library_ids' | 'mentioned_user_ids', string[] | undefined>;
  /** The libraries and people that an event names, in one order. */
  const namedIn = ({ library_ids, former_library_ids, mentioned_user_ids }: Data) =>
    (library_ids ?? former_library_ids ?? mentioned_user_ids)?.toSorted();

  async function namedTo(reader: Reader, highlightId: string) {
    const { body } = await reader.get('/api/v1/events?limit=200');
    return body.data
      .filter(({ data }: { data: { highlight_id?: string } }) => data.highlight_id === highlightId)
      .map(({ type, data }: { type: string; data: Data }) => [type, namedIn(data)]);
  }

  test('the feed names the libraries and the people that the viewer knows', async () => {
    const id = await shareWithBoth();
    await mentionAll(id);
    await untilSeen(id, ['highlight.created', 'reply.created']);
    expect(await namedTo(ana, id)).toEqual([
      ['highlight.created', both.toSorted()],
      ['reply.created', [ben.id, cyd.id].sort()],
    ]);
    expect(await namedTo(ben, id)).toEqual([
      ['highlight.created', [libraryId]],
      ['reply.created', [ben.id]],
    ]);
    // The highlight and the reply name the same libraries and people.
    const { body } = await ben.get(`/api/v1/highlights/${id}`);
    expect(body.data.visibility).toEqual({ library_ids: [libraryId] });
    const replies = await ben.get(`/api/v1/highlights/${id}/replies`);
    expect(replies.body.data[0].mentions).toMatchObject([{ id: ben.id }]);

    await ana.patch(`/api/v1/highlights/${id}`, { visibility: 'private' });
    await ana.patch(`/api/v1/highlights/${id}`, { visibility: { library_ids: both } });
    await untilSeen(id, ['highlight.created', 'reply.created', 'highlight.updated', 'highlight.shared']);
    expect((await namedTo(ana, id)).slice(2)).toEqual([
      ['highlight.updated', both.toSorted()],
      ['highlight.shared', both.toSorted()],
    ]);
    expect((await namedTo(cyd, id)).slice(2)).toEqual([
      ['highlight.updated', [other]],
      ['highlight.shared', [other]],
    ]);
  });

  test('the stream names the same, to each of its listeners', async () => {
    const types = 'highlight.created,highlight.updated,reply.created';
    const [author, known] = await Promise.all(
      [ana, ben].map(({ key }) => openStream(app.url, key, {}, { types })),
    );
    if (!author || !known) throw new Error('There are two streams.');
    const id = await shareWithBoth();
    await mentionAll(id);
    await Promise.all([author.has(2), known.has(2)]);
    await unshare(id);
    const named = async (stream: typeof author) =>
      (await stream.has(3)).map(({ type, event }) => [type, namedIn(event.data)]);
    expect(await named(author)).toEqual([
      ['highlight.created', both.toSorted()],
      ['reply.created', [ben.id, cyd.id].sort()],
      ['highlight.updated', both.toSorted()],
    ]);
    expect(await named(known)).toEqual([
      ['highlight.created', [libraryId]],
      ['reply.created', [ben.id]],
      ['highlight.updated', [libraryId]],
    ]);
    for (const stream of [author, known]) stream.close();
  });

  test('who joins after a highlight was unshared learns nothing of it; who was there does', async () => {
    const dan = await createReader(app);
    const [unshared, deleted] = [await shareWithBoth(), await shareWithBoth()];
    await unshare(unshared);
    await ana.delete(`/api/v1/highlights/${deleted}`);
    await ana.delete(`/libraries/${libraryId}/media/${sharedId}`);
    await join(ana, libraryId, dan);
    await untilSeen(unshared, ['highlight.created', 'highlight.updated']);
    await untilSeen(deleted, ['highlight.created', 'highlight.deleted']);
    for (const [id, last] of [
      [unshared, 'highlight.updated'],
      [deleted, 'highlight.deleted'],
    ] as const) {
      expect(await namedTo(ben, id)).toEqual([[last, [libraryId]]]);
      expect(await namedTo(dan, id)).toEqual([]);
    }
  });
});

test('webhooks get no event of a private highlight', async () => {
  const [hook] = await sql<{ id: string }[]>`
    insert into webhooks (id, url) values (gen_random_uuid(), 'http://127.0.0.1:9/') returning id`;
  const make = async (visibility: unknown) =>
    (await ana.post(`/api/v1/media/${mediaId}/highlights`, { target, visibility })).body.data.id as string;
  const [own, shared] = [await make('private'), await make({ library_ids: [libraryId] })];
  const events = await sql<never[]>`
    select * from outbox_event where aggregate_id = any(${[own, shared]}::text[]) order by id`;
  expect(events).toHaveLength(2);
  const subscriber = subscribeWebhooks(sql);
  if (!('batchHandler' in subscriber)) throw new Error('Webhooks handle batches.');
  await subscriber.batchHandler(events, new AbortController().signal);
  const delivered = await sql<{ body: string }[]>`
    select body from webhook_deliveries where webhook_id = ${hook?.id ?? ''}`;
  expect(delivered.map(({ body }) => JSON.parse(body).data.highlight_id)).toEqual([shared]);
});
