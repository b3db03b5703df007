/**
 * Extracts large documents.
 *
 * @module-tag slow
 */
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DEV_KEYS, failure, useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { makeEpub } from '../../../../test/support/fixtures/epub.ts';
import { makePage } from '../../../../test/support/fixtures/pages.ts';
import { makePdf } from '../../../../test/support/fixtures/pdf.ts';
import { startSite } from '../../../../test/support/internet.ts';
import { createReader, type Reader } from '../../../../test/support/libraries.ts';
import { blockedOrDone, holdBeforeCommit } from '../../../../test/support/races.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { newId } from '../../../platform/ids.ts';
import type { Worker } from '../../../platform/jobs/worker.ts';
import { createQuota } from './quota.ts';
import { setStoredBytes } from './quota-store.ts';

const MB = 1024 * 1024;
const site = await startSite((request, response) => {
  const size = Number(/^\/page-(\d+)/.exec(request.url ?? '')?.[1] ?? 0);
  const paragraphs = Math.ceil((size * MB) / 900);
  response.writeHead(200, { 'content-type': 'text/html' }).end(makePage({ paragraphs }));
});
const database = useDatabase();
const { sql } = database;
const app = useApp(database, { NEXUS_EGRESS_ALLOW: site.host, NEXUS_STORAGE_QUOTA_MB: '10' });
let reader: Reader;
let worker: Worker;

beforeAll(async () => {
  reader = await createReader(app);
  worker = await app.engine.work({ concurrency: 2, pollSeconds: 0.2, graceSeconds: 5 });
});
afterAll(() => worker.stop());

const begin = (by: Reader, size_bytes: number, kind = 'pdf') =>
  by.post('/media/upload/init', {
    kind,
    filename: `file.${kind}`,
    content_type: kind === 'pdf' ? 'application/pdf' : 'application/epub+zip',
    size_bytes,
  });
const used = async (by: Reader) => (await by.get('/api/v1/me/storage')).body.data;
const setQuota = (by: Reader, storage_quota_mb: number | null) =>
  app.call('PATCH', `/api/v1/users/${by.id}`, { key: DEV_KEYS.admin, body: { storage_quota_mb } });

async function until(id: string, status: string, by = reader) {
  return vi.waitFor(async () => {
    const { body } = await by.get(`/media/${id}`);
    expect(body.data?.processing_status).toBe(status);
    return body.data;
  }, 90_000);
}

async function put(begun: { upload_url: string; upload_headers: Record<string, string> }, bytes: Buffer) {
  const answer = await fetch(app.url + begun.upload_url, {
    method: 'PUT',
    headers: begun.upload_headers,
    body: new Uint8Array(bytes),
  });
  expect(answer.status).toBe(204);
}

