import { beforeAll, describe, expect, test } from 'vitest';
import { failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import {
  createLibrary,
  createReader,
  findings,
  invite,
  join,
  type Reader,
} from '../../../test/support/libraries.ts';
import { holdBeforeCommit } from '../../../test/support/races.ts';
import { saveReady } from '../../../test/support/saved-media.ts';
import { selectorsOf } from '../../contract/highlight-selectors.ts';
import type { Highlight } from '../../contract/highlights.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import { newId } from '../../platform/ids.ts';
import { createHighlightCheck } from './integrity.ts';
import { createReplies } from './replies.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

const TEXT =
  'The harbour froze in January. Nobody had seen ice on the harbour before. In March the boats went out again.';

let ana: Reader;
let ben: Reader;
let eve: Reader;
let libraryId: string;
let mediaId: string;

/** Ana's article is in a library that Ben reads too. Eve has nothing to do with it. */
beforeAll(async () => {
  [ana, ben, eve] = [await createReader(app), await createReader(app), await createReader(app)];
  libraryId = await createLibrary(ana, 'Harbours');
  mediaId = await saveReady(sql, ana, { title: 'Ice', texts: [TEXT, '𝒜 second chapter.'] });
  await ana.post(`/libraries/${libraryId}/media`, { media_id: mediaId });
  await join(ana, libraryId, ben);
});

const at = (exact: string, text = TEXT) => {
  const start = text.indexOf(exact);
  return { type: 'TextPositionSelector', start, end: start + exact.length };
};
const quote = (exact: string, context = {}) => ({ type: 'TextQuoteSelector', exact, ...context });
const target = (...selector: object[]) => ({ fragment_idx: 0, selector });
const shared = () => ({ visibility: { library_ids: [libraryId] } });

async function mark(reader: Reader, exact: string, fields: object = {}): Promise<Highlight> {
  const { status, body } = await reader.post(`/api/v1/media/${mediaId}/highlights`, {
    target: target(at(exact)),
    ...fields,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data;
}

const idsIn = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);
const seenBy = async (reader: Reader) =>
  idsIn(await reader.get(`/api/v1/media/${mediaId}/highlights?limit=200`));

describe('creating', () => {
  test('stores position, quote and context, by position or by quote', async () => {
    const byPosition = await mark(ana, 'Nobody had seen ice', { color: 'green', note: '  **Never**  ' });
    expect(byPosition).toMatchObject({
      media_id: mediaId,
      media_title: 'Ice',
      target: {
        fragment_idx: 0,
        selector: [
          { type: 'TextPositionSelector', start: 30, end: 49 },
          {
            type: 'TextQuoteSelector',
            exact: 'Nobody had seen ice',
            prefix: 'The harbour froze in January. ',
            suffix: TEXT.slice(49),
          },
        ],
      },
      color: 'green',
      note: '**Never**',
      is_placed: true,
      is_mine: true,
      is_unread: false,
      visibility: 'private',
      reply_count: 0,
      created_by: { id: ana.id },
    });
    const byQuote = await mark(ana, '', { target: target(quote('the boats')) });
    expect(selectorsOf(byQuote).position).toMatchObject(at('the boats'));
    const second = TEXT.indexOf('harbour', 20);
    const byContext = target(quote('harbour', { prefix: 'seen ice on the ', suffix: ' before.' }));
    const repeated = await mark(ana, '', { target: byContext });
    expect(selectorsOf(repeated).position.start).toBe(second);
  });

  test.each([
    ['an empty range', { type: 'TextPositionSelector', start: 5, end: 5 }],
    ['a reversed range', { type: 'TextPositionSelector', start: 9, end: 5 }],
    ['a range beyond the text', { type: 'TextPositionSelector', start: 5, end: TEXT.length + 1 }],
    ['white space', { type: 'TextPositionSelector', start: 3, end: 4 }],
    ['a quote that is not there', quote('the camels')],
    ['a quote that is there twice', quote('harbour')],
  ])('%s is refused', async (_, selector) => {
    const answer = await ana.post(`/api/v1/media/${mediaId}/highlights`, { target: target(selector) });
    expect(answer).toMatchObject(failure(400, 'E_INVALID_RANGE'));
  });

  test('half a character is refused', async () => {
    const half = { fragment_idx: 1, selector: [{ type: 'TextPositionSelector', start: 1, end: 3 }] };
    const answer = await ana.post(`/api/v1/media/${mediaId}/highlights`, { target: half });
    expect(answer).toMatchObject(failure(400, 'E_INVALID_RANGE'));
    const whole = { fragment_idx: 1, selector: [{ type: 'TextPositionSelector', start: 0, end: 2 }] };
    const { body } = await ana.post(`/api/v1/media/${mediaId}/highlights`, { target: whole });
    expect(body.data.target.selector[1].exact).toBe('𝒜');
  });

  test('a passage goes on in the next fragment, named by its position or by its quote', async () => {
    const spoken = ['the ice came', 'in January 𝒜', '', 'and stayed until March', 'the ice came'];
    const talk = await saveReady(sql, ana, { title: 'A talk', texts: spoken });
    const create = (fragment_idx: number, ...selector: object[]) =>
      ana.post(`/api/v1/media/${talk}/highlights`, { target: { fragment_idx, selector } });
    const exact = 'January 𝒜\n\nand stayed';
    const position = { type: 'TextPositionSelector', start: 3, end: 3 + exact.length };
    for (const selector of [[position], [quote(exact)], [position, quote(exact)]]) {
      const { status, body } = await create(1, ...selector);
      expect(status, JSON.stringify(body)).toBe(201);
      expect(body.data.target).toEqual({
        fragment_idx: 1,
        selector: [position, { ...quote(exact), prefix: 'in ', suffix: ' until March' }],
      });
    }
    const beyond = [
      // It ends with the break before a fragment, begins after the fragment, or ends after the last one.
      create(1, { ...position, end: 14 }),
      create(0, { ...position, start: 13, end: 20 }),
      create(3, { ...position, start: 0, end: 36 }),
      create(0, quote('March\nthe ice')),
    ];
    for (const answer of await Promise.all(beyond)) {
      expect(answer).toMatchObject(failure(400, 'E_INVALID_RANGE'));
    }
    expect(await findings(sql, createHighlightCheck(sql))).toEqual([]);
    await sql`update highlights set exact = 'January' where media_id = ${talk}`;
    expect(await findings(sql, createHighlightCheck(sql))).toHaveLength(3);
    await sql`delete from highlights where media_id = ${talk}`;
  });

  test('a wrong position with a right quote is corrected', async () => {
    const wrong = { type: 'TextPositionSelector', start: 0, end: 9 };
    const made = await mark(ana, '', { target: target(wrong, quote('the boats')) });
    expect(selectorsOf(made).position).toMatchObject(at('the boats'));
  });

  test.each([
    ['nothing', {}],
    ['no selector', { target: target() }],
    ['two positions', { target: target(at('ice'), at('ice')) }],
    ['an unknown colour', { target: target(at('ice')), color: 'red' }],
    ['a note that is too long', { target: target(at('ice')), note: 'x'.repeat(20_001) }],
    ['no library', { target: target(at('ice')), visibility: { library_ids: [] } }],
    ['an unknown field', { target: target(at('ice')), colour: 'green' }],
  ])('%s is refused as malformed', async (_, body) => {
    const answer = await ana.post(`/api/v1/media/${mediaId}/highlights`, body);
    expect(answer).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test('an unreadable media and an unknown one cannot be told apart', async () => {
    const body = { target: target(at('ice')) };
    for (const id of [mediaId, newId()]) {
      expect(await eve.post(`/api/v1/media/${id}/highlights`, body)).toMatchObject(
        failure(404, 'E_MEDIA_NOT_FOUND'),
      );
      expect(await eve.get(`/api/v1/media/${id}/highlights`)).toMatchObject(
        failure(404, 'E_MEDIA_NOT_FOUND'),
      );
    }
    const missing = { fragment_idx: 9, selector: [at('ice')] };
    const answer = await ana.post(`/api/v1/media/${mediaId}/highlights`, { target: missing });
    expect(answer).toMatchObject(failure(400, 'E_INVALID_RANGE'));
  });
});

describe('who sees a highlight', () => {
  test('a private one is seen by its author alone', async () => {
    const { id } = await mark(ana, 'froze in January');
    expect(await seenBy(ana)).toContain(id);
    expect(await seenBy(ben)).not.toContain(id);
    for (const reader of [ben, eve]) {
      expect(await reader.get(`/api/v1/highlights/${id}`)).toMatchObject(
        failure(404, 'E_HIGHLIGHT_NOT_FOUND'),
      );
      expect(await reader.delete(`/api/v1/highlights/${id}`)).toMatchObject(
        failure(404, 'E_HIGHLIGHT_NOT_FOUND'),
      );
    }
  });

  test('a shared one is seen by the members of the library, who cannot change it', async () => {
    const { id } = await mark(ana, 'Nobody had seen', shared());
    const { body } = await ben.get(`/api/v1/highlights/${id}`);
    expect(body.data).toMatchObject({
      is_mine: false,
      is_unread: true,
      visibility: { library_ids: [libraryId] },
    });
    expect(idsIn(await ben.get('/api/v1/highlights?by=others'))).toContain(id);
    expect(await ben.patch(`/api/v1/highlights/${id}`, { color: 'pink' })).toMatchObject(
      failure(403, 'E_FORBIDDEN'),
    );
    expect(await ben.delete(`/api/v1/highlights/${id}`)).toMatchObject(failure(403, 'E_FORBIDDEN'));
    expect(await eve.get(`/api/v1/highlights/${id}`)).toMatchObject(failure(404, 'E_HIGHLIGHT_NOT_FOUND'));
    expect(idsIn(await eve.get('/api/v1/highlights'))).toEqual([]);
  });

  test('it cannot be shared with a library of others, one without the media, or a default library', async () => {
    const { id } = await mark(ana, 'froze in');
    const [foreign, empty] = [await createLibrary(eve), await createLibrary(ana, 'Empty')];
    for (const library of [foreign, empty, ana.defaultLibraryId, newId()]) {
      const visibility = { library_ids: [libraryId, library] };
      const answer = await ana.patch(`/api/v1/highlights/${id}`, { visibility });
      expect(answer).toMatchObject(failure(404, 'E_LIBRARY_NOT_FOUND'));
      const asked = await ana.get(`/api/v1/highlights/${id}/audience?library_ids=${library}`);
      expect(asked).toMatchObject(failure(404, 'E_LIBRARY_NOT_FOUND'));
    }
    expect((await ana.get(`/api/v1/highlights/${id}`)).body.data.visibility).toBe('private');
  });

  test('the audience is named before and after sharing', async () => {
    const { id } = await mark(ana, 'boats went');
    const before = await ana.get(`/api/v1/highlights/${id}/audience?library_ids=${libraryId}`);
    expect(before.body.data).toMatchObject({ total: 1, people: [{ id: ben.id, library_ids: [libraryId] }] });
    expect((await ana.get(`/api/v1/highlights/${id}/audience`)).body.data).toEqual({ total: 0, people: [] });
    await ana.patch(`/api/v1/highlights/${id}`, shared());
    expect((await ana.get(`/api/v1/highlights/${id}/audience`)).body.data.total).toBe(1);
    const others = await ben.get(`/api/v1/highlights/${id}/audience?library_ids=${libraryId}`);
    expect(others).toMatchObject(failure(403, 'E_FORBIDDEN'));
  });

  test('a removed member loses what was shared with them, and what they shared is taken back', async () => {
    const [cat, library] = [await createReader(app), await createLibrary(ana, 'Short-lived')];
    await ana.post(`/libraries/${library}/media`, { media_id: mediaId });
    await join(ana, library, cat);
    const visibility = { library_ids: [library] };
    const [mine, theirs] = [
      await mark(ana, 'In March', { visibility }),
      await mark(cat, 'again', { visibility }),
    ];
    expect(await seenBy(cat)).toEqual(expect.arrayContaining([mine.id, theirs.id]));
    expect(await seenBy(ana)).toContain(theirs.id);
    const preview = await ana.get(`/libraries/${library}/members/${cat.id}/removal-preview`);
    expect(preview.body.data.highlights).toEqual({ by_member: 1, by_others: 1 });
    await ana.delete(`/libraries/${library}/members/${cat.id}`);
    expect(await cat.get(`/api/v1/highlights/${mine.id}`)).toMatchObject(
      failure(404, 'E_HIGHLIGHT_NOT_FOUND'),
    );
    expect(await ana.get(`/api/v1/highlights/${theirs.id}`)).toMatchObject(
      failure(404, 'E_HIGHLIGHT_NOT_FOUND'),
    );
    const own = await cat.get(`/api/v1/highlights/${theirs.id}`);
    expect(own.body.data).toMatchObject({ visibility: 'private', media_title: null, is_mine: true });
    expect(idsIn(await cat.get('/api/v1/highlights'))).toEqual([theirs.id]);
    expect(await cat.get(`/api/v1/media/${mediaId}/highlights`)).toMatchObject(
      failure(404, 'E_MEDIA_NOT_FOUND'),
    );
    // Joining again does not publish again what was taken back.
    await join(ana, library, cat);
    expect(await ana.get(`/api/v1/highlights/${theirs.id}`)).toMatchObject(
      failure(404, 'E_HIGHLIGHT_NOT_FOUND'),
    );
  });

  test('a media that leaves the library takes its shares along', async () => {
    const library = await createLibrary(ana, 'Emptied');
    for (const media_id of [mediaId, await saveReady(sql, ana)])
      await ana.post(`/libraries/${library}/media`, { media_id });
    await join(ana, library, ben);
    const { id } = await mark(ana, 'harbour froze', { visibility: { library_ids: [library] } });
    expect((await ben.get(`/api/v1/highlights/${id}`)).status).toBe(200);
    expect(idsIn(await ben.get('/api/v1/highlights?by=others'))).toContain(id);
    await ana.delete(`/libraries/${library}/media/${mediaId}`);
    expect((await ben.get(`/api/v1/highlights/${id}`)).status).toBe(404);
    expect(idsIn(await ben.get('/api/v1/highlights?by=others'))).not.toContain(id);
    expect((await ana.get(`/api/v1/highlights/${id}`)).body.data.visibility).toBe('private');
    // Undoing the removal brings them back, unless the author has made it private in the meantime.
    await ana.post(`/libraries/${library}/media`, { media_id: mediaId });
    expect((await ben.get(`/api/v1/highlights/${id}`)).status).toBe(200);
    await ana.delete(`/libraries/${library}/media/${mediaId}`);
    await ana.patch(`/api/v1/highlights/${id}`, { visibility: 'private' });
    await ana.post(`/libraries/${library}/media`, { media_id: mediaId });
    expect((await ben.get(`/api/v1/highlights/${id}`)).status).toBe(404);
  });

  test('others see only libraries that they are in', async () => {
    const [secret, cat] = [await createLibrary(ana, 'Secret'), await createReader(app)];
    await ana.post(`/libraries/${secret}/media`, { media_id: mediaId });
    await join(ana, secret, cat);
    const visibility = { library_ids: [libraryId, secret] };
    const { id } = await mark(ana, 'January', { visibility });
    expect((await ben.get(`/api/v1/highlights/${id}`)).body.data.visibility).toEqual({
      library_ids: [libraryId],
    });
    expect((await ben.get(`/api/v1/highlights/${id}/audience`)).body.data.people).toMatchObject([
      { id: ben.id },
    ]);
  });
});

describe('editing and deleting', () => {
  test('changes what is given, and nothing else', async () => {
    const { id } = await mark(ana, 'ice on', { note: 'A note', color: 'blue' });
    const pdf = { page: 1, rects: [[1, 2, 3, 4]] };
    const { body } = await ana.patch(`/api/v1/highlights/${id}`, { color: 'pink', pdf });
    expect(body.data).toMatchObject({ color: 'pink', note: 'A note', pdf });
    const moved = await ana.patch(`/api/v1/highlights/${id}`, {
      target: target(at('seen ice on')),
      note: null,
    });
    expect(moved.body.data).toMatchObject({ color: 'pink', note: null, pdf: null });
    expect(moved.body.data.target.selector[1].exact).toBe('seen ice on');
  });

  test('refuses to overwrite a change that the caller has not seen', async () => {
    const { id } = await mark(ana, 'ice on');
    const key = ana.key;
    const first = await app.call('GET', `/api/v1/highlights/${id}`, { key });
    const headers = { 'if-match': first.headers.get('etag') ?? '' };
    const edit = (color: string) =>
      app.call('PATCH', `/api/v1/highlights/${id}`, { key, headers, body: { color } });
    expect((await edit('green')).status).toBe(200);
    expect(await edit('blue')).toMatchObject(failure(412, 'E_PRECONDITION_FAILED'));
  });

  test('a second deletion answers like the first', async () => {
    const { id } = await mark(ana, 'ice on');
    expect((await ana.delete(`/api/v1/highlights/${id}`)).status).toBe(204);
    expect((await ana.delete(`/api/v1/highlights/${id}`)).status).toBe(204);
    expect((await ana.get(`/api/v1/highlights/${id}`)).status).toBe(404);
  });
});

describe('lists', () => {
  test('of a media are in the order of the text, page by page', async () => {
    const reader = await createReader(app);
    const id = await saveReady(sql, reader, { texts: [TEXT, TEXT] });
    const make = (fragment_idx: number, exact: string) =>
      reader.post(`/api/v1/media/${id}/highlights`, { target: { fragment_idx, selector: [at(exact)] } });
    for (const [idx, exact] of [
      [1, 'The'],
      [0, 'boats'],
      [0, 'ice'],
      [0, 'ice on the'],
    ] as const)
      await make(idx, exact);
    const all: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await reader.get(`/api/v1/media/${id}/highlights?limit=1${cursor}`);
      all.push(...body.data.map((one: Highlight) => selectorsOf(one).quote.exact));
      if (!body.page.has_more) break;
      cursor = `&cursor=${body.page.next_cursor}`;
    }
    expect(all).toEqual(['ice', 'ice on the', 'boats', 'The']);
    const one = await reader.get(`/api/v1/media/${id}/highlights?fragment_idx=1`);
    expect(one.body.data).toHaveLength(1);
  });

  test('of everything are newest first, and can be filtered', async () => {
    const [dan, library] = [await createReader(app), await createLibrary(ana, 'Filtered')];
    await ana.post(`/libraries/${library}/media`, { media_id: mediaId });
    await join(ana, library, dan);
    const visibility = { library_ids: [library] };
    const theirs = await mark(ana, 'had seen ice', { visibility, color: 'purple', note: 'skating' });
    const own = await mark(dan, 'the boats went', { color: 'blue', note: 'sails' });
    const both = await mark(dan, 'harbour before', { visibility });
    const list = async (query: string) => idsIn(await dan.get(`/api/v1/highlights?${query}`));
    expect(await list('')).toEqual([both.id, own.id, theirs.id]);
    expect(await list('by=me')).toEqual([both.id, own.id]);
    expect(await list('by=others')).toEqual([theirs.id]);
    expect(await list(`library_id=${library}`)).toEqual([both.id, theirs.id]);
    expect(await list('color=purple')).toEqual([theirs.id]);
    expect(await list('has=note')).toEqual([own.id, theirs.id]);
    expect(await list('q=boats')).toEqual([own.id]);
    expect(await list('q=SKATING')).toEqual([theirs.id]);
    expect(await list('is=unread')).toEqual([theirs.id]);
    expect(await list('is=unplaced')).toEqual([]);
    expect(await list(`media_id=${newId()}`)).toEqual([]);
    await dan.patch(`/api/v1/media/${mediaId}/mine`, { tags: ['cold/ice'] });
    expect(await list('tag=Cold')).toEqual([both.id, own.id, theirs.id]);
    expect(await list('tag=col')).toEqual([]);
    const first = await dan.get('/api/v1/highlights?limit=2');
    expect(idsIn(first)).toEqual([both.id, own.id]);
    expect(idsIn(await dan.get(`/api/v1/highlights?limit=2&cursor=${first.body.page.next_cursor}`))).toEqual([
      theirs.id,
    ]);
  });

  test('what was seen is no longer unread, until somebody replies', async () => {
    const { id } = await mark(ana, 'seen ice on the', shared());
    const isUnread = async () => (await ben.get(`/api/v1/highlights/${id}`)).body.data.is_unread;
    expect(await isUnread()).toBe(true);
    await app.call('PUT', `/api/v1/highlights/${id}/seen`, { key: ben.key });
    expect(await isUnread()).toBe(false);
    await ana.post(`/api/v1/highlights/${id}/replies`, { body: 'And?' });
    expect(await isUnread()).toBe(true);
  });
});

test('a reply that is committed after the highlight was seen is unread, although it began before', async () => {
  const { id } = await mark(ana, 'went out again', shared());
  const held = holdBeforeCommit(sql);
  const viewer = { user_id: ana.id, default_library_id: ana.defaultLibraryId };
  const replied = createReplies({ sql: held.sql }).create(viewer, id, 'Wait for me', {} as Actor);
  await held.reached;
  await app.call('PUT', `/api/v1/highlights/${id}/seen`, { key: ben.key });
  held.letGo();
  await replied;
  expect((await ben.get(`/api/v1/highlights/${id}`)).body.data.is_unread).toBe(true);
});

describe('a search of words', () => {
  const OTHERS = 6000;

  /** Somebody who has nothing to do with the others highlights the same words over and over. */
  beforeAll(async () => {
    const eager = await createReader(app);
    const media = await saveReady(sql, eager, { texts: [TEXT] });
    await sql`
      insert into highlights (
        id, media_id, user_id, fragment_id, fragment_idx, start_offset, end_offset, exact, prefix, suffix, color
      )
      select gen_random_uuid(), ${media}, ${eager.id}, id, 0, 0, 11, 'The harbour', '', '', 'yellow'
      from media_fragments, generate_series(1, ${OTHERS})
      where media_id = ${media}`;
    await sql`analyze highlights`;
  });

  test.each(['harbour', 'january'])('finds one’s own and what is shared, and nothing else: %s', async (q) => {
    const [mine, theirs] = [
      await mark(ben, 'The harbour froze in January'),
      await mark(ana, 'harbour froze in January', shared()),
    ];
    const secret = await mark(ana, 'harbour froze in January.');
    const found = async (reader: Reader, query = '') =>
      idsIn(await reader.get(`/api/v1/highlights?limit=200&q=${q}${query}`));
    expect(await found(ben, '&by=me')).toEqual([mine.id]);
    expect(await found(ben)).toEqual(expect.arrayContaining([theirs.id, mine.id]));
    expect(await found(ben)).not.toContain(secret.id);
    expect(await found(ben, '&by=others')).toContain(theirs.id);
    expect(await found(ben, '&by=others')).not.toContain(mine.id);
    expect(await found(ben, `&library_id=${libraryId}`)).toContain(theirs.id);
    expect(await found(ana, `&library_id=${libraryId}`)).not.toContain(secret.id);
    expect(await found(eve)).toEqual([]);
    await app.call('DELETE', `/api/v1/highlights/${mine.id}`, { key: ben.key });
  });

  test('of a frequent word reads own highlights only', async () => {
    const statement = sql`
      select from highlights
      where personal_document(user_id, exact || ' ' || coalesce(note, ''))
        @@ personal_query(${eve.id}, websearch_to_tsquery('simple', 'harbour'))`;
    const [plan] = await sql`explain (analyze, format json) ${statement}`;
    const rows = JSON.stringify(plan).match(/"(Actual Rows|Rows Removed by [^"]+)":[0-9.]+/g) ?? [];
    expect(rows.filter((row) => !/:0(\.0+)?$/.test(row))).toEqual([]);
    expect(rows.length).toBeGreaterThan(0);
  });

  test('of signs, or of the id of a person, finds nothing', async () => {
    for (const q of ['!!!', '-', ana.id, ` ${ana.id}`]) {
      const { status, body } = await ana.get(`/api/v1/highlights?q=${encodeURIComponent(q)}`);
      expect({ status, data: body.data }).toEqual({ status: 200, data: [] });
    }
  });
});

describe('replies', () => {
  test('are seen by those who see the highlight in the same library', async () => {
    const [cat, second] = [await createReader(app), await createLibrary(ana, 'Second')];
    await ana.post(`/libraries/${second}/media`, { media_id: mediaId });
    await join(ana, second, cat);
    const { id } = await mark(ana, 'Nobody', { visibility: { library_ids: [libraryId, second] } });
    const say = async (reader: Reader, body: string) =>
      (await reader.post(`/api/v1/highlights/${id}/replies`, { body })).body.data;
    const fromBen = await say(ben, `Hello @${cat.user.username} and @${ana.user.username}, a@b.example`);
    const fromCat = await say(cat, 'Hello');
    const fromAna = await say(ana, `Hello @${ben.user.username}`);
    const list = async (reader: Reader) => idsIn(await reader.get(`/api/v1/highlights/${id}/replies`));
    expect(await list(ana)).toEqual([fromBen.id, fromCat.id, fromAna.id]);
    expect(await list(ben)).toEqual([fromBen.id, fromAna.id]);
    expect(await list(cat)).toEqual([fromCat.id, fromAna.id]);
    // Cat does not see what Ben says, so Ben cannot mention her.
    expect(fromBen.mentions).toMatchObject([{ id: ana.id }]);
    expect(fromAna.mentions).toMatchObject([{ id: ben.id }]);
    expect((await cat.get(`/api/v1/highlights/${id}/replies`)).body.data[1].mentions).toEqual([]);
    expect(await eve.get(`/api/v1/highlights/${id}/replies`)).toMatchObject(
      failure(404, 'E_HIGHLIGHT_NOT_FOUND'),
    );
    expect((await ben.get(`/api/v1/highlights/${id}`)).body.data.reply_count).toBe(2);

    expect(await cat.patch(`/api/v1/replies/${fromBen.id}`, { body: 'x' })).toMatchObject(
      failure(404, 'E_NOT_FOUND'),
    );
    expect(await ben.patch(`/api/v1/replies/${fromAna.id}`, { body: 'x' })).toMatchObject(
      failure(403, 'E_FORBIDDEN'),
    );
    const edited = await ben.patch(`/api/v1/replies/${fromBen.id}`, { body: 'Never mind' });
    expect(edited.body.data).toMatchObject({ body: 'Never mind', mentions: [] });
    expect(await ben.delete(`/api/v1/replies/${fromAna.id}`)).toMatchObject(failure(403, 'E_FORBIDDEN'));
    expect((await ana.delete(`/api/v1/replies/${fromBen.id}`)).status).toBe(204);
    await ana.delete(`/libraries/${second}/members/${cat.id}`);
    expect(await list(ana)).toEqual([fromAna.id]);
  });

  test('an empty or very long reply is refused', async () => {
    const { id } = await mark(ana, 'Nobody', shared());
    for (const body of ['', '   ', 'x'.repeat(10_001)]) {
      expect(await ben.post(`/api/v1/highlights/${id}/replies`, { body })).toMatchObject(
        failure(400, 'E_INVALID_REQUEST'),
      );
    }
  });
});

test('somebody who is only invited sees nothing yet', async () => {
  const guest = await createReader(app);
  const { id } = await mark(ana, 'out again', shared());
  await invite(ana, libraryId, guest);
  expect(await guest.get(`/api/v1/highlights/${id}`)).toMatchObject(failure(404, 'E_HIGHLIGHT_NOT_FOUND'));
});

describe('the integrity check', () => {
  test('finds nothing, then what was damaged by hand', async () => {
    const check = createHighlightCheck(sql);
    expect(await findings(sql, check)).toEqual([]);
    const { id } = await mark(ana, 'out again', shared());
    await sql`update highlights set start_offset = start_offset - 1 where id = ${id}`;
    expect(await findings(sql, check)).toEqual([
      { kind: 'highlight_quote_differs', highlight_id: id, media_id: mediaId },
    ]);
    await sql`update highlights set start_offset = start_offset + 1 where id = ${id}`;
    await sql`update highlights set exact = '𝒜 x' where media_id = ${mediaId} and fragment_idx = 1`;
    expect(await findings(sql, check)).toMatchObject([{ kind: 'highlight_quote_differs' }]);
    await sql`update highlights set exact = '𝒜' where media_id = ${mediaId} and fragment_idx = 1`;
    await sql`alter table highlight_shares drop constraint highlight_shares_author_is_member`;
    const stray = await createLibrary(ana);
    await sql`
      insert into highlight_shares (highlight_id, library_id, user_id, media_id)
      values (${id}, ${stray}, ${ana.id}, ${mediaId})`;
    await sql`delete from memberships where library_id = ${stray}`;
    expect(await findings(sql, check)).toEqual([
      { kind: 'highlight_shared_by_non_member', highlight_id: id, library_id: stray },
    ]);
  });
});
