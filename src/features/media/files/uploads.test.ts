import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import S3rver from 's3rver';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { failure, useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { makePdf } from '../../../../test/support/fixtures/pdf.ts';
import {
  auditOf,
  createLibrary,
  createReader,
  type Reader,
  readerOf,
} from '../../../../test/support/libraries.ts';
import { newDirectory } from '../../../../test/support/workspace.ts';

const pdfOf = (title: string) => Buffer.from(makePdf({ pages: [[title]], title }));
/** A file of the same size with other bytes after its header. */
const another = (pdf: Buffer) => Buffer.concat([pdf.subarray(0, -4), Buffer.from('%%%%')]);

interface Begun {
  media_id: string;
  storage_path: string;
  upload_url: string;
  upload_headers: Record<string, string>;
}

async function begin(by: Reader, size_bytes: number): Promise<Begun> {
  const { status, body } = await by.post('/media/upload/init', {
    kind: 'pdf',
    filename: 'file.pdf',
    content_type: 'application/pdf',
    size_bytes,
  });
  expect(status).toBe(201);
  return body.data;
}

const put = (origin: string, { upload_url, upload_headers }: Begun, bytes: Buffer) =>
  fetch(new URL(upload_url, origin), {
    method: 'PUT',
    headers: upload_headers,
    body: new Uint8Array(bytes),
  });

describe('an upload through Nexus', () => {
  const database = useDatabase();
  const { sql } = database;
  const app = useApp(database);
  const published = useApp(database, { NEXUS_PUBLIC_URL: 'https://nexus.example' });
  let reader: Reader;
  beforeAll(async () => {
    reader = await createReader(app);
  });

  const ingest = (id: string, by = reader) => by.post(`/media/${id}/ingest`);
  const stateOf = async (id: string) =>
    (
      await sql`
        select processing_status, failure_stage, last_error_code, stored_bytes from media where id = ${id}`
    )[0];

  /** Checks that the stored bytes are the expected ones and that the row has their hash. */
  async function expectHashOf(id: string, expected: Buffer): Promise<void> {
    const [row] = await sql<
      { file_path: string; file_sha256: string }[]
    >`select file_path, file_sha256 from media where id = ${id}`;
    const stored = await app.resources.storage.get(row?.file_path ?? '');
    const bytes = stored && (await buffer(stored.content));
    expect(bytes?.equals(expected)).toBe(true);
    expect(row?.file_sha256).toBe(createHash('sha256').update(expected).digest('hex'));
  }

  test('has an absolute URL when the public URL is configured', async () => {
    const pdf = pdfOf('Published');
    const own = readerOf(published, reader);
    const begun = await begin(own, pdf.length);
    const { origin, pathname, search } = new URL(begun.upload_url);
    expect([origin, pathname]).toEqual(['https://nexus.example', '/api/v1/media/upload']);
    const local = { ...begun, upload_url: pathname + search };
    expect((await put(published.url, local, pdf)).status).toBe(204);
    expect((await ingest(begun.media_id, own)).status).toBe(200);
  });

  test('takes one file: a second one is refused, before and after ingesting', async () => {
    const first = pdfOf('One file');
    const begun = await begin(reader, first.length);
    expect((await put(app.url, begun, first)).status).toBe(204);
    const second = await put(app.url, begun, another(first));
    expect([second.status, ((await second.json()) as { error: { code: string } }).error.code]).toEqual([
      409,
      'E_UPLOAD_SPENT',
    ]);
    expect((await ingest(begun.media_id)).status).toBe(200);
    expect((await put(app.url, begun, another(first))).status).toBe(409);
    await expectHashOf(begun.media_id, first);
  });

  test('two parallel files: one is stored, and it is the acknowledged one', async () => {
    for (let round = 0; round < 5; round++) {
      const first = pdfOf(`Round ${round}`);
      const files = [first, another(first)];
      const begun = await begin(reader, first.length);
      const answers = await Promise.all(files.map((file) => put(app.url, begun, file)));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 409]);
      const winner = files[answers.findIndex(({ status }) => status === 204)] as Buffer;
      expect((await ingest(begun.media_id)).status).toBe(200);
      await expectHashOf(begun.media_id, winner);
    }
  });

  test('a file that arrives during ingesting changes nothing', async () => {
    for (let round = 0; round < 5; round++) {
      const first = pdfOf(`Race ${round}`);
      const begun = await begin(reader, first.length);
      await put(app.url, begun, first);
      await Promise.all([ingest(begun.media_id), put(app.url, begun, another(first))]);
      await expectHashOf(begun.media_id, first);
    }
  });

  test('an interrupted file can be sent again', async () => {
    const pdf = pdfOf('Again');
    const begun = await begin(reader, pdf.length);
    const short = await put(app.url, begun, pdf.subarray(0, 10));
    expect(short.status).toBe(400);
    expect((await put(app.url, begun, pdf)).status).toBe(204);
    expect((await ingest(begun.media_id)).status).toBe(200);
  });

  test('repeated and parallel requests give the same answer, also for a duplicate', async () => {
    const own = await createReader(app);
    const pdf = pdfOf('Lost answer');
    const original = await begin(own, pdf.length);
    await put(app.url, original, pdf);
    const first = await Promise.all(Array.from({ length: 4 }, () => ingest(original.media_id, own)));
    const data = { media_id: original.media_id, duplicate: false, enqueued: true };
    for (const answer of first) expect(answer).toMatchObject({ status: 200, body: { data } });

    const again = await begin(own, pdf.length);
    await put(app.url, again, pdf);
    const answers = await Promise.all(Array.from({ length: 4 }, () => ingest(again.media_id, own)));
    answers.push(await ingest(again.media_id, own));
    const duplicate = { media_id: original.media_id, duplicate: true, enqueued: false };
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: { data: duplicate } });
    expect(await sql`select from media where created_by_user_id = ${own.id}`).toHaveLength(1);
    const stranger = await createReader(app);
    expect(await ingest(again.media_id, stranger)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
  });

  test('what was done with an upload before it turned out to be a duplicate goes over to the known file', async () => {
    const own = await createReader(app);
    const library = await createLibrary(own);
    const pdf = pdfOf('Known');
    const [known, again] = [await begin(own, pdf.length), await begin(own, pdf.length)];
    await put(app.url, known, pdf);
    await ingest(known.media_id, own);
    const mine = { tags: ['tides'], note: 'Read this first.', is_favourite: true };
    expect((await own.patch(`/api/v1/media/${again.media_id}/mine`, mine)).status).toBe(200);
    expect((await own.post(`/libraries/${library}/media`, { media_id: again.media_id })).status).toBe(201);
    await put(app.url, again, pdf);
    expect((await ingest(again.media_id, own)).body.data.media_id).toBe(known.media_id);
    const { body } = await own.get(`/api/v1/media?library_id=${library}`);
    expect(body.data).toMatchObject([{ id: known.media_id, mine }]);
    expect(await auditOf(sql)).toEqual([]);
  });

  test('a file of another type fails in stage upload, is deleted, and can be uploaded again', async () => {
    const page = Buffer.from('<html>not a PDF</html>');
    const begun = await begin(reader, page.length);
    await put(app.url, begun, page);
    expect(await ingest(begun.media_id)).toMatchObject(failure(400, 'E_INVALID_FILE_TYPE'));
    expect(await ingest(begun.media_id)).toMatchObject(failure(400, 'E_INVALID_FILE_TYPE'));
    expect(await stateOf(begun.media_id)).toEqual({
      processing_status: 'failed',
      failure_stage: 'upload',
      last_error_code: 'E_INVALID_FILE_TYPE',
      stored_bytes: 0,
    });
    const left = await Readable.from(app.resources.storage.list(`media/${begun.media_id}/`)).toArray();
    expect(left).toEqual([]);
    expect((await reader.get(`/media/${begun.media_id}`)).body.data.may_retry).toBe(false);
    expect(await reader.post(`/media/${begun.media_id}/retry`)).toMatchObject(
      failure(409, 'E_INVALID_STATE'),
    );
    const pdf = pdfOf('Better');
    const next = await begin(reader, pdf.length);
    await put(app.url, next, pdf);
    expect((await ingest(next.media_id)).status).toBe(200);
  });

  test('that nobody finishes fails after its time, with or without a file', { tags: 'slow' }, async () => {
    const pdf = pdfOf('Abandoned');
    const [empty, arrived, open] = [
      await begin(reader, pdf.length),
      await begin(reader, pdf.length),
      await begin(reader, pdf.length),
    ];
    await put(app.url, arrived, pdf);
    const over = [empty.media_id, arrived.media_id];
    await sql`update uploads set open_until = now() - interval '1 hour' where media_id = any(${over})`;
    const worker = await app.engine.work({ concurrency: 1, pollSeconds: 0.2, graceSeconds: 5 });
    await vi.waitFor(
      async () => expect(await stateOf(arrived.media_id)).toMatchObject({ processing_status: 'failed' }),
      60_000,
    );
    await worker.stop();
    for (const id of over) {
      expect(await stateOf(id)).toEqual({
        processing_status: 'failed',
        failure_stage: 'upload',
        last_error_code: 'E_UPLOAD_ABANDONED',
        stored_bytes: 0,
      });
      expect(await ingest(id)).toMatchObject(failure(403, 'E_UPLOAD_EXPIRED'));
    }
    expect((await put(app.url, empty, pdf)).status).toBe(403);
    expect(await stateOf(open.media_id)).toMatchObject({ processing_status: 'pending' });
  });
});

