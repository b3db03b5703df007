/**
 * Fetches and extracts many pages.
 *
 * @module-tag slow
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { failure, useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { makePage } from '../../../../test/support/fixtures/pages.ts';
import { makePdf } from '../../../../test/support/fixtures/pdf.ts';
import { startSite } from '../../../../test/support/internet.ts';
import { gate } from '../../../../test/support/jobs.ts';
import {
  auditOf,
  createLibrary,
  createReader,
  join,
  type Reader,
} from '../../../../test/support/libraries.ts';
import type { Worker } from '../../../platform/jobs/worker.ts';

interface Page {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
}
/** The answers of the site by path; a page may wait for a promise. */
const pages = new Map<string, () => Page | Promise<Page>>();
const site = await startSite(async (request, response) => {
  const page = await pages.get(request.url ?? '')?.();
  const { status = 200, headers = { 'content-type': 'text/html' }, body = '' } = page ?? { status: 404 };
  response.writeHead(status, headers).end(body);
});

const database = useDatabase();
const { sql } = database;
const app = useApp(database, { NEXUS_EGRESS_ALLOW: site.host });
let worker: Worker;

const work = () => app.engine.work({ concurrency: 4, pollSeconds: 0.2, graceSeconds: 5 });
beforeAll(async () => {
  worker = await work();
});
afterAll(() => worker.stop());

const save = async (by: Reader, path: string): Promise<string> =>
  (await by.post('/media/from_url', { url: `${site.url}${path}` })).body.data.media_id;

async function until(by: Reader, id: string, status: string) {
  return vi.waitFor(async () => {
    const { body } = await by.get(`/media/${id}`);
    expect(body.data?.processing_status).toBe(status);
    return body.data;
  }, 60_000);
}

const article = (title: string, canonical: string) => () => ({
  body: makePage({ title, head: `<link rel="canonical" href="${canonical}">` }),
});

