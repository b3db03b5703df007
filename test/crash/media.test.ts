import { expect, test, vi } from 'vitest';
import { failure, useApp } from '../support/app.ts';
import { useDatabase } from '../support/database.ts';
import { makePage } from '../support/fixtures/pages.ts';
import { startSite } from '../support/internet.ts';
import { gate } from '../support/jobs.ts';
import { createReader, type Reader } from '../support/libraries.ts';
import { type NexusProcess, startNexus } from '../support/nexus-process.ts';

let answer = gate();
let asked = gate();
const site = await startSite(async (_request, response) => {
  asked.open();
  await answer.opened;
  response.writeHead(200, { 'content-type': 'text/html' }).end(makePage({ title: 'Survived' }));
});

const database = useDatabase();
const { sql } = database;
const app = useApp(database, { NEXUS_EGRESS_ALLOW: site.host });

async function startWorker(): Promise<NexusProcess> {
  const worker = startNexus(['worker'], {
    env: {
      NEXUS_DATABASE_URL: database.url,
      NEXUS_EGRESS_ALLOW: site.host,
      NEXUS_WORKER_LEASE_SECONDS: '1',
      NEXUS_WORKER_POLL_SECONDS: '0.1',
    },
  });
  await worker.prints(/is ready/);
  return worker;
}

async function save(reader: Reader, path: string): Promise<string> {
  const { body } = await reader.post('/media/from_url', { url: `${site.url}${path}` });
  return body.data.media_id;
}

const until = (reader: Reader, id: string, status: string) =>
  vi.waitFor(
    async () => {
      const { body } = await reader.get(`/media/${id}`);
      expect(body.data.processing_status).toBe(status);
      return body.data;
    },
    { timeout: 40_000, interval: 50 },
  );

/** Waits until the page is asked for, without the delays after interruptions, which are 15 s here. */
async function askedNow(): Promise<void> {
  let isAsked = false;
  void asked.opened.then(() => {
    isAsked = true;
  });
  await vi.waitFor(
    async () => {
      await sql`update job_queue set due_at = now() where lease_token is null`;
      expect(isAsked).toBe(true);
    },
    { timeout: 40_000, interval: 50 },
  );
}

test('a worker killed while it fetches: another one brings the media to its end', async () => {
  [answer, asked] = [gate(), gate()];
  const reader = await createReader(app);
  const id = await save(reader, '/fetching');
  const victim = await startWorker();
  await asked.opened;
  await until(reader, id, 'extracting');
  await victim.stop('SIGKILL');
  answer.open();
  const heir = await startWorker();
  expect(await until(reader, id, 'ready')).toMatchObject({ title: 'Survived', processing_attempts: 1 });
  const { body } = await reader.get(`/media/${id}/attempts`);
  expect(body.data.map(({ step, status }: Record<string, string>) => [step, status])).toEqual([
    ['extract', 'interrupted'],
    ['extract', 'succeeded'],
    ['index', 'succeeded'],
  ]);
  expect(await heir.stop()).toBe(0);
});

test.each([
  ['writes what it has read', 'media_fragments', 'extracting', 'extract'],
  ['builds the search rows', 'media_search', 'embedding', 'index'],
])('a worker killed while it %s: nothing is left half done', async (_what, table, status, step) => {
  [answer, asked] = [gate(), gate()];
  answer.open();
  const reader = await createReader(app);
  const holder = await sql.connect();
  await holder.query('begin');
  await holder.query(`lock table ${table} in exclusive mode`);
  const id = await save(reader, `/${table}`);
  const victim = await startWorker();
  await vi.waitFor(async () => {
    const blocked = await sql`
      select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    expect(blocked.length).toBeGreaterThan(0);
  }, 20_000);
  expect((await reader.get(`/media/${id}`)).body.data.processing_status).toBe(status);
  await victim.stop('SIGKILL');
  await holder.query('commit');
  holder.release();
  const heir = await startWorker();
  await until(reader, id, 'ready');
  expect((await reader.get(`/media/${id}/fragments`)).body.data).toHaveLength(1);
  expect(await sql`select from media_search where media_id = ${id}`).toHaveLength(1);
  const { body } = await reader.get(`/media/${id}/attempts`);
  expect(body.data).toContainEqual(expect.objectContaining({ step, status: 'interrupted' }));
  expect(await heir.stop()).toBe(0);
});

test('a media whose workers die a hundred times has failed and can be retried', async () => {
  [answer, asked] = [gate(), gate()];
  const reader = await createReader(app);
  const id = await save(reader, '/deadly');
  await sql`update job_queue set attempt_count = 97, refunded_count = 97, interrupted_count = 97`;
  for (let attempt = 1; attempt <= 3; attempt++) {
    const victim = await startWorker();
    await askedNow();
    asked = gate();
    await victim.stop('SIGKILL');
  }
  const heir = await startWorker();
  expect(await until(reader, id, 'failed')).toMatchObject({ last_error_code: 'E_PROCESSING_STOPPED' });
  answer.open();
  expect((await reader.post(`/media/${id}/retry`)).status).toBe(200);
  await until(reader, id, 'ready');
  expect(await reader.post(`/media/${id}/retry`)).toMatchObject(failure(409, 'E_INVALID_STATE'));
  expect(await heir.stop()).toBe(0);
});
