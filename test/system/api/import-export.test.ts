import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { EXPORT_FORMATS, libraryExport } from '../../../src/contract/export.ts';
import { type Highlight, QUOTE_CONTEXT } from '../../../src/contract/highlights.ts';
import type { Media } from '../../../src/contract/media.ts';
import { batchesOf, payloadOf } from '../../../web/src/transfer/batches.ts';
import { recognise } from '../../../web/src/transfer/formats/recognise.ts';
import { readZip } from '../../../web/src/transfer/formats/zip.ts';
import { parseImport } from '../../../web/src/transfer/parsed-import.ts';
import { createPerson, useApp } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';
import { createLibrary, createReader, join, type Reader } from '../../support/libraries.ts';
import { saveReady } from '../../support/saved-media.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

async function exported(reader: Reader, format: string): Promise<Uint8Array> {
  const address = `${app.url}/libraries/${reader.defaultLibraryId}/export?format=${format}`;
  const response = await fetch(address, { headers: { 'x-nexus-api-key': reader.key } });
  expect(response.status).toBe(200);
  return new Uint8Array(await response.arrayBuffer());
}

async function submit(reader: Reader, payload: object) {
  const body = { job_type: 'ingest_batch', payload, execution_mode: 'sync' };
  const { status, body: submitted } = await reader.post('/api/v1/jobs/submit', body);
  expect(status, JSON.stringify(submitted)).toBe(200);
  const job = (await reader.get(`/api/v1/jobs/${submitted.job_id}`)).body;
  expect(job, JSON.stringify(job.error_text)).toMatchObject({ status: 'succeeded' });
  return job;
}

/** Imports a file as the web app does. */
async function importFile(reader: Reader, file: Uint8Array): Promise<void> {
  const { urls, savedAt, details } = parseImport([recognise(file)]);
  const links = urls.map((url, index) => ({
    url,
    savedAt: savedAt[index] ?? 0,
    details: details[index] ?? null,
  }));
  for (const batch of batchesOf(links)) await submit(reader, payloadOf(batch));
}

const highlightsOf = async (reader: Reader, mediaId: string): Promise<Highlight[]> =>
  (await reader.get(`/api/v1/media/${mediaId}/highlights?limit=200`)).body.data;

/** Everything that a person has, without ids. */
async function everythingOf(reader: Reader) {
  const { body } = await reader.get('/api/v1/media?sort=added&order=asc&limit=200');
  return Promise.all(
    body.data.map(async ({ id, canonical_url, requested_url, added_at, mine, reading }: Media) => ({
      url: canonical_url,
      requested_url,
      added_at,
      mine,
      reading,
      highlights: (await highlightsOf(reader, id))
        .map(({ target, color, note, created_at, updated_at }) => ({
          target,
          color,
          note,
          created_at,
          updated_at,
        }))
        .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    })),
  );
}

/** Text as people write it, including what markup, tables and JSON must escape. */
const prose = (maxLength: number) =>
  fc
    .string({
      unit: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...'abc <>&"\',;=-\n\\|#[]') },
        { weight: 1, arbitrary: fc.constantFrom('é', '漢', '𝒜', '‏', '\u00a0') },
      ),
      minLength: 1,
      maxLength,
    })
    .map((given) => given.trim())
    .filter((given) => given !== '');
