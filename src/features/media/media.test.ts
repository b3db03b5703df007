import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createPerson, failure, useApp } from '../../../test/support/app.ts';
import { makeEpub } from '../../../test/support/fixtures/epub.ts';
import { makePage } from '../../../test/support/fixtures/pages.ts';
import { makePdf } from '../../../test/support/fixtures/pdf.ts';
import { startSite } from '../../../test/support/internet.ts';
import { auditOf, createLibrary, createReader, join, type Reader } from '../../../test/support/libraries.ts';
import { useServer } from '../../../test/support/server.ts';
import { newId } from '../../platform/ids.ts';
import type { Worker } from '../../platform/jobs/worker.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** The answers of the test's own site, by path. */
interface Page {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
}
const pages = new Map<string, Page>();
const site = await startSite((request, response) => {
  const url = request.url ?? '';
  const page: Page = pages.get(url) ?? pages.get(url.split('?')[0] ?? '') ?? { status: 404 };
  const { status = 200, headers = { 'content-type': 'text/html' }, body = '' } = page;
  response.writeHead(status, headers).end(body);
});

const database = await useServer();
const { sql } = database;
const app = useApp(database, { NEXUS_EGRESS_ALLOW: site.host }, { youtubeOrigin: site.url });
let reader: Reader;
let worker: Worker;

beforeAll(async () => {
  reader = await createReader(app);
  worker = await app.engine.work({ concurrency: 4, pollSeconds: 0.2, graceSeconds: 5 });
});
afterAll(() => worker.stop());

const save = (path: string, by = reader) => by.post('/media/from_url', { url: `${site.url}${path}` });

async function until(id: string, status: string, by = reader) {
  return vi.waitFor(async () => {
    const { body } = await by.get(`/media/${id}`);
    expect(body.data?.processing_status).toBe(status);
    return body.data;
  }, 20_000);
}

