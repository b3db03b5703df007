import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { failure, useApp } from '../../../../../test/support/app.ts';
import { useDatabase } from '../../../../../test/support/database.ts';
import { createLibrary, createReader, join, type Reader } from '../../../../../test/support/libraries.ts';
import { nextDay, print, queries } from '../../../../../test/support/queries.ts';
import { saveReady } from '../../../../../test/support/saved-media.ts';
import type { MediaKind } from '../../../../contract/media.ts';
import { newId } from '../../../../platform/ids.ts';
import { createMediaLists } from '../../lists/list.ts';
import { askerOf } from '../../lists/list-store.ts';
import { dayOf } from './dates.ts';
import { parseQuery } from './parse.ts';
import { planQuery } from './plan.ts';
import { isText, type Query, type State, type Thing } from './tree.ts';

/* Queries by index and by SQL are compared with the same queries in JavaScript. */

const seed = Number(process.env.MODEL_SEED ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env.MODEL_RUNS ?? 1) * 120;

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

const WORDS = ['fog', 'horn', 'salt', 'lamp'];
const TAGS = ['sea', 'sea/tides', 'seaside', 'Art'];
const SITES = ['a.example', 'sub.a.example', 'Other Site'];
const AUTHORS = ['Ada Keeper', 'Éva Keller'];

/** A media, and what the reader keeps about it. */
interface Item {
  id: string;
  title: string;
  text: string;
  kind: MediaKind;
  site: string | null;
  host: string | null;
  author: string | null;
  published: string | null;
  minutes: number | null;
  daysAgo: number;
  ownTitle: string | null;
  tags: string[];
  states: State[];
  has: Thing[];
  libraries: string[];
}

const some = <T>(values: readonly T[], most = values.length) => fc.subarray([...values], { maxLength: most });
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }).map((all) => all.join(' '));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const item = fc.record({
  title: words,
  text: words,
  kind: fc.constantFrom<MediaKind>('web_article', 'pdf', 'epub'),
  site: maybe(fc.constantFrom(...SITES)),
  host: maybe(fc.constantFrom('www.a.example', 'b.example')),
  author: maybe(fc.constantFrom(...AUTHORS)),
  published: maybe(fc.constantFrom('2024', '2024-02', '2024-02-29', '2026-01-05T10:00:00Z')),
  minutes: maybe(fc.nat(20)),
  daysAgo: fc.nat(400),
  ownTitle: maybe(words),
  tags: some(TAGS),
  reading: fc.constantFrom<State>('unread', 'reading', 'finished'),
  marks: some<State>(['favourite', 'archived']),
  isFailed: fc.boolean(),
  has: some<Thing>(['highlights', 'note']),
  isShared: fc.boolean(),
  isSaved: fc.boolean(),
});
type Given = typeof item extends fc.Arbitrary<infer T> ? T : never;

let ana: Reader;
let ben: Reader;
let shared: string;
let foreign: string;
const items: Item[] = [];

beforeAll(async () => {
  [ana, ben] = [await createReader(app), await createReader(app)];
  shared = await createLibrary(ben, 'Shared Shelf');
  foreign = await createLibrary(ben, 'Foreign');
  await join(ben, shared, ana);
  const ids: Given[] = fc.sample(item, { numRuns: 14, seed });
  for (const given of ids) items.push(await make(given));
  // Somebody else's media and rows are never found.
  const theirs = await saveReady(sql, ben, { title: 'fog horn salt lamp', texts: [WORDS.join(' ')] });
  await ben.post(`/libraries/${foreign}/media`, { media_id: theirs });
  const known = items[0]?.id ?? '';
  await sql`insert into media_mine (user_id, media_id, is_favourite, title, note)
    values (${ben.id}, ${known}, true, 'fog horn salt lamp', 'x')`;
}, 60_000);