describe('of two media with one address', () => {
  /** Two people, and two addresses of one page; the first is the canonical one. */
  async function two(name: string) {
    const [ana, ben] = [await createReader(app), await createReader(app)];
    const [plain, variant] = [`/${name}`, `/${name}?print=1`];
    pages.set(variant, article(name, plain));
    return { ana, ben, plain, variant };
  }

  async function expectOnly(by: Reader, id: string, plain: string) {
    const media = await until(by, id, 'ready');
    expect(media.canonical_url).toBe(`${site.url}${plain}`);
    expect((await by.get('/media')).body.data.map((each: { id: string }) => each.id)).toEqual([id]);
    expect((await by.get(`/media/${id}/fragments`)).body.data).toHaveLength(1);
    expect(await auditOf(sql)).toEqual([]);
  }

  test('a readable one replaces the one that is found later', async () => {
    const { ana, ben, plain, variant } = await two('ready');
    pages.set(plain, article('ready', plain));
    const known = await save(ana, plain);
    await until(ana, known, 'ready');
    const found = await save(ben, variant);
    await vi.waitFor(async () => expect((await ben.get(`/media/${known}`)).status).toBe(200), 60_000);
    expect(await ben.get(`/media/${found}`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    await expectOnly(ben, known, plain);
    await expectOnly(ana, known, plain);
  });

  test('a failed one is replaced by the readable one, and its savers can read it', async () => {
    const { ana, ben, plain, variant } = await two('failed');
    const failed = await save(ana, plain);
    await until(ana, failed, 'failed');
    pages.set(plain, article('failed', plain));
    const found = await save(ben, variant);
    await expectOnly(ben, found, plain);
    await expectOnly(ana, found, plain);
    expect((await ana.get('/media')).body.data[0].requested_url).toBe(`${site.url}${plain}`);
    expect(await ana.get(`/media/${failed}`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
  });

  test('one that is being extracted is replaced, and its job ends without an error', async () => {
    const { ana, ben, plain, variant } = await two('slow');
    const [asked, answer] = [gate(), gate()];
    let requests = 0;
    pages.set(plain, async () => {
      requests += 1;
      if (requests > 1) return article('slow', plain)();
      asked.open();
      await answer.opened;
      return article('slow', plain)();
    });
    const slow = await save(ana, plain);
    await asked.opened;
    const found = await save(ben, variant);
    await expectOnly(ben, found, plain);
    answer.open();
    await expectOnly(ana, found, plain);
    await vi.waitFor(async () => {
      const attempts = await sql<{ status: string }[]>`
        select attempt.status
        from jobs
        join job_attempts as attempt on attempt.job_id = jobs.id
        where jobs.job_type = 'ingest_media' and jobs.payload ->> 'media_id' = ${slow}`;
      expect([...attempts]).toEqual([{ status: 'succeeded' }]);
    }, 60_000);
    expect(await auditOf(sql)).toEqual([]);
  });

  test('one that is still pending is replaced', async () => {
    const { ana, ben, plain, variant } = await two('pending');
    pages.set(plain, article('pending', plain));
    await worker.stop();
    const [pending, found] = [await save(ana, plain), await save(ben, variant)];
    // The job of the canonical address runs last.
    await sql`update job_queue set due_at = now() + interval '1 hour' where job_id in (
      select job_id from media where id = ${pending})`;
    worker = await work();
    await expectOnly(ben, found, plain);
    await expectOnly(ana, found, plain);
  });

  test('that find each other at the same time, one is left', async () => {
    const [ana, ben] = [await createReader(app), await createReader(app)];
    const paths = ['/mutual?a=1', '/mutual?b=1'];
    for (const path of ['/mutual', ...paths]) pages.set(path, article('mutual', '/mutual'));
    await worker.stop();
    await Promise.all([save(ana, '/mutual?a=1'), save(ben, '/mutual?b=1')]);
    worker = await work();
    await vi.waitFor(async () => {
      const lists = await Promise.all([ana, ben].map(async (by) => (await by.get('/media')).body.data));
      expect(lists.flat().map(({ canonical_url }) => canonical_url)).toEqual(
        Array(2).fill(`${site.url}/mutual`),
      );
      expect(new Set(lists.flat().map(({ id }) => id)).size).toBe(1);
    }, 60_000);
    expect(await auditOf(sql)).toEqual([]);
  });
});

test('a page whose canonical address fails keeps its own address and text', async () => {
  const reader = await createReader(app);
  pages.set('/alive', article('Alive', '/broken'));
  pages.set('/broken', () => ({ status: 503 }));
  expect(await until(reader, await save(reader, '/alive'), 'ready')).toMatchObject({
    title: 'Alive',
    canonical_url: `${site.url}/alive`,
  });
});

test.each([
  ['is too long to be saved', () => `${site.url}/long?x=${'x'.repeat(2100)}`],
  ['contains a password', () => `http://ana:secret@${site.host}/long`],
])('a redirect to an address that %s leaves the media where it was saved', async (_why, location) => {
  const reader = await createReader(app);
  const target = new URL(location());
  pages.set('/leads-away', () => ({ status: 302, headers: { location: location() } }));
  pages.set(target.pathname + target.search, () => ({ body: makePage({ title: 'Far away' }) }));
  const id = await save(reader, '/leads-away');
  const media = await vi.waitFor(async () => {
    const { body } = await reader.get(`/media/${id}`);
    expect(['ready', 'failed']).toContain(body.data.processing_status);
    return body.data;
  }, 60_000);
  expect(media.canonical_url).toBe(`${site.url}/leads-away`);
  expect(JSON.stringify(media)).not.toContain('secret');
  expect(media.last_error_code).not.toBe('E_EXTRACTION_FAILED');
  await reader.delete(`/media/${id}`);
});

test('pages that name each other are followed once', async () => {
  const reader = await createReader(app);
  pages.set('/ping', article('Ping', '/pong'));
  pages.set('/pong', article('Ping', '/ping'));
  const from = site.requests.length;
  expect(await until(reader, await save(reader, '/ping'), 'ready')).toMatchObject({
    canonical_url: `${site.url}/pong`,
  });
  expect(site.requests.length - from).toBe(2);
});

describe('files with the same content', () => {
  const bytes = (text: string) => Buffer.from(makePdf({ pages: [[text]] }));
  const serve = (path: string, body: Buffer) =>
    pages.set(path, () => ({ headers: { 'content-type': 'application/pdf' }, body }));

  async function upload(by: Reader, filename: string, file: Buffer): Promise<string> {
    const announced = { kind: 'pdf', filename, content_type: 'application/pdf', size_bytes: file.length };
    const { media_id, upload_url, upload_headers } = (await by.post('/media/upload/init', announced)).body
      .data;
    const body = new Uint8Array(file);
    await fetch(app.url + upload_url, { method: 'PUT', headers: upload_headers, body });
    return (await by.post(`/media/${media_id}/ingest`)).body.data.media_id;
  }

  test('at two addresses stay two media', async () => {
    const [ana, ben] = [await createReader(app), await createReader(app)];
    for (const path of ['/paper.pdf?token=ofAna', '/paper.pdf']) serve(path, bytes('One paper'));
    await until(ana, await save(ana, '/paper.pdf?token=ofAna'), 'ready');
    const plain = await save(ana, '/paper.pdf');
    expect(await save(ben, '/paper.pdf')).toBe(plain);
    expect(await until(ana, plain, 'ready')).toMatchObject({ kind: 'pdf' });
    const listed = (await ben.get('/media')).body.data;
    expect(listed).toMatchObject([{ id: plain, canonical_url: `${site.url}/paper.pdf` }]);
    expect(JSON.stringify(listed)).not.toContain('ofAna');
  });

  test('uploaded by one person and found at an address by another stay separate', async () => {
    const [ana, ben] = [await createReader(app), await createReader(app)];
    const file = bytes('Another paper');
    const uploaded = await upload(ana, 'divorce of Ana.pdf', file);
    await until(ana, uploaded, 'ready');
    serve('/another.pdf', file);
    const found = await save(ana, '/another.pdf');
    await save(ben, '/another.pdf');
    await until(ben, found, 'ready');
    expect(found).not.toBe(uploaded);
    expect(JSON.stringify((await ben.get('/media')).body)).not.toContain('divorce');
  });

  test('are one media for a person who already has it, uploaded or saved', async () => {
    const [ana, ben] = [await createReader(app), await createReader(app)];
    const file = bytes('A third paper');
    serve('/third.pdf', file);
    const found = await save(ana, '/third.pdf');
    await until(ana, found, 'ready');
    expect(await upload(ana, 'third.pdf', file)).toBe(found);
    const own = await upload(ben, 'third.pdf', file);
    expect(own).not.toBe(found);
    expect(await upload(ben, 'third again.pdf', file)).toBe(own);
  });
});

test('everybody who saved a link may retry it; a member of a library may not', async () => {
  const [first, second, member] = [await createReader(app), await createReader(app), await createReader(app)];
  pages.set('/retried', () => ({ status: 410 }));
  const id = await save(first, '/retried');
  await until(first, id, 'failed');
  await save(second, '/retried');
  await until(second, id, 'failed');
  const library = await createLibrary(first);
  await first.post(`/libraries/${library}/media`, { media_id: id });
  await join(first, library, member);
  const mayRetry = async (by: Reader) => (await by.get(`/media/${id}`)).body.data.may_retry;
  expect(await Promise.all([first, second, member].map(mayRetry))).toEqual([true, true, false]);
  expect(await member.post(`/media/${id}/retry`)).toMatchObject(failure(403, 'E_FORBIDDEN'));
  expect(await second.post(`/media/${id}/retry`)).toMatchObject({
    status: 200,
    body: { data: { enqueued: true } },
  });
  await until(second, id, 'failed');
  await second.delete(`/media/${id}`);
  expect(await second.post(`/media/${id}/retry`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
});
