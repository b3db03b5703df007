import { beforeAll, describe, expect, test } from 'vitest';
import { seedArticles } from '../../../test/browser/seed.ts';
import { failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { openExport } from '../../../test/support/export.ts';
import { createLibrary, createReader, join, type Reader } from '../../../test/support/libraries.ts';
import { liveBytes } from '../../../test/support/live-memory.ts';
import { saveReady } from '../../../test/support/saved-media.ts';
import { EXPORT_FORMATS, libraryExport } from '../../contract/export.ts';
import { newId } from '../../platform/ids.ts';

const MB = 1024 * 1024;

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
let owner: Reader;
beforeAll(async () => {
  owner = await createReader(app);
});

const own = (reader: Reader, query = '') => `/libraries/${reader.defaultLibraryId}/export${query}`;

/** The titles of an exported library. */
async function titles(reader: Reader, path: string): Promise<string[]> {
  const { body } = await reader.get(path);
  return libraryExport.parse(body).documents.map(({ title }) => title ?? '');
}

describe('a library as JSON', () => {
  test('contains links, metadata, reading progress and text', async () => {
    const reader = await createReader(app);
    const url = 'https://example.org/a?x=1&utm_source=mail';
    const saved = await reader.post('/media/from_url', { url });
    const book = await saveReady(sql, reader, { title: 'A "book"', author: 'Ana', texts: ['One.', 'Two.'] });
    await app.call('PUT', `/media/${book}/reading`, {
      key: reader.key,
      body: { progress: 1, finished: true },
    });

    const { status, headers, body } = await reader.get(own(reader));
    expect(status).toBe(200);
    expect(headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''My%20library.json");
    const { documents, ...rest } = libraryExport.parse(body);
    expect(rest).toMatchObject({
      document_count: 2,
      mode: 'PUBLIC',
      library: { id: reader.defaultLibraryId },
    });
    expect(documents[0]).toMatchObject({
      id: saved.body.data.media_id,
      url: 'https://example.org/a?x=1',
      requested_url: url,
      texts: [],
      reading: null,
      withheld: false,
    });
    expect(documents[1]).toMatchObject({
      id: book,
      url: null,
      title: 'A "book"',
      author: 'Ana',
      reading: { progress: 1, finished_at: expect.any(Date) },
      texts: [
        { title: null, text: 'One.', t_start_ms: null, t_end_ms: null },
        { title: null, text: 'Two.', t_start_ms: null, t_end_ms: null },
      ],
    });
  });

  test('that is empty is complete', async () => {
    const reader = await createReader(app);
    const { body } = await reader.get(own(reader));
    expect(libraryExport.parse(body)).toMatchObject({ documents: [], document_count: 0 });
  });

  test('that is the default library contains shared media before any backfill, and nothing else of others', async () => {
    const reader = await createReader(app);
    const library = await createLibrary(owner);
    const shared = await saveReady(sql, owner, { title: 'Shared' });
    await saveReady(sql, owner, { title: 'Private' });
    await owner.post(`/libraries/${library}/media`, { media_id: shared });
    await join(owner, library, reader);
    await saveReady(sql, reader, { title: 'Mine' });
    expect(await titles(reader, own(reader))).toEqual(['Shared', 'Mine']);
    expect(await titles(reader, `/libraries/${library}/export`)).toEqual(['Shared']);

    await owner.delete(`/libraries/${library}/members/${reader.id}`);
    expect(await titles(reader, own(reader))).toEqual(['Mine']);
    expect(await reader.get(`/libraries/${library}/export`)).toMatchObject(
      failure(404, 'E_LIBRARY_NOT_FOUND'),
    );
  });

  test('contains what a query finds', async () => {
    const reader = await createReader(app);
    for (const title of ['Tides', 'Sand', 'Neap tides']) await saveReady(sql, reader, { title });
    expect(await titles(reader, own(reader, '?q=tides'))).toEqual(['Tides', 'Neap tides']);
    expect(await titles(reader, own(reader, '?q=tag%3Anone%20or%20sand'))).toEqual(['Sand']);
    const refused = await reader.get(own(reader, '?q=foo%3Abar'));
    expect(refused).toMatchObject(failure(400, 'E_INVALID_QUERY'));
    expect(refused.body.error.details).toEqual({ position: 0 });
  });

  test('is refused with a message', async () => {
    expect(await owner.get(`/libraries/${newId()}/export`)).toMatchObject(
      failure(404, 'E_LIBRARY_NOT_FOUND'),
    );
    expect(await owner.get(own(owner, '?format=csv'))).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    expect(await owner.get(own(owner, '?mode=RAW'))).toMatchObject(failure(403, 'E_MODE_FORBIDDEN'));
  });
});

describe('a library as bookmarks', () => {
  test('contains every link, escaped, and no uploads', async () => {
    const reader = await createReader(app);
    await reader.post('/media/from_url', { url: 'https://example.org/b?x=1&y="2"' });
    const read = await reader.post('/media/from_url', { url: 'https://example.org/read' });
    await sql`update media set title = ${'<Tom> & "Jerry"\nagain'} where id = ${read.body.data.media_id}`;
    await app.call('PUT', `/media/${read.body.data.media_id}/reading`, {
      key: reader.key,
      body: { progress: 1, finished: true },
    });
    await saveReady(sql, reader, { title: 'An upload', kind: 'pdf' });
    const { status, headers, body } = await reader.get(own(reader, '?format=html'));
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    // The file contains foreign text as HTML on this origin: a browser must not render it.
    expect(headers.get('content-disposition')).toMatch(/^attachment/);
    expect(body).toMatch(/^<!DOCTYPE NETSCAPE-Bookmark-file-1>/);
    expect(body.match(/<DT><A .*/g)).toEqual([
      expect.stringMatching(
        /^<DT><A HREF="https:\/\/example.org\/b\?x=1&amp;y=%222%22" ADD_DATE="\d{10}" TOREAD="1">example.org\/b<\/A>$/,
      ),
      expect.stringMatching(/ADD_DATE="\d{10}" TOREAD="0">&lt;Tom&gt; &amp; "Jerry" again<\/A>$/),
    ]);
  });
});

describe('a document as Markdown', () => {
  test('starts with its metadata', async () => {
    const id = await saveReady(sql, owner, { title: 'On: tides', author: 'Ana', texts: ['High water.'] });
    await sql`
      update media_fragments set html_sanitized = '<p>High <em>water</em>.</p>' where media_id = ${id}`;
    const { status, headers, body } = await owner.get(`/media/${id}/export`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''On%20%20tides.md");
    expect(body).toBe('---\ntitle: "On: tides"\nauthor: "Ana"\n---\n\n# On: tides\n\nHigh *water*.\n\n');
  });

  test('is refused without access, and while there is no text', async () => {
    const id = await saveReady(sql, owner, { title: 'Empty' });
    const stranger = await createReader(app);
    expect(await stranger.get(`/media/${id}/export`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    expect(await owner.get(`/media/${id}/export`)).toMatchObject(failure(409, 'E_INVALID_STATE'));
  });
});

describe('HEAD', () => {
  /** The headers that say what a file is. */
  const described = (headers: Headers) =>
    ['content-type', 'content-disposition', 'cache-control'].map((name) => headers.get(name));

  test('answers with the headers of the file, and without the file', async () => {
    const reader = await createReader(app);
    const id = await saveReady(sql, reader, { title: 'On tides', texts: ['High water.'] });
    for (const path of [
      ...EXPORT_FORMATS.map((format) => own(reader, `?format=${format}`)),
      `/media/${id}/export`,
    ]) {
      for (const address of [path, `/api/v1${path}`]) {
        const file = await reader.get(address);
        const head = await app.call('HEAD', address, { key: reader.key });
        expect([file.status, head.status]).toEqual([200, 200]);
        expect(described(head.headers)).toEqual(described(file.headers));
        expect(described(head.headers)).not.toContain(null);
        expect(head.body).toBe('');
      }
    }
  });

  test('is refused as GET is', async () => {
    const stranger = await createReader(app);
    const id = await saveReady(sql, owner, { title: 'Private', texts: ['Words.'] });
    const paths = [
      own(owner),
      own(stranger, '?format=csv'),
      own(stranger, '?mode=RAW'),
      `/media/${id}/export`,
    ];
    const statuses = (method: string) =>
      Promise.all(paths.map(async (path) => (await app.call(method, path, { key: stranger.key })).status));
    expect(await statuses('HEAD')).toEqual([404, 400, 403, 404]);
    expect(await statuses('GET')).toEqual([404, 400, 403, 404]);
  });
});

describe('a removal while an export runs', () => {
  const LONG = 'word '.repeat(20_000);

  let library: string;
  // More than the socket buffers of both sides, and more than one page.
  beforeAll(async () => {
    library = await createLibrary(owner);
    for (let n = 0; n < 130; n++) {
      const media_id = await saveReady(sql, owner, { title: `Long ${n}`, texts: [LONG] });
      await owner.post(`/libraries/${library}/media`, { media_id });
    }
  });

  test('aborts the export of that library: the file is incomplete', { tags: 'slow' }, async () => {
    const reader = await createReader(app);
    await join(owner, library, reader);
    const under = await openExport(app, reader.key, `/libraries/${library}/export`);
    const begun = await under.read(1);
    await owner.delete(`/libraries/${library}/members/${reader.id}`);
    const rest = await under.read().catch((error: Error) => error.message);
    expect(begun + rest).not.toContain('document_count');
    expect(rest).toMatch(/terminated/);
  });

  test('continues the export of the default library without that library', { tags: 'slow' }, async () => {
    const reader = await createReader(app);
    await join(owner, library, reader);
    await saveReady(sql, reader, { title: 'Mine' });
    const under = await openExport(app, reader.key, own(reader));
    let text = await under.read(1);
    await owner.delete(`/libraries/${library}/members/${reader.id}`);
    text += await under.read();
    const { documents } = libraryExport.parse(JSON.parse(text));
    expect(documents.map(({ title }) => title)).toContain('Mine');
    // Documents that were already sent stay in the file; the last ones were not sent.
    expect(documents.length).toBeLessThan(100);
  });
});

test('6,000 documents are exported in bounded memory', { tags: 'slow' }, async () => {
  const reader = await createReader(app);
  await seedArticles(sql, { id: reader.id, default_library_id: reader.defaultLibraryId }, 6000);
  await sql`
    insert into media_fragments (id, media_id, idx, html_sanitized, canonical_text)
    select gen_random_uuid(), media.id, 0, '', repeat('Words of a text that is twelve kilobytes long. ', 255)
    from media where created_by_user_id = ${reader.id}`;
  await sql`analyze`;
  const before = liveBytes();
  let highest = before;
  let count = 0;
  let size = 0;
  const under = await openExport(app, reader.key, own(reader));
  for (let chunk = await under.read(5 * MB); chunk !== ''; chunk = await under.read(5 * MB)) {
    size += chunk.length;
    count += chunk.split('"withheld":').length - 1;
    highest = Math.max(highest, liveBytes());
  }
  expect(size).toBeGreaterThan(72_000_000);
  // A word may be split over two chunks.
  expect(count).toBeGreaterThan(5900);
  // The chunk in hand takes 5 MB and buffers some more, the whole export more than 72 MB.
  expect(highest - before).toBeLessThan(50 * MB);
});
