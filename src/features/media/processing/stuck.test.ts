import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { DEV_KEYS, failure, useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { makePage } from '../../../../test/support/fixtures/pages.ts';
import { startSite } from '../../../../test/support/internet.ts';
import { silentLog as log } from '../../../../test/support/jobs.ts';
import { createReader, type Reader, saveMedia } from '../../../../test/support/libraries.ts';
import { saveReady } from '../../../../test/support/saved-media.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { newId } from '../../../platform/ids.ts';
import type { JobType } from '../../../platform/jobs/job-type.ts';
import { enqueue } from '../../../platform/jobs/submit/enqueue.ts';
import type { Worker } from '../../../platform/jobs/worker.ts';
import { failStranded } from './media-jobs.ts';

const pages = new Map<string, string>();
const site = await startSite((request, response) => {
  const body = pages.get(request.url ?? '');
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(body ?? '');
});

const database = useDatabase();
const { sql } = database;
const app = useApp(database, { NEXUS_EGRESS_ALLOW: site.host });
let reader: Reader;
let worker: Worker | undefined;

beforeAll(async () => {
  reader = await createReader(app);
});
afterAll(() => worker?.stop());

/** Tests decide when work begins: a job that is to be cancelled must not run before. */
async function withWorker(work: () => Promise<void>): Promise<void> {
  worker = await app.engine.work({ concurrency: 4, pollSeconds: 0.1, graceSeconds: 5 });
  try {
    await work();
  } finally {
    await worker.stop();
    worker = undefined;
  }
}

const operator = (method: string, path: string, body?: object) =>
  app.call(method, `/api/v1/jobs${path}`, { key: DEV_KEYS.operator, body });

async function until(id: string, status: string) {
  return vi.waitFor(async () => {
    const { body } = await reader.get(`/media/${id}`);
    expect(body.data?.processing_status).toBe(status);
    return body.data;
  }, 90_000);
}

const save = async (path: string) =>
  (await reader.post('/media/from_url', { url: `${site.url}${path}` })).body.data.media_id as string;
const jobOf = async (id: string) => {
  const [media] = await sql<{ job_id: string }[]>`select job_id from media where id = ${id}`;
  return media?.job_id ?? '';
};

/** The job that failed with its media, once its worker has recorded that. */
async function failedJobOf(id: string): Promise<string> {
  await until(id, 'failed');
  const job = await jobOf(id);
  await vi.waitFor(async () => expect((await operator('GET', `/${job}`)).body.status).toBe('failed'), 60_000);
  return job;
}

/** A document that waits for its search index. */
async function waitingForIndex(): Promise<string> {
  const id = await saveReady(sql, reader, { texts: ['to be found'] });
  await transaction(sql, async (tx) => {
    const type = app.queue.types.get('embed_media') as JobType;
    const job = await enqueue(tx, { type, payload: { media_id: id } });
    await tx`delete from media_search where media_id = ${id}`;
    await tx`update media set processing_status = 'ready_for_reading', job_id = ${job.id} where id = ${id}`;
  });
  return id;
}

test('a document whose indexing was cancelled stays readable, and is found once it is retried', async () => {
  const id = await waitingForIndex();
  await operator('POST', `/${await jobOf(id)}/cancel`);
  await withWorker(async () => {
    const failed = await until(id, 'failed');
    expect(failed).toMatchObject({ failure_stage: 'embed', capabilities: { can_read: true } });
    expect((await reader.post(`/media/${id}/retry`)).status).toBe(200);
    await until(id, 'ready');
  });
  expect((await reader.get('/api/v1/search?q=found')).body.data).toHaveLength(1);
});

test('requeueing a failed extraction processes the media again', { tags: 'slow' }, async () => {
  const id = await save('/later');
  await withWorker(async () => {
    const job = await failedJobOf(id);
    pages.set('/later', makePage({ title: 'Later' }));
    expect((await operator('POST', `/${job}/requeue`)).status).toBe(200);
    expect(await until(id, 'ready')).toMatchObject({ title: 'Later', last_error_code: null });
    const again = await operator('POST', `/${job}/requeue`);
    expect(again).toMatchObject(failure(409, 'E_INVALID_STATE'));
  });
});

test('requeueing many does the same for each, and leaves those that have nothing to do', async () => {
  const ids = [await save('/one'), await save('/two'), await save('/three')];
  await withWorker(async () => {
    const jobs = await Promise.all(ids.map(failedJobOf));
    for (const path of ['/one', '/two', '/three']) pages.set(path, makePage({ title: path }));
    // The third was retried by its reader in the meantime: its old job has nothing to do.
    await reader.post(`/media/${ids[2]}/retry`);
    await until(ids[2] ?? '', 'ready');
    const { body } = await operator('POST', '/requeue', { job_ids: jobs });
    expect(body.data).toMatchObject({ changed: 2, unchanged: 1 });
    for (const id of ids) await until(id, 'ready');
    const [old] = await sql`select from job_queue where job_id = ${jobs[2]}`;
    expect(old).toBeUndefined();
  });
});

test('a media fails in the moment in which its job is cancelled; the requeued job goes on', async () => {
  pages.set('/cancelled', makePage({ title: 'Cancelled' }));
  const id = await save('/cancelled');
  const job = await jobOf(id);
  await operator('POST', `/${job}/cancel`);
  expect((await reader.get(`/media/${id}`)).body.data).toMatchObject({
    processing_status: 'failed',
    failure_stage: 'other',
    last_error_code: 'E_PROCESSING_STOPPED',
  });
  expect((await operator('POST', `/${job}/requeue`)).status).toBe(200);
  await withWorker(async () => {
    await until(id, 'ready');
  });
});

test('the job of a media that is gone, or of a file that never came, is not requeued', async () => {
  const id = await save('/gone');
  const job = await jobOf(id);
  await operator('POST', `/${job}/cancel`);
  await reader.delete(`/media/${id}?permanently=true`);
  expect(await operator('POST', `/${job}/requeue`)).toMatchObject(failure(409, 'E_INVALID_STATE'));
});

test('a repair leaves a media that was given a new job in the meantime', async () => {
  const id = await waitingForIndex();
  const repair = () => transaction(sql, (tx) => failStranded(tx, id, log));
  expect(await repair()).toBe(false);
  expect((await reader.get(`/media/${id}`)).body.data.processing_status).toBe('ready_for_reading');
  await sql`delete from job_queue where job_id = ${await jobOf(id)}`;
  expect(await repair()).toBe(true);
});

test('the audit finds media that nothing works on, and repairs them; a kind without extractor may wait', async () => {
  const stuck = await saveMedia(sql, reader);
  const retained = await waitingForIndex();
  await sql`delete from job_queue where job_id = ${await jobOf(retained)}`;
  await sql`delete from jobs where id = ${await jobOf(retained)}`;
  const podcast = newId();
  await sql`
    insert into media (id, kind, title, created_by_user_id)
    values (${podcast}, 'podcast_episode', 'An episode', ${reader.id})`;
  const audit = async (payload: object) => {
    const body = { job_type: 'integrity_audit', payload, execution_mode: 'sync' };
    const submitted = await operator('POST', '/submit', body);
    const { body: job } = await operator('GET', `/${submitted.body.job_id}`);
    return (job.result.inconsistencies as { kind: string; media_id: string }[])
      .filter(({ kind }) => kind === 'media_stuck')
      .map(({ media_id }) => media_id);
  };
  expect(await audit({})).toEqual([stuck, retained].toSorted());
  await audit({ repair: true });
  expect(await audit({})).toEqual([]);
  const states = await sql`
    select id, processing_status, failure_stage from media where id in (${stuck}, ${retained}, ${podcast}) order by id`;
  expect([...states]).toEqual([
    { id: stuck, processing_status: 'failed', failure_stage: 'other' },
    { id: retained, processing_status: 'failed', failure_stage: 'embed' },
    { id: podcast, processing_status: 'pending', failure_stage: null },
  ]);
});
