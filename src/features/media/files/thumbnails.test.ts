import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DEV_KEYS, useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { makeEpub } from '../../../../test/support/fixtures/epub.ts';
import { makePng, pngBomb } from '../../../../test/support/fixtures/images.ts';
import { makePage } from '../../../../test/support/fixtures/pages.ts';
import { makePdf } from '../../../../test/support/fixtures/pdf.ts';
import { startSite } from '../../../../test/support/internet.ts';
import { createReader, type Reader } from '../../../../test/support/libraries.ts';
import type { Media } from '../../../contract/media.ts';
import type { Worker } from '../../../platform/jobs/worker.ts';
import { createImages } from './images.ts';
import { periodicThumbnails } from './missed-thumbnails.ts';

const PHOTO = makePng({ width: 900, height: 600, isNoise: true });
const IMAGES: Record<string, Buffer> = { '/photo.png': PHOTO, '/bomb.png': pngBomb(30_000, 30_000) };

const site = await startSite((request, response) => {
  const url = request.url ?? '';
  const image = IMAGES[url];
  if (image) return response.writeHead(200, { 'content-type': 'image/png' }).end(image);
  const head = `<meta property="og:image" content="${url.replace('/page-of', '').replace(/\?.*/, '')}.png">`;
  return response.writeHead(200, { 'content-type': 'text/html' }).end(makePage({ title: url, head }));
});

const database = useDatabase();
const { sql } = database;
const app = useApp(database, { NEXUS_EGRESS_ALLOW: site.host });
let reader: Reader;
let worker: Worker;

beforeAll(async () => {
  reader = await createReader(app);
  worker = await app.engine.work({ concurrency: 2, pollSeconds: 0.2, graceSeconds: 5 });
});
afterAll(() => worker.stop());

/** Waits for the jobs of a media, and returns the media as its readers see it. */
async function done(id: string): Promise<Media> {
  await vi.waitFor(async () => {
    expect((await reader.get(`/media/${id}`)).body.data.processing_status).toBe('ready');
    const waiting = sql`
      select from job_queue join jobs on jobs.id = job_id
      where job_type = 'save_images' and payload->>'media_id' = ${id}`;
    expect(await waiting).toHaveLength(0);
  }, 60_000);
  return (await reader.get(`/media/${id}`)).body.data;
}

async function savePage(path: string, by = reader): Promise<Media> {
  const { body } = await by.post('/media/from_url', { url: site.url + path });
  return done(body.data.media_id);
}

async function upload(kind: 'pdf' | 'epub', bytes: Buffer): Promise<Media> {
  const content_type = kind === 'pdf' ? 'application/pdf' : 'application/epub+zip';
  const begun = { kind, filename: `file.${kind}`, content_type, size_bytes: bytes.length };
  const { body } = await reader.post('/media/upload/init', begun);
  const { media_id, upload_url, upload_headers } = body.data;
  await fetch(app.url + upload_url, { method: 'PUT', headers: upload_headers, body: new Uint8Array(bytes) });
  expect((await reader.post(`/media/${media_id}/ingest`)).status).toBe(200);
  return done(media_id);
}

const load = (path = '', key = reader.key, headers = {}) =>
  fetch(app.url + path, { headers: { 'x-nexus-api-key': key, ...headers } });
const usedBytes = async () => (await reader.get('/api/v1/me/storage')).body.data.used_bytes as number;
const outcomeOf = async (id: string) => {
  const [job] = await sql<{ result: { thumbnail: string } }[]>`
    select result from job_attempts join jobs on jobs.id = job_id
    where job_type = 'save_images' and payload->>'media_id' = ${id}
    order by job_attempts.started_at desc limit 1`;
  return job?.result.thumbnail;
};