async function make(given: Given): Promise<Item> {
  const { isSaved, isShared, isFailed } = given;
  const id = await saveReady(sql, isSaved ? ana : ben, { ...given, texts: [given.text] });
  if (isShared || !isSaved) {
    // The person who saved it adds it; the membership of the other is enough to read it.
    await sql`
      insert into library_media (library_id, media_id, is_derived, added_by_user_id)
      values (${shared}, ${id}, false, ${ben.id})`;
    await sql`
      insert into default_library_closure_edges (default_library_id, media_id, source_library_id)
      values (${ana.defaultLibraryId}, ${id}, ${shared}) on conflict do nothing`;
    await sql`
      insert into library_media (library_id, media_id, is_derived)
      values (${ana.defaultLibraryId}, ${id}, true) on conflict do nothing`;
  }
  await sql`
    update media
    set canonical_url = ${given.host && `https://${given.host}/${id}`}, reading_minutes = ${given.minutes}
    where id = ${id}`;
  if (isFailed) {
    await sql`
      update media
      set processing_status = 'failed', failure_stage = 'other', last_error_code = 'E', last_error_message = 'x',
        failed_at = now()
      where id = ${id}`;
  }
  await sql`
    update library_media
    set created_at = now() - make_interval(days => ${given.daysAgo}, hours => 1)
    where library_id = ${ana.defaultLibraryId} and media_id = ${id}`;
  const mine = {
    tags: given.tags,
    title: given.ownTitle,
    is_favourite: given.marks.includes('favourite'),
    is_archived: given.marks.includes('archived'),
    note: given.has.includes('note') ? 'A note' : null,
  };
  const edited = await ana.patch(`/api/v1/media/${id}/mine`, mine);
  expect(edited.status, JSON.stringify(edited.body)).toBe(200);
  if (given.has.includes('highlights')) {
    await sql`
      insert into highlights
        (id, media_id, user_id, fragment_idx, start_offset, end_offset, exact, prefix, suffix, color)
      values (${newId()}, ${id}, ${ana.id}, 0, 0, 1, 'f', '', '', 'yellow')`;
  }
  if (given.reading !== 'unread') {
    await sql`
      insert into media_readings (user_id, media_id, progress, finished_at)
      values (${ana.id}, ${id}, 0.5, ${given.reading === 'finished' ? new Date() : null})`;
  }
  const isInShared = isShared || !isSaved;
  return {
    ...given,
    id,
    states: [
      given.reading,
      ...given.marks,
      ...(isFailed ? (['failed'] as const) : []),
      ...(isInShared ? (['shared'] as const) : []),
    ],
    has: [...given.has, ...(given.tags.length > 0 ? (['tags'] as const) : [])],
    libraries: isInShared ? ['shared shelf'] : [],
  };
}

const plain = (text: string) =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '');
const wordsOf = (text: string) => plain(text).match(/[\p{L}\p{N}]+/gu) ?? [];

/** Whether one text has the words of a query. */
function isInText(text: string[], query: Query): boolean {
  if (query.type === 'all') return query.of.every((part) => isInText(text, part));
  if (query.type === 'any') return query.of.some((part) => isInText(text, part));
  if (query.type !== 'words') throw new Error('no text');
  const sought = wordsOf(query.text);
  if (!query.isPhrase) return sought.every((one) => text.includes(one));
  return text.some((_, start) => sought.every((one, index) => text[start + index] === one));
}

function isMatch(one: Item, query: Query): boolean {
  switch (query.type) {
    case 'none':
      return false;
    case 'not':
      return !isMatch(one, query.of);
    case 'any':
      return query.of.some((part) => isMatch(one, part));
    case 'all': {
      const texts = query.of.filter(isText);
      const others = query.of.filter((part) => !isText(part));
      const hasWords =
        texts.length === 0 || textsOf(one).some((text) => texts.every((part) => isInText(text, part)));
      return hasWords && others.every((part) => isMatch(one, part));
    }
    case 'words':
      return textsOf(one).some((text) => isInText(text, query));
    case 'tag':
      return one.tags.some((tag) => `${tag}/`.toLowerCase().startsWith(`${query.value}/`.toLowerCase()));
    case 'in':
      return one.libraries.includes(query.value.toLowerCase());
    case 'site':
      return [one.site, one.host].some((site) => `.${site ?? ''}`.toLowerCase().endsWith(`.${query.value}`));
    case 'author':
      return ` ${plain(one.author ?? '')}`.includes(` ${plain(query.value)}`);
    case 'is':
      return one.states.includes(query.value);
    case 'has':
      return one.has.includes(query.value);
    case 'kind':
      return one.kind === query.value;
    case 'length':
      return (
        one.minutes !== null &&
        one.minutes >= (query.min ?? 0) &&
        one.minutes <= (query.max ?? Number.POSITIVE_INFINITY)
      );
    case 'added':
    case 'published':
      return isInRange(one, query);
  }
}

const textsOf = ({ title, author, text, ownTitle }: Item) => [
  wordsOf(`${title} ${author ?? ''} ${text}`),
  wordsOf(ownTitle ?? ''),
];

function isInRange(one: Item, { type, range }: Extract<Query, { type: 'added' | 'published' }>): boolean {
  const ago = (days: number, hours = 0) => new Date(Date.now() - (days * 24 + hours) * 3_600_000);
  const published = one.published && (one.published + '0000-01-01'.slice(one.published.length)).slice(0, 10);
  const day = type === 'added' ? dayOf(ago(one.daysAgo, 1)) : published;
  if (!day) return false;
  if ('days' in range) {
    const isYounger = type === 'added' ? one.daysAgo < range.days : day >= dayOf(ago(range.days));
    return isYounger === range.isYounger;
  }
  return day >= (range.from ?? '') && day < (range.until ?? '9');
}

const today = dayOf(new Date());
const RANDOM = queries({
  words: [...WORDS, 'fog-horn', 'FOG', 'nothing'],
  tags: [...TAGS, 'none'],
  libraries: ['shared shelf', 'Foreign', 'None'],
  sites: ['a.example', 'b.example', 'other site', 'example'],
  authors: ['keeper', 'eva kel', 'ada', 'Ada Keller', 'eva'],
  days: [
    ...['2024-01-01', '2024-02-29', '2026-01-05'],
    ...[-300, -200, -100, -10].map((days) => nextDay(today, days)),
  ],
});

describe('a random query', () => {
  // Few are gathered, or all are walked along, and frequent words are not counted: all ways must list the same.
  test.each([
    ['gathered', 5000, {}],
    ['walked', -1, {}],
    ['uncounted', 3, { mostOutside: 0, mostOccurrences: 0 }],
  ])(
    'lists, searches and counts what the model says, %s',
    { tags: 'slow' },
    async (way, mostGathered, limits) => {
      const viewer = { user_id: ana.id, default_library_id: ana.defaultLibraryId };
      const lists = createMediaLists({ sql, mostGathered, ...limits });
      await fc.assert(
        fc.asyncProperty(RANDOM, fc.constantFrom('added', 'title', 'length'), async (query, sort) => {
          const q = print(query);
          fc.pre(q.length <= 1000);
          const expected = items.filter((one) => isMatch(one, query)).map(({ id }) => id);
          const { data, page } = await lists.list(viewer, { q, sort, limit: 100 } as never);
          expect({ q, ids: data.map(({ id }) => id).sort() }).toEqual({ q, ids: expected.sort() });
          const isUncounted = way === 'uncounted' && page.total === undefined;
          if (!isUncounted) expect({ q, total: page.total }).toEqual({ q, total: expected.length });
          if (way !== 'gathered') return;
          const found = await ana.get(`/api/v1/search?limit=100&q=${encodeURIComponent(q)}`);
          const ids = found.body.data.map((hit: { media: { id: string } }) => hit.media.id);
          expect({ q, found: ids.sort() }).toEqual({ q, found: expected });
          expect(await lists.count(viewer, q, 1000)).toBe(expected.length);
        }),
        { numRuns, seed },
      );
    },
  );
});

describe('a plan', () => {
  const planOf = (q: string, mostOccurrences?: number) => {
    const viewer = { user_id: ana.id, default_library_id: ana.defaultLibraryId };
    return planQuery(sql, askerOf(sql, viewer, undefined), parseQuery(q), mostOccurrences);
  };

  test.each([
    ['tag:sea', true],
    ['tag:sea or fog', true],
    ['(kind:pdf tag:sea) or is:favourite or author:ada', true],
    ['kind:pdf (tag:sea or added:<7d)', true],
    ['tag:sea or kind:pdf', false],
    ['tag:sea or -is:favourite', false],
    ['-tag:sea', false],
    ['kind:pdf', false],
  ])('of %s begins with few media: %s', async (q, isFew) => {
    expect((await planOf(q)).rows !== undefined).toBe(isFew);
  });

  test('of alternatives with a frequent word reads all media', async () => {
    await sql`analyze media_search`;
    expect(await planOf('tag:none or fog', 0)).toMatchObject({ rows: undefined, isCostly: true });
    expect((await planOf('is:favourite (tag:sea or fog)', 0)).rows).toBeDefined();
  });
});

describe('over HTTP', () => {
  const idsOf = async (path: string) => {
    const { status, body } = await ana.get(path);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.data.map(({ id }: { id: string }) => id).sort();
  };

  test('a query combines with the parameters of a list, page by page', async () => {
    const expected = items
      .filter((one) => one.kind === 'pdf' && !one.states.includes('archived') && one.tags.length > 0)
      .map(({ id }) => id)
      .sort();
    const path = `/media?kind=pdf&archived=false&limit=1&q=${encodeURIComponent('has:tags')}`;
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await ana.get(path + cursor);
      expect(body.page.total).toBe(expected.length);
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      if (!body.page.has_more) break;
      cursor = `&cursor=${body.page.next_cursor}`;
    }
    expect(seen.sort()).toEqual(expected);
  });

  test.each([
    ['author:"ada \u0301"', true],
    ['author:"\u0301 ada"', true],
    ['author:"ada中\u0301"', false],
    ['author:"\u037a"', false],
    ['fog \u0301', true],
    ['"fog \u0301"', true],
    ['fog中\u0301', false],
  ])('marks without a letter are no word: %s', async (q, isFound) => {
    const inList = await idsOf(`/media?q=${encodeURIComponent(q)}`);
    expect(inList.length > 0).toBe(isFound);
    const { status, body } = await ana.get(`/api/v1/search?q=${encodeURIComponent(q)}`);
    expect(status, JSON.stringify(body)).toBe(200);
  });

  test('a library is searched, and dated by when a media came there', async () => {
    const inShared = items.filter(({ states }) => states.includes('shared')).map(({ id }) => id);
    expect(await idsOf(`/media?library_id=${shared}&q=${encodeURIComponent('added:<1d')}`)).toEqual(
      inShared.sort(),
    );
    expect(await idsOf(`/media?library_id=${foreign}&q=fog`)).toEqual([]);
  });

  test('a bulk change takes a query', async () => {
    const tagged = items.filter(({ tags }) => tags.includes('Art'));
    const change = { action: 'finish', filter: { q: 'tag:art' } };
    const { body } = await ana.post('/api/v1/media/bulk', change);
    expect(body.data.changed + body.data.unchanged).toBe(tagged.length);
  });

  test('a mistake is answered with its position', async () => {
    for (const path of ['/media?q=', '/api/v1/search?q=']) {
      const answer = await ana.get(`${path}${encodeURIComponent('  fog foo:bar')}`);
      expect(answer).toMatchObject(failure(400, 'E_INVALID_QUERY'));
      expect(answer.body.error.details).toEqual({ position: 6 });
    }
  });
});
