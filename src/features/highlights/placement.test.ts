import { beforeAll, describe, expect, test, vi } from 'vitest';
import { useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { createLibrary, createReader, findings, join, type Reader } from '../../../test/support/libraries.ts';
import { saveReady } from '../../../test/support/saved-media.ts';
import { selectorsOf } from '../../contract/highlight-selectors.ts';
import type { Highlight } from '../../contract/highlights.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { emitMediaEvents } from '../media/events.ts';
import { replaceByKnown } from '../media/saving/unite-media.ts';
import { importHighlights } from './import-highlights.ts';
import { createHighlightCheck } from './integrity.ts';
import { createPlacement, moveHighlights } from './placement.ts';
import { highlightWork } from './work.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const run = (async (name: keyof typeof highlightWork, input: never) => highlightWork[name](input)) as never;
const { place } = createPlacement({ sql, run });

const FIRST = 'The harbour froze in January. Nobody had seen ice on the harbour before.';
const SECOND = 'In March the boats went out again, and nobody spoke of the winter.';

let ana: Reader;
beforeAll(async () => {
  ana = await createReader(app);
});

async function mark(reader: Reader, mediaId: string, exact: string, fields: object = {}): Promise<Highlight> {
  const idx = FIRST.includes(exact) ? 0 : 1;
  const target = { fragment_idx: idx, selector: [{ type: 'TextQuoteSelector', exact }] };
  const { status, body } = await reader.post(`/api/v1/media/${mediaId}/highlights`, { target, ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data;
}

/** Replaces the text of a media, as extracting it anew does. */
async function replaceText(tx: Transaction, mediaId: string, texts: string[]): Promise<void> {
  await tx`delete from media_fragments where media_id = ${mediaId}`;
  await tx`
    insert into media_fragments (id, media_id, idx, html_sanitized, canonical_text)
    select gen_random_uuid(), ${mediaId}, place - 1, '', text
    from unnest(${texts}::text[]) with ordinality as given (text, place)`;
}

const read = async (id: string, reader = ana) =>
  (await reader.get(`/api/v1/highlights/${id}`)).body.data as Highlight;

describe('when a text is extracted anew', () => {
  test('highlights find their passages again, and those that do not are kept', async () => {
    const mediaId = await saveReady(sql, ana, { texts: [FIRST, SECOND] });
    const [ice, boats] = [
      await mark(ana, mediaId, 'seen ice'),
      await mark(ana, mediaId, 'the boats went out'),
    ];
    await transaction(sql, (tx) => replaceText(tx, mediaId, ['A new heading.', `${SECOND} The end.`]));
    expect((await read(boats.id)).is_placed).toBe(false);

    expect(await place(mediaId)).toEqual({ placed: 1, lost: 1 });
    const placed = await read(boats.id);
    expect(placed).toMatchObject({ is_placed: true, target: { fragment_idx: 1 } });
    expect(selectorsOf(placed).quote.suffix).toContain('The end.');
    expect(await read(ice.id)).toMatchObject({
      is_placed: false,
      fragment_id: null,
      target: { selector: [{ start: 41, end: 49 }, { exact: 'seen ice' }] },
    });
    const unplaced = await ana.get('/api/v1/highlights?is=unplaced');
    expect(unplaced.body.data).toMatchObject([{ id: ice.id }]);
    expect(await findings(sql, createHighlightCheck(sql))).toEqual([]);

    // The old text comes back, and the passage with it.
    await transaction(sql, (tx) => replaceText(tx, mediaId, [FIRST]));
    expect(await place(mediaId)).toEqual({ placed: 1, lost: 1 });
    expect(await read(ice.id)).toMatchObject({ is_placed: true });
  });

  test('a passage over two fragments finds its place, and its context ends with the second one', async () => {
    const mediaId = await saveReady(sql, ana, { texts: [FIRST, SECOND, FIRST] });
    const exact = 'harbour before.\nIn March';
    const { id } = await mark(ana, mediaId, exact, {
      target: { fragment_idx: 0, selector: [{ type: 'TextQuoteSelector', exact }] },
    });
    await transaction(sql, (tx) => replaceText(tx, mediaId, ['A heading.', FIRST, SECOND, 'The end.']));
    expect(await place(mediaId)).toEqual({ placed: 1, lost: 0 });
    const placed = await read(id);
    expect(placed).toMatchObject({ is_placed: true, target: { fragment_idx: 1 } });
    expect(selectorsOf(placed).quote).toMatchObject({ exact, suffix: SECOND.slice(8) });
    expect(await findings(sql, createHighlightCheck(sql))).toEqual([]);
  });

  test('a lost passage is put right by hand', async () => {
    const mediaId = await saveReady(sql, ana, { texts: [FIRST] });
    const { id } = await mark(ana, mediaId, 'seen ice');
    await transaction(sql, (tx) => replaceText(tx, mediaId, [SECOND]));
    expect(await place(mediaId)).toEqual({ placed: 0, lost: 1 });
    const target = { fragment_idx: 0, selector: [{ type: 'TextQuoteSelector', exact: 'the winter' }] };
    const moved = await ana.patch(`/api/v1/highlights/${id}`, { target });
    expect(moved).toMatchObject({ status: 200, body: { data: { id, is_placed: true } } });
    expect(await findings(sql, createHighlightCheck(sql))).toEqual([]);
  });

  test('many highlights are placed in batches', async () => {
    const reader = await createReader(app);
    const mediaId = await saveReady(sql, reader, { texts: [FIRST] });
    for (let index = 0; index < 130; index += 1) await mark(reader, mediaId, 'seen ice');
    await transaction(sql, (tx) => replaceText(tx, mediaId, [`First. ${FIRST}`]));
    expect(await place(mediaId)).toEqual({ placed: 130, lost: 0 });
  });

  test('a job places them after the event that tells of the new text', async () => {
    const mediaId = await saveReady(sql, ana, { texts: [FIRST] });
    const { id } = await mark(ana, mediaId, 'seen ice');
    await transaction(sql, async (tx) => {
      await replaceText(tx, mediaId, [`It was cold. ${FIRST}`]);
      await emitMediaEvents(tx, 'media.ready', [{ media_id: mediaId, kind: 'web_article' }]);
    });
    const worker = await app.engine.work({ concurrency: 2, pollSeconds: 0.1, graceSeconds: 10 });
    await vi.waitFor(async () => expect(await read(id)).toMatchObject({ is_placed: true }), 20_000);
    await worker.stop();
    expect(selectorsOf(await read(id)).position.start).toBe(54);
  });
});

describe('when a media replaces another', () => {
  test('highlights move to it with their shares and replies, and find their place', async () => {
    const [ben, libraryId] = [await createReader(app), await createLibrary(ana)];
    const loser = await saveReady(sql, ana, { texts: [FIRST, SECOND] });
    const winner = await saveReady(sql, ben, { texts: [SECOND] });
    await ana.post(`/libraries/${libraryId}/media`, { media_id: loser });
    await join(ana, libraryId, ben);
    const shared = await mark(ana, loser, 'the boats went out', { visibility: { library_ids: [libraryId] } });
    const own = await mark(ana, loser, 'seen ice');
    await ben.post(`/api/v1/highlights/${shared.id}/replies`, { body: 'Where to?' });

    await transaction(sql, (tx) => replaceByKnown(tx, loser, winner, moveHighlights));
    expect(await place(winner)).toEqual({ placed: 1, lost: 1 });
    expect(await read(shared.id, ben)).toMatchObject({
      media_id: winner,
      is_placed: true,
      reply_count: 1,
      visibility: { library_ids: [libraryId] },
    });
    expect(await read(own.id)).toMatchObject({ media_id: winner, is_placed: false });
    expect((await ben.get(`/api/v1/highlights/${own.id}`)).status).toBe(404);
    expect(await findings(sql, createHighlightCheck(sql))).toEqual([]);
  });
});

test('a highlight that is shared with a library without its media stays private when the media is replaced', async () => {
  const [ben, libraryId] = [await createReader(app), await createLibrary(ana)];
  const [loser, winner] = [
    await saveReady(sql, ana, { texts: [FIRST] }),
    await saveReady(sql, ana, { texts: [FIRST] }),
  ];
  for (const media_id of [loser, winner]) await ana.post(`/libraries/${libraryId}/media`, { media_id });
  await join(ana, libraryId, ben);
  const { id } = await mark(ana, loser, 'seen ice', { visibility: { library_ids: [libraryId] } });
  await ana.delete(`/libraries/${libraryId}/media/${loser}`);
  expect(await read(id)).toMatchObject({ visibility: 'private' });

  await transaction(sql, (tx) => replaceByKnown(tx, loser, winner, moveHighlights));
  expect(await read(id)).toMatchObject({ media_id: winner, visibility: 'private' });
  expect((await ben.get(`/api/v1/highlights/${id}`)).status).toBe(404);
});

test('a passage that was imported and placed at slightly other words is not imported again', async () => {
  const mediaId = await saveReady(sql, ana, { texts: [FIRST] });
  const viewer = { user_id: ana.id, default_library_id: ana.defaultLibraryId };
  const quote = {
    type: 'TextQuoteSelector' as const,
    exact: 'Nobody had ever seen ice on the harbour',
    prefix: 'The harbour froze in January. ',
    suffix: ' before.',
  };
  const highlights = [{ target: { fragment_idx: 0, selector: [quote] }, color: 'yellow' as const }];
  const add = () =>
    transaction(sql, (tx) => importHighlights(tx, viewer, [{ media_id: mediaId, highlights }], {}));
  expect(await add()).toBe(1);
  expect(await place(mediaId)).toEqual({ placed: 1, lost: 0 });
  const [{ id } = { id: '' }] = (await ana.get(`/api/v1/media/${mediaId}/highlights`)).body
    .data as Highlight[];
  expect(selectorsOf(await read(id)).quote.exact).toBe('Nobody had seen ice on the harbour');
  expect(await add()).toBe(0);
});

test('highlights go with a media that is deleted for good', async () => {
  const mediaId = await saveReady(sql, ana, { texts: [FIRST] });
  const { id } = await mark(ana, mediaId, 'seen ice');
  await ana.delete(`/media/${mediaId}`);
  expect(await read(id)).toMatchObject({ media_title: null });
  await ana.post(`/api/v1/trash/${mediaId}/restore`);
  expect(await read(id)).toMatchObject({ is_placed: true });
  await ana.delete(`/media/${mediaId}?permanently=true`);
  expect((await ana.get(`/api/v1/highlights/${id}`)).status).toBe(404);
});