const line = (maxLength: number) => prose(maxLength).map((given) => given.replace(/\s+/g, ' '));
const moment = fc
  .date({ min: new Date('2001-01-01'), max: new Date('2026-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const second = moment.map((text) => text.replace(/\.\d+Z$/, '.000Z'));
const tag = fc
  .array(fc.stringMatching(/^[a-z漢é][a-z漢é &<-]{0,8}[a-z漢é]$/u), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join('/'));

const highlight = fc.record({
  target: fc
    .record({
      fragment_idx: fc.nat(3),
      start: fc.nat(5000),
      exact: prose(80),
      prefix: line(64),
      suffix: line(64),
    })
    .map(({ fragment_idx, start, exact, prefix, suffix }) => ({
      fragment_idx,
      selector: [
        { type: 'TextPositionSelector', start, end: start + exact.length },
        { type: 'TextQuoteSelector', exact, prefix: prefix.slice(0, QUOTE_CONTEXT), suffix },
      ],
    })),
  color: fc.constantFrom('yellow', 'green', 'blue', 'pink', 'purple'),
  note: fc.option(prose(60), { nil: undefined }),
  created_at: moment,
  updated_at: moment,
});

const highlightOf = (quote: { exact: string; prefix: string; suffix: string }, note?: string) => ({
  target: {
    fragment_idx: 0,
    selector: [
      { type: 'TextPositionSelector', start: 0, end: quote.exact.length },
      { type: 'TextQuoteSelector', ...quote },
    ],
  },
  color: 'yellow' as const,
  note,
  created_at: '2001-01-01T00:00:00.000Z',
  updated_at: '2001-01-01T00:00:00.000Z',
});

const details = fc.record(
  {
    title: line(40),
    own_title: line(40),
    tags: fc.uniqueArray(tag, { maxLength: 4 }),
    is_favourite: fc.boolean(),
    is_archived: fc.boolean(),
    note: prose(100),
    reading: fc
      .record({ progress: fc.integer({ min: 1, max: 100 }), updated_at: moment, isFinished: fc.boolean() })
      .map(({ progress, updated_at, isFinished }) => ({
        progress: progress / 100,
        updated_at,
        finished_at: isFinished ? updated_at : null,
        position: { place: progress },
      })),
    highlights: fc.uniqueArray(highlight, { maxLength: 4, selector: ({ created_at }) => created_at }),
  },
  { requiredKeys: [] },
);

const library = fc.array(fc.record({ saved_at: second, details }), { minLength: 1, maxLength: 5 });

let imports = 0;

/** A person with these items, and the links of nobody else. */
async function personWith(items: { saved_at: string; details: object }[]): Promise<Reader> {
  imports += 1;
  const reader = await createReader(app);
  await submit(reader, {
    urls: items.map((_, index) => `https://example.org/${imports}/${index}?a=1&b="2"#part-${index}`),
    saved_at: items.map(({ saved_at }) => saved_at),
    details: items.map((item) => item.details),
  });
  return reader;
}

describe('a round trip into an empty account', () => {
  test('keeps everything as JSON, and importing it again changes nothing', {
    tags: 'slow',
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(library, async (items) => {
        const before = await personWith(items);
        const file = await exported(before, 'json');
        const after = await createReader(app);
        await importFile(after, file);
        expect(await everythingOf(after)).toEqual(await everythingOf(before));
        await importFile(after, file);
        await importFile(before, file);
        expect(await everythingOf(after)).toEqual(await everythingOf(before));
        expect(await exportedDocuments(after)).toEqual(await exportedDocuments(before));
      }),
      { numRuns: 12 },
    );
  });

  test('saves a document whose typed address leads elsewhere under its own address', async () => {
    const before = await personWith([{ saved_at: '2020-01-01T00:00:00Z', details: {} }]);
    const [{ url }] = await everythingOf(before);
    await sql`
      update default_library_intrinsics set requested_url = 'https://short.example/1'
      where default_library_id = ${before.defaultLibraryId}`;
    const after = await createReader(app);
    await importFile(after, await exported(before, 'json'));
    expect(await everythingOf(after)).toMatchObject([{ url, requested_url: url }]);
  });

  test('keeps as bookmarks what bookmarks have', async () => {
    const withoutTheRest = async (reader: Reader) =>
      (await everythingOf(reader)).map(({ url, added_at, mine, reading }) => ({
        url,
        added_at,
        mine,
        isFinished: reading?.finished_at != null,
      }));
    await fc.assert(
      fc.asyncProperty(library, async (items) => {
        const before = await personWith(items);
        const after = await createReader(app);
        await importFile(after, await exported(before, 'html'));
        expect(await withoutTheRest(after)).toEqual(await withoutTheRest(before));
      }),
      { numRuns: 8 },
    );
  }, 120_000);

  test('keeps highlights as Web Annotations and as the table of Readwise', async () => {
    const quotes = async (reader: Reader, isExact: boolean) =>
      (await everythingOf(reader)).flatMap(({ url, highlights }) =>
        highlights.map(({ target, note, color, created_at }: Highlight) => [
          url,
          target.selector[1]?.type === 'TextQuoteSelector' && target.selector[1].exact,
          note,
          ...(isExact ? [color, created_at] : [String(created_at).slice(0, 19)]),
        ]),
      );
    // The table names a passage by its words alone.
    const distinct = fc.uniqueArray(highlight, {
      minLength: 1,
      maxLength: 4,
      selector: ({ target }) => target.selector[1]?.exact?.replace(/\s/g, ''),
    });
    const startsLikeFormula = highlightOf({ exact: "''=a", prefix: 'a', suffix: 'a' }, "'=a");
    await fc.assert(
      fc.asyncProperty(distinct, async (highlights) => {
        const before = await personWith([{ saved_at: '2020-01-01T00:00:00Z', details: { highlights } }]);
        for (const format of ['jsonld', 'readwise']) {
          const after = await createReader(app);
          await importFile(after, await exported(before, format));
          const sorted = async (reader: Reader) =>
            (await quotes(reader, format === 'jsonld')).map(String).toSorted();
          expect(await sorted(after), format).toEqual(await sorted(before));
        }
      }),
      { numRuns: 8, examples: [[[startsLikeFormula]]] },
    );
  }, 120_000);

  test('keeps highlights of the same words in different places as Web Annotations', async () => {
    const refrain = (prefix: string, suffix: string, created_at: string) => ({
      ...highlightOf({ exact: 'nothing more', prefix, suffix }),
      created_at,
    });
    const highlights = [
      refrain('tapping at my door: only this and ', ' than this', '2001-01-01T00:00:00.000Z'),
      refrain('’tis the wind and ', '! Open here', '2001-01-02T00:00:00.000Z'),
    ];
    const before = await personWith([{ saved_at: '2020-01-01T00:00:00Z', details: { highlights } }]);
    const after = await createReader(app);
    const file = await exported(before, 'jsonld');
    for (const reader of [after, after, before]) await importFile(reader, file);
    const datesOf = async (reader: Reader) =>
      (await everythingOf(reader))
        .flatMap((one) => one.highlights.map(({ created_at }: Highlight) => created_at))
        .toSorted();
    const dates = highlights.map(({ created_at }) => created_at);
    expect([await datesOf(before), await datesOf(after)]).toEqual([dates, dates]);
  });
});

async function exportedDocuments(reader: Reader) {
  const text = new TextDecoder().decode(await exported(reader, 'json'));
  return libraryExport
    .parse(JSON.parse(text))
    .documents.map(({ mine: { imported_title: _, ...mine }, highlights, reading, added_at, url }) => ({
      url,
      mine,
      reading,
      added_at,
      count: highlights.length,
    }));
}

describe('an imported highlight', () => {
  const TEXT = 'The harbour froze in January. Nobody had seen ice on the harbour before.';
  const bare = (exact: string, fields: object = {}) => ({
    target: { fragment_idx: 0, selector: [{ type: 'TextQuoteSelector', exact }] },
    ...fields,
  });

  test('finds its place in a text that is there, once, and keeps its date', async () => {
    const reader = await createReader(app);
    const url = 'https://example.org/placed';
    const id = await saveReady(sql, reader, { title: 'Ice', texts: ['A preface.', TEXT] });
    await sql`update media set canonical_url = ${url}, given_title = 'example.org/placed' where id = ${id}`;
    const created_at = '2019-05-01T10:00:00.000Z';
    const highlights = [bare('Nobody had\n\nseen ice', { created_at }), bare('the harbour was loud')];
    const payload = { urls: [url], details: [{ title: 'Old ice', highlights }] };
    await submit(reader, payload);
    const worker = await app.engine.work({ concurrency: 2, pollSeconds: 0.1, graceSeconds: 10 });
    await expect
      .poll(async () => (await highlightsOf(reader, id)).filter(({ is_placed }) => is_placed), {
        timeout: 20_000,
      })
      .toMatchObject([
        {
          target: { fragment_idx: 1, selector: [{ start: 30 }, { exact: 'Nobody had seen ice' }] },
          created_at,
        },
      ]);
    await submit(reader, payload);
    await worker.stop();
    expect(await highlightsOf(reader, id)).toHaveLength(2);
    // The page has a title, so that of the other program is not shown.
    expect((await reader.get(`/api/v1/media/${id}`)).body.data.mine.title).toBeNull();
    await sql`
      update media
      set processing_status = 'failed', failure_stage = 'extract', last_error_code = 'E_NOT_FOUND',
          last_error_message = 'Gone.', failed_at = now()
      where id = ${id}`;
    expect((await reader.get(`/api/v1/media/${id}`)).body.data.mine.title).toBe('Old ice');
  });

  test('of somebody else is in no export', async () => {
    const [ana, ben] = [await createReader(app), await createReader(app)];
    const shared = await createLibrary(ana);
    const media_id = await saveReady(sql, ana, { title: 'Shared', texts: [TEXT] });
    await ana.post(`/libraries/${shared}/media`, { media_id });
    await join(ana, shared, ben);
    const mark = (reader: Reader, exact: string) =>
      reader.post(`/api/v1/media/${media_id}/highlights`, {
        ...bare(exact),
        note: `Note of ${exact}`,
        visibility: { library_ids: [shared] },
      });
    expect([(await mark(ana, 'froze')).status, (await mark(ben, 'ice')).status]).toEqual([201, 201]);
    await ana.patch(`/api/v1/media/${media_id}/mine`, { note: 'Private words', tags: ['secret'] });
    for (const format of EXPORT_FORMATS) {
      const bytes = await exported(ben, format);
      const text = Buffer.from(bytes).toString('utf8');
      expect(text, format).not.toMatch(/Note of froze|Private words|secret/);
      if (format !== 'html') expect(text, format).toContain('Note of ice');
    }
  });
});

test('what a person imports is seen by nobody else, not even by an admin in the job', async () => {
  const reader = await createReader(app);
  const admin = await createPerson(app, { role: 'admin' });
  const job = await submit(reader, {
    urls: ['https://example.org/private'],
    details: [{ note: 'My words', tags: ['mine'] }],
  });
  expect(job.payload.details).toMatchObject([{ note: 'My words' }]);
  const { body } = await app.call('GET', `/api/v1/jobs/${job.job_id}`, { key: admin.key });
  expect(body.payload).toEqual({ urls: ['https://example.org/private'] });
});

test('an import adds to what a person has, and replaces nothing', async () => {
  const reader = await createReader(app);
  const urls = ['https://example.org/both', 'https://example.org/both#again'];
  const first = { own_title: 'Mine', note: 'First', tags: ['a'], reading: { progress: 0.5 } };
  await submit(reader, { urls: [urls[0]], details: [first] });
  const second = { own_title: 'Theirs', title: 'T', note: 'Second', tags: ['A', 'b'], is_favourite: true };
  await submit(reader, {
    urls,
    details: [second, { reading: { progress: 1 }, is_archived: true, tags: ['c'] }],
  });
  const { body } = await reader.get('/api/v1/media');
  expect(body.data).toMatchObject([
    {
      reading: { progress: 0.5 },
      mine: {
        title: 'Mine',
        note: 'First\n\nSecond',
        tags: ['a', 'b', 'c'],
        is_favourite: true,
        is_archived: true,
      },
    },
  ]);
  const added = await sql`select distinct added_by from media_tags where user_id = ${reader.id}`;
  expect([...added]).toEqual([{ added_by: 'import' }]);
});

test('an import gives a media no more than 100 tags, the first of those in the file', async () => {
  const reader = await createReader(app);
  const urls = ['https://example.org/many-tags'];
  const names = (from: number) => Array.from({ length: 60 }, (_, n) => `t${from + n}`);
  await submit(reader, { urls, details: [{ tags: names(0) }] });
  await submit(reader, { urls, details: [{ tags: names(50) }] });
  const { body } = await reader.get('/api/v1/media');
  const tags: string[] = body.data[0].mine.tags;
  expect(new Set(tags)).toEqual(new Set([...names(0), ...names(50).slice(0, 50)]));
});

test.each<[string, object]>([
  ['fewer details than links', { details: [] }],
  [
    'a quote of white space',
    {
      details: [
        {
          highlights: [
            { target: { fragment_idx: 0, selector: [{ type: 'TextQuoteSelector', exact: ' \n' }] } },
          ],
        },
      ],
    },
  ],
  [
    'half a character in a quote',
    {
      details: [
        {
          highlights: [
            { target: { fragment_idx: 0, selector: [{ type: 'TextQuoteSelector', exact: 'a\ud800' }] } },
          ],
        },
      ],
    },
  ],
  ['NUL in a position', { details: [{ reading: { progress: 1, position: { a: '\0' } } }] }],
  ['a tag that is none', { details: [{ tags: ['a,b'] }] }],
])('%s is refused', async (_name, fields) => {
  const reader = await createReader(app);
  const body = { job_type: 'ingest_batch', payload: { urls: ['https://example.org/x'], ...fields } };
  expect(await reader.post('/api/v1/jobs/submit', body)).toMatchObject({ status: 400 });
});

describe('the Markdown files', () => {
  let files: Map<string, string>;
  beforeAll(async () => {
    const reader = await createReader(app);
    const titles = ['A: "title" / #1', 'a  title', 'CON', '2024-03-01'];
    for (const title of titles) {
      const id = await saveReady(sql, reader, {
        title,
        author: 'Ana',
        texts: ['One *line*.\nAnother line of it.'],
      });
      if (!title.startsWith('A:')) continue;
      await reader.patch(`/api/v1/media/${id}/mine`, {
        tags: ['to read/2024', '2024'],
        note: 'My **note**',
        is_favourite: true,
      });
      const target = { fragment_idx: 0, selector: [{ type: 'TextPositionSelector', start: 0, end: 30 }] };
      await reader.post(`/api/v1/media/${id}/highlights`, { target, note: 'Why?' });
    }
    const zip = Buffer.from(await exported(reader, 'md'));
    // The importer reads only Markdown of a folder with this name.
    files = new Map(readZip(zip, /\.md$/).map(({ name, text }) => [name, text]));
  });

  test('have names that every system allows, each once', () => {
    expect([...files.keys()]).toEqual(['A title 1.md', 'a title.md', 'Untitled CON.md', '2024-03-01.md']);
    expect(files.get('2024-03-01.md')).toMatch(/^---\ntitle: "2024-03-01"\n/);
  });

  test('have metadata, the note, and highlights as quotes', () => {
    expect(files.get('A title 1.md')?.replace(/saved: \d{4}-\d\d-\d\d/, 'saved: DAY')).toBe(`---
title: "A: \\"title\\" / #1"
author: "Ana"
saved: DAY
tags:
  - "tag-2024"
  - "to-read/2024"
favourite: true
---

# A: "title" / #1

## Note

My **note**

## Highlights

> One \\*line\\*.
> 
> Another line of it

Why?

`);
  });
});