describe('a link', () => {
  test('becomes readable, and then searchable', async () => {
    pages.set('/lamp', { body: makePage({ title: 'The lamp' }) });
    const saved = await save('/lamp?utm_source=x#top');
    expect(saved).toMatchObject({ status: 201, body: { data: { created: true, enqueued: true } } });
    const media = await until(saved.body.data.media_id, 'ready');
    expect(media).toMatchObject({
      kind: 'web_article',
      title: 'The lamp',
      canonical_url: `${site.url}/lamp`,
      requested_url: `${site.url}/lamp?utm_source=x#top`,
      processing_attempts: 1,
      failure_stage: null,
      capabilities: { can_read: true, can_search: true, can_play: false, can_download_file: false },
    });
    const { body } = await reader.get(`/media/${media.id}/fragments`);
    expect(body.data).toHaveLength(1);
    expect(body.data[0]).toMatchObject({ idx: 0, t_start_ms: null });
    expect(body.data[0].html_sanitized).toContain('<p>');
    const found = await sql`
      select from media_search where media_id = ${media.id} and document @@ to_tsquery('simple', 'lamp')`;
    expect(found).toHaveLength(1);
    expect((await reader.get(`/media/${media.id}/attempts`)).body.data).toMatchObject([
      { attempt_number: 1, step: 'extract', status: 'succeeded', summary: 'It could be read.' },
      { attempt_number: 2, step: 'index', status: 'succeeded' },
    ]);
  });

  test('is saved by POST /api/v1/media, whose Location is the media', async () => {
    pages.set('/located', { body: makePage({ title: 'Located' }) });
    const post = (body: object) => reader.post('/api/v1/media', body);
    const url = `${site.url}/located`;
    const first = await post({ url });
    expect(first).toMatchObject({ status: 201, body: { data: { created: true, enqueued: true } } });
    const { media_id } = first.body.data;
    expect(first.headers.get('location')).toBe(`/api/v1/media/${media_id}`);
    expect(await reader.get(first.headers.get('location') ?? '')).toMatchObject({
      status: 200,
      body: { data: { id: media_id, kind: 'web_article', requested_url: url } },
    });
    const again = await post({ url, kind: 'web_article' });
    expect(again).toMatchObject({ status: 200, body: { data: { media_id, created: false } } });
    expect(again.headers.get('location')).toBeNull();
    expect(await post({ url, kind: 'poem' })).toMatchObject(failure(400, 'E_INVALID_KIND'));
    expect(await post({ url: 'lamp' })).toMatchObject(failure(400, 'E_INVALID_URL'));
    for (const body of [{}, { url, title: 'x' }])
      expect(await post(body)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test('saved by fifty people in parallel, in every spelling, is one media in each default library', async () => {
    pages.set('/shared', { body: makePage({ title: 'Shared' }) });
    const readers = await Promise.all(Array.from({ length: 10 }, () => createReader(app)));
    const forms = [
      '/shared',
      '/shared?utm_medium=a',
      '/shared#x',
      '/shared?gclid=1',
      '/shared?fbclid=2&utm_campaign=y',
    ];
    const answers = await Promise.all(readers.flatMap((by) => forms.map((form) => save(form, by))));
    expect(answers.filter(({ status }) => status >= 400)).toEqual([]);
    expect(new Set(answers.map(({ body }) => body.data.media_id)).size).toBe(1);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const id = answers[0]?.body.data.media_id;
    for (const by of readers) await until(id, 'ready', by);
    expect(await auditOf(sql)).toEqual([]);
  });

  test.each([
    ['no address', 'lamp'],
    ['another scheme', 'ftp://example.org/x'],
    ['credentials', 'http://a:b@example.org/'],
    ['too many characters', `https://example.org/${'x'.repeat(2100)}`],
    ['too many characters once encoded', `https://example.org/${'ä'.repeat(1000)}`],
  ])('with %s is 400 and saves nothing', async (_case, url) => {
    const [before] = await sql`select count(*) as n from media`;
    expect(await reader.post('/media/from_url', { url })).toMatchObject(failure(400, 'E_INVALID_URL'));
    expect((await sql`select count(*) as n from media`)[0]).toEqual(before);
  });

  test.each(['pdf', 'epub', 'podcast_episode', 'poem'])('of the kind %s is 400', async (kind) => {
    const answer = await reader.post('/media/url', { kind, url: `${site.url}/lamp` });
    expect(answer).toMatchObject(failure(400, 'E_INVALID_KIND'));
  });

  test('to a PDF becomes a PDF with its file', async () => {
    pages.set('/paper', {
      headers: { 'content-type': 'application/pdf' },
      body: Buffer.from(makePdf({ pages: [['One'], ['Two']], title: 'A paper' })),
    });
    const { body } = await save('/paper');
    const media = await until(body.data.media_id, 'ready');
    expect(media).toMatchObject({ kind: 'pdf', title: 'A paper', page_count: 2 });
    expect(media.capabilities).toMatchObject({ can_read: true, can_download_file: true });
  });

  test('to a known page is united with it, for everybody who saved it', async () => {
    pages.set('/old', { status: 301, headers: { location: '/new' } });
    pages.set('/new', { body: makePage({ title: 'New' }) });
    const winner = (await save('/new')).body.data.media_id;
    await until(winner, 'ready');
    const other = await createReader(app);
    const loser = (await save('/old', other)).body.data.media_id;
    expect(loser).not.toBe(winner);
    await vi.waitFor(async () => expect((await other.get(`/media/${winner}`)).status).toBe(200), 30_000);
    expect(await other.get(`/media/${loser}`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    expect(await sql`select from media where id = ${loser}`).toHaveLength(0);
    expect(await auditOf(sql)).toEqual([]);
  });
});

describe('a link that fails', () => {
  test.each([
    ['/nowhere', { status: 404 }, 'E_PAGE_NOT_FOUND'],
    ['/members', { status: 401 }, 'E_LOGIN_REQUIRED'],
    ['/forbidden', { status: 403 }, 'E_ACCESS_DENIED'],
    ['/empty', { body: '<p> </p>' }, 'E_NO_READABLE_CONTENT'],
    ['/picture', { headers: { 'content-type': 'image/png' }, body: PNG }, 'E_UNSUPPORTED_CONTENT'],
  ])(
    '%s fails immediately with a message, and a retry works once it is fixed',
    async (path, answer, code) => {
      pages.set(path, answer);
      const { media_id } = (await save(path)).body.data;
      const failed = await until(media_id, 'failed');
      expect(failed).toMatchObject({
        failure_stage: 'extract',
        last_error_code: code,
        capabilities: { can_read: false },
      });
      expect(failed.last_error_message).toMatch(/^\S.*\.$/);
      const attempts = (await reader.get(`/media/${media_id}/attempts`)).body.data;
      expect(attempts).toMatchObject([
        { status: 'failed', error_code: code, summary: failed.last_error_message },
      ]);

      pages.set(path, { body: makePage({ title: 'Mended' }) });
      expect(await reader.post(`/media/${media_id}/retry`)).toMatchObject({
        status: 200,
        body: { data: { media_id, enqueued: true } },
      });
      expect(await until(media_id, 'ready')).toMatchObject({ title: 'Mended', last_error_code: null });
      expect(await reader.post(`/media/${media_id}/retry`)).toMatchObject(failure(409, 'E_INVALID_STATE'));
    },
  );

  test('is retried when somebody saves it again', async () => {
    pages.set('/again', { status: 410 });
    const { media_id } = (await save('/again')).body.data;
    await until(media_id, 'failed');
    pages.set('/again', { body: makePage({ title: 'Back' }) });
    const other = await createReader(app);
    expect(await save('/again', other)).toMatchObject({
      status: 200,
      body: { data: { media_id, created: false, enqueued: true } },
    });
    await until(media_id, 'ready', other);
  });

  test('and is saved by many in parallel is retried once', async () => {
    pages.set('/crowd', { status: 404 });
    const { media_id } = (await save('/crowd')).body.data;
    await until(media_id, 'failed');
    pages.set('/crowd', { body: makePage({ title: 'Crowd' }) });
    const readers = await Promise.all(Array.from({ length: 20 }, () => createReader(app)));
    const answers = await Promise.all(readers.map((by) => save('/crowd', by)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(answers.filter(({ body }) => body.data.enqueued)).toHaveLength(1);
    await until(media_id, 'ready');
  });

  test('can be retried by people who saved it and by admins of a library that contains it only', async () => {
    pages.set('/theirs', { status: 404 });
    const { media_id } = (await save('/theirs')).body.data;
    await until(media_id, 'failed');
    const [member, admin, stranger] = await Promise.all([
      createReader(app),
      createReader(app),
      createReader(app),
    ]);
    const libraryId = await createLibrary(reader);
    await join(reader, libraryId, member, 'member');
    await join(reader, libraryId, admin, 'admin');
    await reader.post(`/libraries/${libraryId}/media`, { media_id });
    const mayRetry = async (viewer: Reader) => {
      const [alone, { body: all }, { body: library }, { body: found }] = await Promise.all([
        viewer.get(`/media/${media_id}`),
        viewer.get(`/media?library_id=${libraryId}`),
        viewer.get(`/libraries/${libraryId}/media`),
        viewer.get('/api/v1/search?q=theirs'),
      ]);
      return [alone.body.data, all.data[0], library.data[0], found.data[0].media].map(
        ({ may_retry }) => may_retry,
      );
    };
    expect(await mayRetry(reader)).toEqual([true, true, true, true]);
    expect(await mayRetry(admin)).toEqual([true, true, true, true]);
    expect(await mayRetry(member)).toEqual([false, false, false, false]);
    expect(await stranger.post(`/media/${media_id}/retry`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    expect(await member.post(`/media/${media_id}/retry`)).toMatchObject(failure(403, 'E_FORBIDDEN'));
    expect((await admin.post(`/media/${media_id}/retry`)).status).toBe(200);
    await until(media_id, 'failed');
  });

  test('has failed when its job is cancelled, and can be retried', async () => {
    pages.set('/stuck', { body: makePage({ title: 'Stuck' }) });
    await worker.stop();
    const { media_id } = (await save('/stuck')).body.data;
    const [{ job_id } = { job_id: '' }] = await sql<
      { job_id: string }[]
    >`select job_id from media where id = ${media_id}`;
    await app.queue.control.cancel(job_id, { name: 'test' });
    expect(await until(media_id, 'failed')).toMatchObject({ last_error_code: 'E_PROCESSING_STOPPED' });
    worker = await app.engine.work({ concurrency: 4, pollSeconds: 0.2, graceSeconds: 5 });
    await reader.post(`/media/${media_id}/retry`);
    await until(media_id, 'ready');
  });
});

describe('a video', () => {
  const youtube = (id: string) => reader.post('/media/from_url', { url: `https://youtu.be/${id}?si=abc` });
  const player = (tracks: unknown[]) => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      playabilityStatus: { status: 'OK' },
      videoDetails: { title: 'On lamps', author: 'A channel' },
      captions: { playerCaptionsTracklistRenderer: { captionTracks: tracks } },
    }),
  });

  test('has its transcript as fragments with times', async () => {
    pages.set(
      '/youtubei/v1/player?prettyPrint=false',
      player([{ baseUrl: '/text?v=1', languageCode: 'en' }]),
    );
    pages.set('/text?v=1&fmt=json3', {
      body: JSON.stringify({ events: [{ tStartMs: 0, dDurationMs: 900, segs: [{ utf8: 'Lit.' }] }] }),
    });
    const { media_id } = (await youtube('dQw4w9WgXcQ')).body.data;
    const media = await until(media_id, 'ready');
    expect(media).toMatchObject({
      kind: 'video',
      title: 'On lamps',
      provider: 'youtube',
      provider_id: 'dQw4w9WgXcQ',
      external_playback_url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
      capabilities: { can_play: true, can_read: true },
    });
    const again = await reader.post('/media/url', {
      kind: 'video',
      url: 'https://m.youtube.com/embed/dQw4w9WgXcQ',
    });
    expect(again).toMatchObject({
      status: 200,
      body: { data: { media_id, created: false, enqueued: false } },
    });
    expect((await reader.get(`/media/${media_id}/fragments`)).body.data[0]).toMatchObject({ t_start_ms: 0 });
  });

  test('without a transcript fails, keeps its title and can be played', async () => {
    pages.set('/youtubei/v1/player?prettyPrint=false', player([]));
    const media = await until((await youtube('aaaaaaaaaaa')).body.data.media_id, 'failed');
    expect(media).toMatchObject({
      title: 'On lamps',
      failure_stage: 'transcribe',
      last_error_code: 'E_TRANSCRIPT_UNAVAILABLE',
      capabilities: { can_play: true, can_read: false },
    });
  });
});

describe('an upload', () => {
  const pdf = Buffer.from(makePdf({ pages: [['Uploaded']], title: 'Uploaded' }));

  async function upload(kind: string, bytes: Buffer, by = reader, contentType = 'application/pdf') {
    const begun = await by.post('/media/upload/init', {
      kind,
      filename: `my file.${kind}`,
      content_type: contentType,
      size_bytes: bytes.length,
    });
    expect(begun.status).toBe(201);
    const { media_id, upload_url, upload_headers } = begun.body.data;
    expect(upload_url).toMatch(/^\/api\/v1\/media\/upload\?token=./);
    expect(begun.headers.get('location')).toBe(`/api/v1/media/${media_id}`);
    const put = await fetch(app.url + upload_url, {
      method: 'PUT',
      headers: upload_headers,
      body: new Uint8Array(bytes),
    });
    expect(put.status).toBe(204);
    return { media_id, upload_url, ingest: () => by.post(`/media/${media_id}/ingest`) };
  }

  test('of a PDF becomes readable, and its file is served, whole and by range', async () => {
    const { media_id, ingest } = await upload('pdf', pdf);
    expect(await ingest()).toMatchObject({
      status: 200,
      body: { data: { media_id, duplicate: false, enqueued: true } },
    });
    expect(await until(media_id, 'ready')).toMatchObject({ kind: 'pdf', title: 'Uploaded' });
    const get = (headers: Record<string, string> = {}) =>
      fetch(`${app.url}/media/${media_id}/file`, { headers: { 'x-nexus-api-key': reader.key, ...headers } });
    const whole = await get();
    expect(Buffer.from(await whole.arrayBuffer()).equals(pdf)).toBe(true);
    expect(whole.headers.get('content-security-policy')).toContain('sandbox');
    const part = await get({ range: 'bytes=5-9' });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 5-9/${pdf.length}`);
    expect(Buffer.from(await part.arrayBuffer()).equals(pdf.subarray(5, 10))).toBe(true);
    const tail = await get({ range: 'bytes=-4' });
    expect(Buffer.from(await tail.arrayBuffer()).equals(pdf.subarray(-4))).toBe(true);
    const beyond = await get({ range: `bytes=${pdf.length}-` });
    expect(beyond.status).toBe(416);
    expect(beyond.headers.get('content-range')).toBe(`bytes */${pdf.length}`);
    const etag = whole.headers.get('etag') ?? '';
    const known = await get({ 'if-none-match': etag });
    expect([known.status, await known.text()]).toEqual([304, '']);
    expect((await get({ range: 'bytes=5-9', 'if-range': etag })).status).toBe(206);
    expect((await get({ range: 'bytes=5-9', 'if-range': '"another"' })).status).toBe(200);
    const stranger = await createReader(app);
    expect(await stranger.get(`/media/${media_id}/file`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
  });

  test('of the same file twice is one media, also in parallel', async () => {
    const own = await createReader(app);
    const uploads = await Promise.all([
      upload('pdf', pdf, own),
      upload('pdf', pdf, own),
      upload('pdf', pdf, own),
    ]);
    const answers = await Promise.all(uploads.map(({ ingest }) => ingest()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.data.media_id)).size).toBe(1);
    expect(answers.filter(({ body }) => !body.data.duplicate)).toHaveLength(1);
    expect(await sql`select from media where created_by_user_id = ${own.id}`).toHaveLength(1);
    expect(await auditOf(sql)).toEqual([]);
  });

  test('of an EPUB has chapters', async () => {
    const epub = Buffer.from(await makeEpub({}));
    const { media_id, ingest } = await upload('epub', epub, reader, 'application/epub+zip');
    await ingest();
    const media = await until(media_id, 'ready');
    expect(media.kind).toBe('epub');
    expect((await reader.get(`/media/${media_id}/fragments`)).body.data.length).toBeGreaterThan(0);
  });

  test('is refused with a reason when it is not what it claims', async () => {
    const init = (over: object) =>
      reader.post('/media/upload/init', {
        kind: 'pdf',
        filename: 'x.pdf',
        content_type: 'application/pdf',
        size_bytes: 10,
        ...over,
      });
    expect(await init({ kind: 'web_article' })).toMatchObject(failure(400, 'E_INVALID_KIND'));
    expect(await init({ content_type: 'text/html' })).toMatchObject(failure(400, 'E_INVALID_CONTENT_TYPE'));
    expect(await init({ size_bytes: 2 ** 40 })).toMatchObject(failure(400, 'E_FILE_TOO_LARGE'));
    const begun = await init({});
    expect(await reader.post(`/media/${begun.body.data.media_id}/ingest`)).toMatchObject(
      failure(400, 'E_STORAGE_MISSING'),
    );
    const fake = await upload('pdf', Buffer.from('<html>no</html>'));
    expect(await fake.ingest()).toMatchObject(failure(400, 'E_INVALID_FILE_TYPE'));
    const other = await createReader(app);
    expect(await other.post(`/media/${fake.media_id}/ingest`)).toMatchObject(
      failure(404, 'E_MEDIA_NOT_FOUND'),
    );
    const wrong = await fetch(app.url + begun.body.data.upload_url, {
      method: 'PUT',
      body: 'more than ten bytes',
    });
    expect(wrong.status).toBe(400);
    expect(
      (await fetch(`${app.url}/media/upload?token=forged.token`, { method: 'PUT', body: 'x' })).status,
    ).toBe(403);
  });
});

describe('images of pages', () => {
  const image = (url: string) =>
    fetch(`${app.url}/media/images?url=${encodeURIComponent(url)}`, {
      headers: { 'x-nexus-api-key': reader.key },
    });

  test('are served by Nexus and fetched once, when the page is saved', async () => {
    pages.set('/dot.png', { headers: { 'content-type': 'text/html' }, body: PNG });
    pages.set('/dotted', { body: makePage({ title: 'Dotted', article: '<p><img src="/dot.png"></p>' }) });
    await until((await save('/dotted')).body.data.media_id, 'ready');
    const fetched = () => site.requests.filter(({ url }) => url === '/dot.png').length;
    await vi.waitFor(async () => expect(await sql`select from images`).toHaveLength(1), 20_000);
    for (let i = 0; i < 3; i++) {
      const answer = await image(`${site.url}/dot.png`);
      expect(answer.headers.get('content-type')).toBe('image/png');
      expect(Buffer.from(await answer.arrayBuffer()).equals(PNG)).toBe(true);
    }
    expect(fetched()).toBe(1);
  });

  test('that are no images, or are at private addresses, are refused', async () => {
    pages.set('/evil.svg', {
      headers: { 'content-type': 'image/svg+xml' },
      body: '<svg onload="alert(1)"/>',
    });
    expect((await image(`${site.url}/evil.svg`)).status).toBe(404);
    expect((await image('http://169.254.169.254/latest')).status).toBe(400);
    expect((await image('http://127.0.0.1:1/x.png')).status).toBe(400);
    expect((await image('file:///etc/passwd')).status).toBe(400);
  });
});

describe('events', () => {
  type Told = { type: string; data: { media_id?: string; processing_status?: string } };
  const told = async (by: Reader, mediaId: string) => {
    const { body } = await by.get('/api/v1/events?limit=200');
    return body.data
      .filter(({ type, data }: Told) => data.media_id === mediaId && type !== 'media.projected')
      .map(({ type, data }: Told) => [type, data.processing_status].filter(Boolean).join(' '));
  };

  test('of every change of status are shown to people who may read the media', async () => {
    const [own, stranger] = await Promise.all([createReader(app), createReader(app)]);
    pages.set('/told', { status: 404 });
    const { media_id } = (await save('/told', own)).body.data;
    await until(media_id, 'failed', own);
    pages.set('/told', { body: makePage({ title: 'Told' }) });
    await own.post(`/media/${media_id}/retry`);
    await until(media_id, 'ready', own);
    const saved = ['library.media_added', 'media.created'];
    const started = 'media.status_changed extracting';
    expect(await told(own, media_id)).toEqual([
      ...saved,
      started,
      'media.failed',
      'media.status_changed pending',
      started,
      'media.ready',
      'media.status_changed embedding',
      'media.status_changed ready',
    ]);
    expect(await told(stranger, media_id)).toEqual([]);
  });
});

describe('what is saved', () => {
  test('is listed newest first, by kind, status and library, page by page, to people who can read it', async () => {
    const own = await createReader(app);
    const ids = [];
    for (const path of ['/one', '/two', '/three']) {
      pages.set(path, { body: makePage({ title: path }) });
      ids.push((await save(path, own)).body.data.media_id);
    }
    const listed = async (query: string, by = own) =>
      (await by.get(`/media?${query}`)).body.data.map((media: { id: string }) => media.id);
    expect(await listed('')).toEqual(ids.toReversed());
    const first = await own.get('/media?limit=2');
    expect(await listed(`limit=2&cursor=${first.body.page.next_cursor}`)).toEqual([ids[0]]);
    expect(await listed('kind=video')).toEqual([]);
    for (const id of ids) await until(id, 'ready', own);
    expect(await listed('status=ready')).toEqual(ids.toReversed());
    const libraryId = await createLibrary(own);
    await own.post(`/libraries/${libraryId}/media`, { media_id: ids[1] });
    expect(await listed(`library_id=${libraryId}`)).toEqual([ids[1]]);
    expect(await listed(`library_id=${libraryId}`, reader)).toEqual([]);
    expect(await listed('', await createReader(app))).toEqual([]);
    const member = await createReader(app);
    await join(own, libraryId, member);
    expect(await listed('', member)).toEqual([ids[1]]);
    expect((await own.get(`/libraries/${libraryId}/media`)).body.data).toMatchObject([
      { id: ids[1], processing_status: 'ready', capabilities: { can_read: true } },
    ]);
  });

  test('is removed from the default library, and stays where it is shared', async () => {
    const { media_id } = (await save('/lamp')).body.data;
    const libraryId = await createLibrary(reader);
    await reader.post(`/libraries/${libraryId}/media`, { media_id });
    expect((await reader.delete(`/media/${media_id}`)).status).toBe(204);
    expect((await reader.get(`/media/${media_id}`)).status).toBe(200);
    await reader.delete(`/libraries/${libraryId}/media/${media_id}`);
    expect(await reader.get(`/media/${media_id}`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    // The one who has removed it may ask again, for example after a lost answer.
    expect((await reader.delete(`/media/${media_id}`)).status).toBe(204);
    const stranger = await createReader(app);
    expect(await stranger.delete(`/media/${media_id}`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    expect(await reader.delete(`/media/${newId()}`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
  });

  test('needs authentication', async () => {
    const { key } = await createPerson(app);
    expect((await app.call('GET', '/media', { key })).status).toBe(200);
    expect(await app.call('GET', '/media')).toMatchObject(failure(401, 'E_UNAUTHENTICATED'));
  });
});