describe('an upload directly to the object store', async () => {
  const s3 = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: await newDirectory('s3'),
    configureBuckets: [{ name: 'nexus', configs: [] }],
  });
  const { port } = await s3.run();
  const database = useDatabase();
  const { sql } = database;
  const app = useApp(database, {
    NEXUS_STORAGE: 's3',
    NEXUS_S3_BUCKET: 'nexus',
    NEXUS_S3_ENDPOINT: `http://127.0.0.1:${port}`,
    NEXUS_S3_ACCESS_KEY_ID: 'S3RVER',
    NEXUS_S3_SECRET_ACCESS_KEY: 'S3RVER',
    NEXUS_S3_DIRECT_UPLOADS: 'true',
  });
  beforeAll(() => () => s3.close());

  /** Returns the hash of the served file, and the one in the row. */
  async function hashes(id: string, reader: Reader): Promise<(string | undefined)[]> {
    const [row] = await sql<{ file_sha256: string }[]>`select file_sha256 from media where id = ${id}`;
    const served = await fetch(`${app.url}/media/${id}/file`, { headers: { 'x-nexus-api-key': reader.key } });
    const bytes = Buffer.from(await served.arrayBuffer());
    return [createHash('sha256').update(bytes).digest('hex'), row?.file_sha256];
  }

  test('its URL, which stays valid, cannot change the ingested file', async () => {
    const reader = await createReader(app);
    const pdf = pdfOf('Direct');
    const begun = await begin(reader, pdf.length);
    expect((await put(app.url, begun, pdf)).status).toBe(200);
    expect((await reader.post(`/media/${begun.media_id}/ingest`)).status).toBe(200);
    expect((await put(app.url, begun, another(pdf))).status).toBe(200);
    const expected = createHash('sha256').update(pdf).digest('hex');
    expect(await hashes(begun.media_id, reader)).toEqual([expected, expected]);
  });

  test('a file that is replaced during two parallel requests: hash and content match', async () => {
    const reader = await createReader(app);
    let taken = 0;
    for (let round = 0; round < 5; round++) {
      const pdf = pdfOf(`Direct ${round}`);
      const begun = await begin(reader, pdf.length);
      await put(app.url, begun, pdf);
      const ingest = () => reader.post(`/media/${begun.media_id}/ingest`);
      await Promise.all([ingest(), put(app.url, begun, another(pdf)), ingest()]);
      // This store replaces a file in place, unlike S3: a reader may see a part of it and refuse it.
      if ((await ingest()).status !== 200) continue;
      const [served, stored] = await hashes(begun.media_id, reader);
      expect(served).toBe(stored);
      taken += 1;
    }
    expect(taken).toBeGreaterThan(0);
  });

  test('a file of another type is refused by its header, and nothing is copied', async () => {
    const reader = await createReader(app);
    const page = Buffer.from('<html>not a PDF</html>');
    const begun = await begin(reader, page.length);
    await put(app.url, begun, page);
    expect(await reader.post(`/media/${begun.media_id}/ingest`)).toMatchObject(
      failure(400, 'E_INVALID_FILE_TYPE'),
    );
    expect(await Readable.from(app.resources.storage.list(`media/${begun.media_id}/`)).toArray()).toEqual([]);
  });
});
