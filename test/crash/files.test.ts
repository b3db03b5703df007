import { utimes } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { beforeAll, expect, test, vi } from 'vitest';
import { periodicOrphanSweep } from '../../src/features/media/files/sweeps.ts';
import { useApp } from '../support/app.ts';
import { useDatabase } from '../support/database.ts';
import { makePdf } from '../support/fixtures/pdf.ts';
import { createReader, type Reader } from '../support/libraries.ts';
import { startNexus } from '../support/nexus-process.ts';
import { saveReady } from '../support/saved-media.ts';
import { newDirectory } from '../support/workspace.ts';

const dataDir = await newDirectory('data');
const database = useDatabase();
const { sql } = database;
const app = useApp(database, { NEXUS_DATA_DIR: dataDir });
let reader: Reader;

beforeAll(async () => {
  reader = await createReader(app);
});

const start = (command: string[]) =>
  startNexus(command, {
    env: {
      NEXUS_ENV: 'test',
      NEXUS_DATABASE_URL: database.url,
      NEXUS_DATA_DIR: dataDir,
      NEXUS_PORT: '0',
      NEXUS_WORKER_LEASE_SECONDS: '1',
      NEXUS_WORKER_POLL_SECONDS: '0.1',
    },
  });
const filesOf = async (prefix: string) =>
  (await Readable.from(app.resources.storage.list(prefix)).toArray()).map((file) => file.path);

test('a worker killed while it purges: each remaining media has its file, and at the end neither remains', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 150; n++) {
    const id = await saveReady(sql, reader, { texts: ['text'] });
    const file = `media/${id}/original.pdf`;
    await app.resources.storage.put(file, Buffer.from('%PDF-'));
    await sql`update media set file_path = ${file} where id = ${id}`;
    await reader.delete(`/media/${id}`);
    ids.push(id);
  }
  await sql`update trash set trashed_at = now() - interval '40 days'`;
  const left = async () => {
    const rows = await sql<
      { file_path: string }[]
    >`select file_path from media where id = any(${ids}::uuid[])`;
    return rows.map(({ file_path }) => file_path);
  };

  const victim = start(['worker']);
  await vi.waitFor(async () => expect((await left()).length).toBeLessThan(ids.length), {
    timeout: 60_000,
    interval: 5,
  });
  await victim.stop('SIGKILL');
  const rows = await left();
  expect(await filesOf('media/')).toEqual(expect.arrayContaining(rows));

  const heir = start(['worker']);
  await vi.waitFor(
    async () => {
      await sql`update job_queue set due_at = now() where lease_token is null`;
      expect(await left()).toEqual([]);
    },
    { timeout: 90_000, interval: 200 },
  );
  expect(await heir.stop()).toBe(0);

  // A file whose deletion was committed but not done when the worker died is an orphan; it is removed a day later.
  const long = new Date('2020-01-01T00:00:00Z');
  for (const file of await filesOf('media/')) await utimes(path.join(dataDir, 'files', file), long, long);
  const { handler } = periodicOrphanSweep({ sql, storage: app.resources.storage }).type;
  const context = { signal: new AbortController().signal, progress: async () => true };
  await handler({}, context as never);
  expect(await filesOf('media/')).toEqual([]);
});

test('a server killed while it receives a file: the upload is still open, and the file can be sent again', async () => {
  const pdf = Buffer.from(makePdf({ pages: [['Sent twice']], title: 'Sent twice' }));
  const { body } = await reader.post('/media/upload/init', {
    kind: 'pdf',
    filename: 'x.pdf',
    content_type: 'application/pdf',
    size_bytes: pdf.length,
  });
  const { media_id, upload_url, upload_headers } = body.data;
  const put = (origin: string) =>
    fetch(origin + upload_url, { method: 'PUT', headers: upload_headers, body: new Uint8Array(pdf) });

  const holder = await sql.connect();
  await holder.query('begin');
  await holder.query('select from uploads where media_id = $1 for update', [media_id]);
  const server = start(['serve', '--no-worker']);
  const url = new URL(await server.ready()).origin;
  const sending = put(url).catch(() => undefined);
  await vi.waitFor(async () => {
    const blocked = await sql`
      select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    expect(blocked.length).toBeGreaterThan(0);
  }, 30_000);
  await server.stop('SIGKILL');
  await holder.query('commit');
  holder.release();
  expect(await sending).toBeUndefined();

  expect((await put(app.url)).status).toBe(204);
  expect((await reader.post(`/media/${media_id}/ingest`)).status).toBe(200);
  const served = await fetch(`${app.url}/media/${media_id}/file`, {
    headers: { 'x-nexus-api-key': reader.key },
  });
  expect(Buffer.from(await served.arrayBuffer()).equals(pdf)).toBe(true);
});
