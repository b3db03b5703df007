import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { makePage } from '../../../../test/support/fixtures/pages.ts';
import { startSite } from '../../../../test/support/internet.ts';
import { createReader, type Reader } from '../../../../test/support/libraries.ts';
import type { Worker } from '../../../platform/jobs/worker.ts';
import { createPurge, periodicPurge } from '../trash/purge.ts';

const PNG = Buffer.concat([
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    'base64',
  ),
  Buffer.alloc(50_000),
]);

let stalled = 0;
let mostStalled = 0;
let hasImages = true;
const site = await startSite((request, response) => {
  const { url = '' } = request;
  if (url.startsWith('/stall')) {
    stalled += 1;
    mostStalled = Math.max(mostStalled, stalled);
    request.socket.once('close', () => {
      stalled -= 1;
    });
    // Most of the body, and then nothing: the unpacked part stays in memory until the timeout.
    response.writeHead(200, { 'content-type': 'image/png', 'content-encoding': 'gzip' });
    response.write(gzipSync(Buffer.concat([PNG, Buffer.alloc(5_000_000)])).subarray(0, -20));
  } else if (url.includes('.png') && !hasImages) {
    response.writeHead(404).end();
  } else if (url.includes('.png')) {
    response.writeHead(200, { 'content-type': 'image/png' }).end(PNG);
  } else {
    const many = Array.from({ length: 130 }, (_, n) => `<p><img src="/many-${n}.png"></p>`).join('');
    const few = `<p><img src="/a.png?x=1&amp;y=ä"></p><p><img src="/b.png"></p>`;
    const article = url === '/many' ? many : few;
    response.writeHead(200, { 'content-type': 'text/html' }).end(makePage({ title: url, article }));
  }
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

const image = (address: string, by = reader) =>
  fetch(`${app.url}/media/images?url=${encodeURIComponent(address)}`, {
    headers: { 'x-nexus-api-key': by.key },
  });
const stored = async () => (await sql`select from images`).length;

async function savePage(path: string): Promise<{ id: string; images: string[] }> {
  const { body } = await reader.post('/media/from_url', { url: `${site.url}${path}` });
  const id = body.data.media_id;
  await vi.waitFor(
    async () => expect((await reader.get(`/media/${id}`)).body.data.processing_status).toBe('ready'),
    60_000,
  );
  await vi.waitFor(
    async () =>
      expect(
        await sql`
          select from job_queue join jobs on jobs.id = job_id
          where job_type = 'save_images' and payload->>'media_id' = ${id}`,
      ).toHaveLength(0),
    60_000,
  );
  const html = (await reader.get(`/media/${id}/fragments`)).body.data[0].html_sanitized as string;
  const images = [...html.matchAll(/"\/api\/v1\/media\/images\?url=([^"&]+)/g)].map(([, url = '']) =>
    decodeURIComponent(url),
  );
  return { id, images };
}

test('an image that no readable document shows is not stored', async () => {
  for (let n = 0; n < 5; n++) expect((await image(`${site.url}/unknown-${n}.png`)).status).toBe(200);
  expect(await stored()).toBe(0);
});

test('images are saved with their page, charged, and evicted with the last document that shows them', async () => {
  const usedBytes = async () => (await reader.get('/api/v1/me/storage')).body.data.used_bytes as number;
  const [one, two] = [await savePage('/one'), await savePage('/two')];
  expect(one.images).toHaveLength(2);
  expect(await stored()).toBe(2);
  expect(await usedBytes()).toBeGreaterThan(2 * PNG.length);
  const requests = site.requests.length;
  for (const address of [...one.images, ...two.images, ...one.images]) {
    expect((await image(address)).status).toBe(200);
  }
  expect(site.requests.length).toBe(requests);

  const purge = createPurge({ sql, storage: app.resources.storage });
  const { handler } = periodicPurge({ sql, purge, days: 30 }).type;
  const run = () =>
    handler({}, { signal: new AbortController().signal, progress: async () => true } as never);
  await reader.delete(`/media/${one.id}?permanently=true`);
  await run();
  expect(await stored()).toBe(2);
  await reader.delete(`/media/${two.id}?permanently=true`);
  await run();
  expect(await stored()).toBe(0);
  expect(await usedBytes()).toBe(0);
});

test('images that are gone when the page is saved are fetched when it is read, by nobody but its readers', async () => {
  const stranger = await createReader(app);
  hasImages = false;
  const { id, images } = await savePage('/private');
  const before = await stored();
  hasImages = true;
  expect((await image(images[0] ?? '', stranger)).status).toBe(200);
  expect(await stored()).toBe(before);
  expect((await image(images[0] ?? '')).status).toBe(200);
  expect(await stored()).toBe(before + 1);
  await reader.delete(`/media/${id}?permanently=true`);
});

test('a page with very many images is saved with the first hundred', async () => {
  const before = await stored();
  const { id, images } = await savePage('/many');
  expect(images).toHaveLength(130);
  expect(await stored()).toBe(before + 100);
  const attempts = await sql`
    select result from job_attempts join jobs on jobs.id = job_id
    where job_type = 'save_images' and payload->>'media_id' = ${id}`;
  expect([...attempts]).toEqual([
    { result: { outcome: 'saved', saved: 100, known: 0, failed: 0, thumbnail: 'no cover' } },
  ]);
  await reader.delete(`/media/${id}?permanently=true`);
});

test('one person has six parallel fetches; others that wait too long, or behind too many, get 429', {
  tags: 'slow',
}, async () => {
  const answers = Promise.all(Array.from({ length: 80 }, (_, n) => image(`${site.url}/stall-${n}`)));
  await vi.waitFor(() => expect(stalled).toBe(6), 20_000);
  const other = await createReader(app);
  expect((await image(`${site.url}/other.png`, other)).status).toBe(200);
  const statuses = (await answers).map(({ status }) => status);
  expect(mostStalled).toBe(6);
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(80 - 6 - 50);
  expect(statuses.filter((status) => status !== 429 && status !== 404)).toEqual([]);
});
