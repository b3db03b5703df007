import { utimes } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { silentLog as log, readJob, useJobs } from '../../../../test/support/jobs.ts';
import { createReader, type Reader, saveMedia } from '../../../../test/support/libraries.ts';
import { newDirectory } from '../../../../test/support/workspace.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { createEgress } from '../../../platform/egress/egress.ts';
import type { JobType } from '../../../platform/jobs/job-type.ts';
import { openLocalStorage } from '../../../platform/storage/local.ts';
import { moveHighlights } from '../../highlights/placement.ts';
import { createImages } from '../files/images.ts';
import { createQuota } from '../files/quota.ts';
import { periodicOrphanSweep } from '../files/sweeps.ts';
import { createIngest } from './ingest.ts';
import { withForcedRun } from './test-force-run.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const jobs = useJobs(database);
const directory = await newDirectory('files');
const storage = await openLocalStorage(directory);
let reader: Reader;

beforeAll(async () => {
  reader = await createReader(app);
});
afterAll(() => storage.close());

const quota = createQuota({ sql, defaultMb: 0 });
/** The jobs of media without any extractor. */
const ingest = createIngest({
  sql,
  log,
  storage,
  quota,
  images: createImages({
    sql,
    storage,
    egress: createEgress(),
    quota,
    makeThumbnail: async () => 'no cover',
  }),
  extractors: new Map(),
  onReplace: moveHighlights,
});
const forced = withForcedRun(sql, ingest.ingestType);

/** Runs a job whose payload need not fit its type, as that of an older release. */
async function runJob(
  type: typeof ingest.ingestType | typeof forced,
  payload: Record<string, unknown>,
  mediaId: string,
) {
  const id = await transaction(sql, async (tx) => {
    const { id } = await jobs.enqueueIn(tx, { type: { ...type, payload: z.any() } as JobType, payload });
    await tx`update media set job_id = ${id} where id = ${mediaId}`;
    return id;
  });
  const worker = await jobs.work([type as never], { queues: ['ingest'], untilEmpty: true });
  await worker.stopped;
  return readJob(sql, id);
}

const status = async (id: string) =>
  (await sql`select processing_status, last_error_code from media where id = ${id}`)[0];

describe('a kind without an extractor', () => {
  test('is not queued, and its media is left as it is', async () => {
    const mediaId = await saveMedia(sql, reader);
    const isQueued = await transaction(sql, (tx) =>
      ingest.maybeEnqueueExtraction(tx, 'web_article', mediaId, {}),
    );
    expect(isQueued).toBe(false);
    expect(await sql`select from media_jobs where media_id = ${mediaId}`).toHaveLength(0);
    const job = await runJob(ingest.ingestType, { media_id: mediaId }, mediaId);
    expect(job).toMatchObject({ status: 'succeeded', result: { outcome: 'no extractor' } });
    expect(await status(mediaId)).toEqual({ processing_status: 'pending', last_error_code: null });
  });

  test('fails when a test forces it to run', async () => {
    const mediaId = await saveMedia(sql, reader);
    const job = await runJob(forced, { media_id: mediaId, test_force_run: true }, mediaId);
    expect(job).toMatchObject({ status: 'succeeded', result: { outcome: 'failed' } });
    expect(await status(mediaId)).toEqual({
      processing_status: 'failed',
      last_error_code: 'E_EXTRACTOR_NOT_IMPLEMENTED',
    });
  });

  test('cannot be forced outside of tests: the payload is refused, and nothing is touched', async () => {
    const mediaId = await saveMedia(sql, reader);
    const job = await runJob(ingest.ingestType, { media_id: mediaId, test_force_run: true }, mediaId);
    expect(job).toMatchObject({ status: 'failed', error_code: 'E_INVALID_PAYLOAD', attempt_count: 1 });
    expect(await status(mediaId)).toEqual({ processing_status: 'pending', last_error_code: null });
  });
});

test('a job for a media that is gone has nothing to do', async () => {
  const mediaId = await saveMedia(sql, reader);
  const gone = '01a1e0bf-0000-7000-8000-000000000000';
  const job = await runJob(ingest.ingestType, { media_id: gone }, mediaId);
  expect(job).toMatchObject({ status: 'succeeded', result: { outcome: 'missing' } });
});

test('files that nothing refers to are deleted after a day; the others stay', async () => {
  const mediaId = await saveMedia(sql, reader);
  const kept = `media/${mediaId}/original.pdf`;
  await sql`update media set file_path = ${kept} where id = ${mediaId}`;
  for (const name of [kept, 'media/gone/original.pdf', 'images/unknown', 'media/new/original.pdf']) {
    await storage.put(name, Readable.from([Buffer.from('x')]));
    const old = new Date(Date.now() - 2 * 86_400_000);
    if (name !== 'media/new/original.pdf') await utimes(path.join(directory, name), old, old);
  }
  const { type } = periodicOrphanSweep({ sql, storage });
  const { id } = await jobs.enqueue(type as never);
  await (await jobs.work([type as never], { queues: ['maintenance'], untilEmpty: true })).stopped;
  expect(await readJob(sql, id)).toMatchObject({ status: 'succeeded', result: { deleted: 2 } });
  const left = [];
  for await (const file of storage.list()) left.push(file.path);
  expect(left.sort()).toEqual([kept, 'media/new/original.pdf'].sort());
});