describe('a storage quota', () => {
  test('counts what a person stores, and frees it when it is deleted permanently', async () => {
    const own = await createReader(app);
    expect(await used(own)).toEqual({ used_bytes: 0, allowed_bytes: 10 * MB });
    const pdf = Buffer.from(makePdf({ pages: [['Counted']], title: 'Counted' }));
    const begun = (await begin(own, pdf.length)).body.data;
    expect((await used(own)).used_bytes).toBe(pdf.length);
    await put(begun, pdf);
    await own.post(`/media/${begun.media_id}/ingest`);
    await until(begun.media_id, 'ready', own);
    const [text] = await sql<{ bytes: number }[]>`
      select
        octet_length(plain_text) + (
          select sum(octet_length(html_sanitized) + octet_length(canonical_text))
          from media_fragments
          where media_id = media.id
        ) as bytes
      from media
      where id = ${begun.media_id}`;
    expect((await used(own)).used_bytes).toBe(pdf.length + Number(text?.bytes));
    await own.delete(`/media/${begun.media_id}`);
    expect((await used(own)).used_bytes).toBeGreaterThan(0);
    await own.delete('/api/v1/trash');
    expect((await used(own)).used_bytes).toBe(0);
  });

  test('refuses an upload that does not fit, says why, and saves nothing', async () => {
    const own = await createReader(app);
    const refused = await begin(own, 11 * MB);
    expect(refused).toMatchObject(failure(413, 'E_QUOTA_EXCEEDED'));
    expect(refused.body.error.message).toContain('0 of 10 MB are used, and 11 MB more');
    expect(await used(own)).toMatchObject({ used_bytes: 0 });
    expect((await own.get('/media')).body.data).toEqual([]);
  });

  test('holds for two parallel uploads', async () => {
    const own = await createReader(app);
    const answers = await Promise.all(Array.from({ length: 6 }, () => begin(own, 4 * MB)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 413, 413, 413, 413]);
    expect((await used(own)).used_bytes).toBe(8 * MB);

    const other = await createReader(app);
    const [one, two] = database.twoConnections();
    const held = holdBeforeCommit(one);
    const room = (connection: typeof one) =>
      transaction(connection, (tx) => createQuota({ sql, defaultMb: 10 }).requireRoom(tx, other.id, 6 * MB));
    const first = room(held.sql);
    await held.reached;
    expect(await blockedOrDone(sql, room(two))).toBe('blocked');
    held.letGo();
    await first;
  });

  test('can be changed for one person by admins only', async () => {
    const own = await createReader(app);
    expect(await own.patch(`/api/v1/users/${own.id}`, { storage_quota_mb: 0 })).toMatchObject(
      failure(403, 'E_FORBIDDEN'),
    );
    expect(await setQuota(own, -1)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    expect((await setQuota(own, 20)).body.data).toMatchObject({ storage_quota_mb: 20 });
    expect(await used(own)).toMatchObject({ allowed_bytes: 20 * MB });
    expect((await begin(own, 15 * MB)).status).toBe(201);
    await setQuota(own, 0);
    expect(await used(own)).toMatchObject({ allowed_bytes: null });
    expect((await begin(own, 50 * MB)).status).toBe(201);
    await setQuota(own, null);
    expect(await used(own)).toMatchObject({ allowed_bytes: 10 * MB });
    expect(await begin(own, 1)).toMatchObject(failure(413, 'E_QUOTA_EXCEEDED'));
  });

  test('is checked again when a file is ingested', async () => {
    const own = await createReader(app);
    const pdf = Buffer.from(makePdf({ pages: [['Lowered']], title: 'Lowered' }));
    const filler = (await begin(own, 2 * MB)).body.data;
    const begun = (await begin(own, pdf.length)).body.data;
    await put(begun, pdf);
    await setQuota(own, 1);
    expect(await own.post(`/media/${begun.media_id}/ingest`)).toMatchObject(failure(413, 'E_QUOTA_EXCEEDED'));
    await own.delete(`/media/${filler.media_id}?permanently=true`);
    expect((await own.post(`/media/${begun.media_id}/ingest`)).status).toBe(200);
  });

  test('stops an extraction that does not fit: nothing partial stays, and a retry works once there is room', async () => {
    const own = await createReader(app);
    await setQuota(own, 1);
    const { media_id } = (await own.post('/media/from_url', { url: `${site.url}/page-2` })).body.data;
    const failed = await until(media_id, 'failed', own);
    expect(failed).toMatchObject({ failure_stage: 'extract', last_error_code: 'E_QUOTA_EXCEEDED' });
    expect(await sql`select from media_fragments where media_id = ${media_id}`).toHaveLength(0);
    expect(await used(own)).toMatchObject({ used_bytes: 0 });
    const [last] = (await own.get(`/media/${media_id}/attempts`)).body.data;
    expect(last.summary).toContain('There is not enough storage left');
    await setQuota(own, 50);
    expect((await own.post(`/media/${media_id}/retry`)).status).toBe(200);
    await until(media_id, 'ready', own);
    expect((await used(own)).used_bytes).toBeGreaterThan(MB);
  });

  test('of one person does not affect another with free space who saved the same link', async () => {
    const [full, roomy] = [await createReader(app), await createReader(app)];
    await setQuota(full, 1);
    await setQuota(roomy, 50);
    const url = `${site.url}/page-2?shared`;
    const { media_id } = (await full.post('/media/from_url', { url })).body.data;
    const failed = await until(media_id, 'failed', full);
    expect(failed.last_error_message).not.toMatch(/\d/);
    expect((await roomy.post('/media/from_url', { url })).body.data).toMatchObject({ enqueued: true });
    await until(media_id, 'ready', roomy);
    expect((await used(full)).used_bytes).toBe(0);
    expect((await used(roomy)).used_bytes).toBeGreaterThan(MB);
  });

  test('leaves no file of a book whose text and pictures do not fit', async () => {
    const own = await createReader(app);
    const epub = makeEpub({});
    const filler = (await begin(own, 10 * MB - epub.length)).body.data;
    const { media_id, ...begun } = (await begin(own, epub.length, 'epub')).body.data;
    const files = async () =>
      (await Readable.from(app.resources.storage.list(`media/${media_id}/`)).toArray()).map(
        ({ path }) => path,
      );
    await put(begun, epub);
    await own.post(`/media/${media_id}/ingest`);
    expect(await until(media_id, 'failed', own)).toMatchObject({ last_error_code: 'E_QUOTA_EXCEEDED' });
    await vi.waitFor(async () => expect(await files()).toEqual([`media/${media_id}/original.epub`]), 30_000);
    expect((await used(own)).used_bytes).toBe(10 * MB);
    await own.delete(`/media/${filler.media_id}?permanently=true`);
    await own.post(`/media/${media_id}/retry`);
    await until(media_id, 'ready', own);
    expect((await files()).length).toBeGreaterThan(1);
  });

  test('reads a few rows only, even for 20,000 items', async () => {
    const own = await createReader(app);
    for (let batch = 0; batch < 4; batch++) {
      await sql`
        insert into media (id, kind, title, created_by_user_id)
        select gen_random_uuid(), 'web_article', 'Item', ${own.id}
        from generate_series(1, 5000)`;
    }
    const id = newId();
    await transaction(sql, async (tx) => {
      await tx`
        insert into media (id, kind, title, created_by_user_id)
        values (${id}, 'web_article', 'One more', ${own.id})`;
      await createQuota({ sql, defaultMb: 10 }).requireRoom(tx, own.id, 1000);
      await setStoredBytes(tx, id, 1000);
      const [read] = await tx<{ rows: number }[]>`
        select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::int as rows
        from pg_stat_xact_user_tables
        where relname in ('media', 'storage_usage')`;
      expect(read?.rows).toBeLessThan(100);
    });
    expect((await used(own)).used_bytes).toBe(1000);
  });
});