describe('a saved page', () => {
  test('has small files of its cover, which browsers keep and only its readers get', async () => {
    const { thumbnail_urls: urls, cover_url } = await savePage('/page-of/photo');
    expect(cover_url).toContain('photo.png');
    const [small, large] = await Promise.all([load(urls?.small), load(urls?.large)]);
    for (const answer of [small, large]) {
      expect(answer.status).toBe(200);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'image/webp',
        'cache-control': 'private, max-age=31536000, immutable',
        'content-security-policy': "default-src 'none'; sandbox",
        etag: expect.stringMatching(/^".+"$/),
      });
    }
    const [smallSize, largeSize] = [await small.arrayBuffer(), await large.arrayBuffer()].map(
      (b) => b.byteLength,
    );
    expect(smallSize).toBeLessThan(20_000);
    expect(largeSize).toBeLessThan(PHOTO.length / 5);
    const again = await load(urls?.large, reader.key, { 'if-none-match': large.headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
    const stranger = await createReader(app);
    expect((await load(urls?.large, stranger.key)).status).toBe(404);
  });

  test('with a hostile or missing cover is readable, and has no thumbnail', async () => {
    const bomb = await savePage('/page-of/bomb');
    const missing = await savePage('/page-of/missing');
    expect([bomb.thumbnail_urls, missing.thumbnail_urls]).toEqual([null, null]);
    expect([await outcomeOf(bomb.id), await outcomeOf(missing.id)]).toEqual(['failed', 'no cover']);
  });
});

test('a PDF has its first page as its cover', async () => {
  const before = await usedBytes();
  const pdf = Buffer.from(makePdf({ pages: [['A first page'], ['A second page']] }));
  const { cover_url, thumbnail_urls, id } = await upload('pdf', pdf);
  expect(cover_url).toBe(thumbnail_urls?.large);
  expect((await load(cover_url ?? '')).headers.get('content-type')).toBe('image/webp');
  expect(await usedBytes()).toBeGreaterThan(before + pdf.length);
  const events = await sql`
    select payload->>'processing_status' as status from outbox_event
    where aggregate_id = ${id} and event_type = 'media.status_changed'`;
  expect(events.length).toBeGreaterThan(0);
  await reader.delete(`/media/${id}?permanently=true`);
  expect(await usedBytes()).toBe(before);
  const left = [];
  for await (const { path } of app.resources.storage.list(`media/${id}/`)) left.push(path);
  expect(left).toEqual([]);
});

test('a book has a thumbnail of its cover', async () => {
  const { cover_url, thumbnail_urls } = await upload('epub', makeEpub({ cover: PHOTO }));
  expect(cover_url).not.toBe(thumbnail_urls?.large);
  expect((await load(thumbnail_urls?.small)).status).toBe(200);
});

test('media of earlier releases get theirs from a periodic job, each once', async () => {
  const old = await savePage('/page-of/photo?old');
  await sql`delete from media_assets where media_id = ${old.id}`;
  await sql`update media set thumbnail = null, thumbnail_asked_at = null where id = ${old.id}`;
  const { storage, egress } = app.resources;
  const { saveType } = createImages({ sql, storage, egress } as never);
  const { handler } = periodicThumbnails(sql, { saveType }).type;
  const run = async () => (await handler({}, {} as never))?.result;
  // The worker's own schedule may be faster.
  await run();
  await vi.waitFor(
    async () => expect((await done(old.id)).thumbnail_urls).toEqual(old.thumbnail_urls),
    60_000,
  );
  expect(await run()).toEqual({ asked: 0 });
});

test('without room in the quota there is no thumbnail, and nothing is left in storage', async () => {
  const poor = await createReader(app);
  const body = { storage_quota_mb: 1 };
  await app.call('PATCH', `/api/v1/users/${poor.id}`, { key: DEV_KEYS.admin, body });
  const pdf = Buffer.concat([makePdf({ pages: [['Nearly full']] }), Buffer.alloc(1024 * 1024 - 3000)]);
  const previous = reader;
  reader = poor;
  try {
    const { id, thumbnail_urls } = await upload('pdf', pdf);
    expect(thumbnail_urls).toBeNull();
    expect(await outcomeOf(id)).toBe('storage is full');
    const names = [];
    for await (const { path } of app.resources.storage.list(`media/${id}/`)) names.push(path);
    expect(names).toHaveLength(1);
  } finally {
    reader = previous;
  }
});
